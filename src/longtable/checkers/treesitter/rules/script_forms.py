"""Forms that are wrong by themselves, wherever they stand."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Enter, has_child, parent_kind, text_of
from longtable.checkers.treesitter.source import Source

_FLAGS = frozenset("dgimsuvy")
_NO_TARGETS = words(
    "call_expression number string template_string binary_expression unary_expression true false null this "
    "arrow_function function_expression new_expression ternary_expression object update_expression "
    "await_expression"
)
_SINGLE = words("if_statement else_clause for_statement for_in_statement while_statement do_statement")
_WITHOUT_HOLES = ("object", "object_pattern", "arguments")
_LOOSE = ("assignment_expression", "augmented_assignment_expression", "arrow_function")
_MODULES = ("module", "internal_module", "ambient_declaration")


class Forms:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.enter: dict[str, Enter] = {
            "variable_declarator": self._declarator,
            "lexical_declaration": self._lexical,
            "regex": self._regex,
            "update_expression": self._update,
            "assignment_expression": self._assignment,
            "augmented_assignment_expression": self._assignment,
            "binary_expression": self._binary,
            "rest_pattern": self._rest,
            "import_statement": self._import,
            "export_statement": self._import,
            "class_body": self._class,
            "try_statement": self._try,
            **dict.fromkeys(_WITHOUT_HOLES, self._list),
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _declarator(self, node: Node) -> None:
        declaration, name = node.parent, node.child_by_field_name("name")
        if declaration is None or name is None or node.child_by_field_name("value") or _is_ambient(declaration):
            return
        kind = text_of(declaration.children[0])
        if name.type in ("object_pattern", "array_pattern"):
            self._say("a pattern needs a value", name)
        elif kind == "const":
            self._say(f"'const {text_of(name)}' has no value", name)

    def _lexical(self, node: Node) -> None:
        parent = node.parent
        if parent is None or parent.type not in _SINGLE or node == parent.child_by_field_name("initializer"):
            return
        self._say("a declaration cannot be the only statement here; put it in braces", node.children[0])

    def _regex(self, node: Node) -> None:
        flags = node.child_by_field_name("flags")
        signs = text_of(flags)
        wrong = sorted(set(signs) - _FLAGS)
        if flags is not None and wrong:
            self._say(f"unknown flag '{wrong[0]}' of a regular expression", flags)
        elif flags is not None and (len(set(signs)) < len(signs) or {"u", "v"} <= set(signs)):
            self._say(f"flags '{signs}' of a regular expression do not go together", flags)

    def _update(self, node: Node) -> None:
        self._target(node.child_by_field_name("argument"))

    def _assignment(self, node: Node) -> None:
        self._target(node.child_by_field_name("left"))

    def _target(self, target: Node | None) -> None:
        if target is None:
            return
        if target.type in _NO_TARGETS or (target.type == "member_expression" and has_child(target, "optional_chain")):
            self._say(f"'{text_of(target)[:40]}' cannot be assigned to", target)

    def _binary(self, node: Node) -> None:
        operator = text_of(node.child_by_field_name("operator"))
        sides = [node.child_by_field_name("left"), node.child_by_field_name("right")]
        inner = [text_of(side.child_by_field_name("operator")) for side in sides if side and side.type == node.type]
        mixed = [sign for sign in inner if {sign, operator} in ({"??", "||"}, {"??", "&&"})]
        if mixed:
            self._say(f"'{operator}' and '{mixed[0]}' need parentheses when they are mixed", node)
        elif sides[1] is not None and sides[1].type in _LOOSE:
            self._say(f"'{text_of(sides[1])[:40]}' needs parentheses after '{operator}'", sides[1])
        elif operator == "**" and sides[0] is not None and sides[0].type == "unary_expression":
            self._say("the left side of '**' needs parentheses", sides[0])

    def _rest(self, node: Node) -> None:
        following = node.next_named_sibling
        while following is not None and following.type == "comment":
            following = following.next_named_sibling
        owner = node.parent
        if owner is not None and owner.type == "required_parameter":
            following = owner.next_named_sibling
        if following is not None and parent_kind(node) not in ("assignment_pattern", "required_parameter"):
            self._say("nothing may follow a rest element", node)

    def _import(self, node: Node) -> None:
        block = node.parent
        if block is not None and block.type == "statement_block" and parent_kind(block) not in _MODULES:
            self._say(f"'{text_of(node.children[0])}' may only stand at the top level", node.children[0])

    def _class(self, node: Node) -> None:
        constructors = [child for child in node.named_children if _is_constructor(child)]
        if len(constructors) > 1:
            self._say("a class has one constructor only", constructors[1])

    def _list(self, node: Node) -> None:
        before = ""
        for child in node.children:
            if child.type == "," and before in (",", "{", "("):
                self._say("a comma with nothing before it", child)
                return
            before = child.type if child.type != "comment" else before

    def _try(self, node: Node) -> None:
        if node.child_by_field_name("handler") is None and node.child_by_field_name("finalizer") is None:
            body = node.child_by_field_name("body") or node
            self.found.append(
                self.source.finding("'try' needs a 'catch' or a 'finally'", body.end_byte - 1, body.end_byte)
            )


def _is_constructor(node: Node) -> bool:
    name = node.child_by_field_name("name")
    return node.type == "method_definition" and text_of(name) == "constructor" and not has_child(node, "static")


def _is_ambient(node: Node) -> bool:
    """Under `declare`, or in the head of a loop over values."""
    around: Node | None = node
    while around is not None:
        if around.type == "ambient_declaration":
            return True
        around = around.parent
    return False
