"""Names that are declared twice."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.rules.script_flow import FUNCTIONS
from longtable.checkers.treesitter.rules.walk import Enter, Leave, parent_kind, text_of
from longtable.checkers.treesitter.source import Source

_BLOCKS = ("statement_block", "switch_body", "for_statement", "for_in_statement", "class_static_block")
_NAMES = ("identifier", "shorthand_property_identifier_pattern")
_NOT_DECLARED = frozenset(
    ["value", "right", "key", "type", "decorator", "return_type", "type_parameters", "index", "object", "property"]
)
_STRICT = frozenset(["let", "const", "class", "import"])
_DIRECTIVE = re.compile(r"\s*(['\"])use strict\1")


@dataclass(slots=True)
class _Scope:
    """`parameters` belong to the body of the same function."""

    is_function: bool
    names: dict[str, str] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)


class Names:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.scopes = [_Scope(is_function=True)]
        self.is_strict = bool(_DIRECTIVE.match(source.text))
        self.enter: dict[str, Enter] = {
            **dict.fromkeys(FUNCTIONS, self._function),
            **dict.fromkeys(_BLOCKS, self._block),
            "function_declaration": self._declared_function,
            "generator_function_declaration": self._declared_function,
            "lexical_declaration": self._lexical,
            "variable_declaration": self._variable,
            "class_declaration": self._class,
            "import_clause": self._import,
            "internal_module": self._apart,
            "module": self._apart,
            "ambient_declaration": self._apart,
        }

    def _leave(self) -> None:
        self.scopes.pop()

    def _apart(self, node: Node) -> Leave:
        self.scopes.append(_Scope(is_function=True))
        return self._leave

    def _block(self, node: Node) -> Leave:
        scope = _Scope(is_function=False)
        if node.type == "statement_block" and parent_kind(node) in FUNCTIONS:
            scope = _Scope(is_function=True, parameters=self.scopes[-1].parameters)
        self.scopes.append(scope)
        return self._leave

    def _function(self, node: Node) -> Leave:
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("parameter")
        scope = _Scope(is_function=True)
        for name in declared(parameters):
            if text_of(name) in scope.parameters and self._minds_twins(node, parameters):
                self._say(name, "is the name of two parameters")
            scope.parameters.add(text_of(name))
        self.scopes.append(scope)
        return self._leave

    def _minds_twins(self, node: Node, parameters: Node | None) -> bool:
        """Plain functions of old scripts may have them."""
        if self.is_strict or node.type in ("arrow_function", "method_definition"):
            return True
        return any(child.type != "identifier" for child in parameters.named_children) if parameters else False

    def _declared_function(self, node: Node) -> Leave:
        name = node.child_by_field_name("name")
        scope, text = self.scopes[-1], text_of(name)
        if name is not None and scope.names.get(text) in _STRICT - {"import"}:
            self._say(name, "has already been declared")
        scope.names.setdefault(text, "function")
        return self._function(node)

    def _lexical(self, node: Node) -> None:
        kind = text_of(node.children[0])
        for declarator in node.named_children:
            for name in declared(declarator.child_by_field_name("name")):
                self._declare(name, kind)

    def _class(self, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None:
            self._declare(name, "class")

    def _import(self, node: Node) -> None:
        if parent_kind(node) != "import_statement" or any(child.type == "type" for child in _siblings(node)):
            return
        for child in node.named_children:
            for name in _imported(child):
                self._declare(name, "import")

    def _declare(self, name: Node, kind: str) -> None:
        scope, text = self.scopes[-1], text_of(name)
        if text in scope.names or (text in scope.parameters and scope.is_function):
            self._say(name, "has already been declared")
        scope.names[text] = kind

    def _variable(self, node: Node) -> None:
        for declarator in node.named_children:
            for name in declared(declarator.child_by_field_name("name")):
                self._hoist(name)

    def _hoist(self, name: Node) -> None:
        text = text_of(name)
        for scope in reversed(self.scopes):
            if scope.names.get(text) in _STRICT:
                self._say(name, "has already been declared")
                return
            scope.names.setdefault(text, "var")
            if scope.is_function:
                return

    def _say(self, name: Node, what: str) -> None:
        self.found.append(self.source.finding(f"'{text_of(name)}' {what}", name.start_byte, name.end_byte))


def _siblings(node: Node) -> list[Node]:
    return node.parent.children if node.parent is not None else []


def _imported(node: Node) -> list[Node]:
    if node.type == "identifier":
        return [node]
    if node.type == "namespace_import":
        return [child for child in node.named_children if child.type == "identifier"]
    names = []
    for specifier in node.named_children if node.type == "named_imports" else ():
        if any(child.type == "type" for child in specifier.children[:1]):
            continue
        name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
        names += [name] if name is not None else []
    return names


def declared(pattern: Node | None) -> list[Node]:
    """The names that a pattern or a list of parameters declares."""
    names: list[Node] = []
    waiting = [pattern] if pattern is not None else []
    while waiting:
        node = waiting.pop()
        if node.type in _NAMES:
            names.append(node)
            continue
        for index in range(node.child_count - 1, -1, -1):
            child = node.child(index)
            if child is not None and child.is_named and node.field_name_for_child(index) not in _NOT_DECLARED:
                waiting.append(child)
    return names
