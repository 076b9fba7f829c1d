"""Where `super` may stand, and what accessors, parameters and exports look like."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Enter, Leave, has_child, parent_kind, text_of
from longtable.checkers.treesitter.source import Source

_PLAIN = words(
    "function_declaration function_expression generator_function generator_function_declaration function_signature"
)
_WITH_PARENT = words("field_definition public_field_definition class_static_block")
_CLASSES = words("class class_declaration abstract_class_declaration")
_NOWHERE, _MEMBER, _CONSTRUCTOR = "nowhere", "member", "constructor of a class that extends another"


class Members:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.homes = [_NOWHERE]
        self.has_default = False
        self.enter: dict[str, Enter] = {
            **dict.fromkeys(_PLAIN, self._function),
            **dict.fromkeys(_WITH_PARENT, self._field),
            "method_definition": self._method,
            "super": self._super,
            "optional_parameter": self._optional,
            "export_statement": self._export,
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _inside(self, home: str) -> Leave:
        self.homes.append(home)
        return self._outside

    def _outside(self) -> None:
        self.homes.pop()

    def _function(self, node: Node) -> Leave:
        return self._inside(_NOWHERE)

    def _field(self, node: Node) -> Leave:
        return self._inside(_MEMBER)

    def _method(self, node: Node) -> Leave:
        parameters = node.child_by_field_name("parameters")
        count = len(_counted(parameters)) if parameters is not None else 0
        if parameters is not None and has_child(node, "get") and count:
            self._say("a getter has no parameters", parameters)
        if parameters is not None and has_child(node, "set") and count != 1:
            self._say("a setter has one parameter", parameters)
        return self._inside(_CONSTRUCTOR if _is_derived_constructor(node) else _MEMBER)

    def _super(self, node: Node) -> None:
        home = self.homes[-1]
        if parent_kind(node) == "call_expression" and home != _CONSTRUCTOR:
            self._say(f"'super()' outside of the {_CONSTRUCTOR}", node)
        elif home == _NOWHERE:
            self._say("'super' outside of a method", node)

    def _optional(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        if value is not None:
            self._say("a parameter with a default is optional by that: either '?' or a value", value)

    def _export(self, node: Node) -> None:
        declared = node.child_by_field_name("value") or node.child_by_field_name("declaration")
        if not has_child(node, "default") or declared is None or parent_kind(node) != "program":
            return
        if declared.type in ("function_signature", "interface_declaration"):
            return
        if self.has_default:
            self._say("a second 'export default'", node.children[0])
        self.has_default = True


def _counted(parameters: Node) -> list[Node]:
    """Without comments, and without `this` of TypeScript, which only has a type."""
    return [
        child
        for child in parameters.named_children
        if child.type != "comment" and not text_of(child).startswith("this:")
    ]


def _is_derived_constructor(node: Node) -> bool:
    body = node.parent
    owner = body.parent if body is not None else None
    if (
        text_of(node.child_by_field_name("name")).strip("'\"") != "constructor"
        or owner is None
        or owner.type not in _CLASSES
    ):
        return False
    heritage = next((child for child in owner.children if child.type == "class_heritage"), None)
    # In JavaScript a class can only extend.
    return heritage is not None and (
        has_child(heritage, "extends_clause") or not has_child(heritage, "implements_clause")
    )
