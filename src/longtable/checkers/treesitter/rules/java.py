"""Java: characters and texts, methods with a return type, and where a list of arguments may stand."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.rules.walk import Enter, text_of, walk

_TYPES = ("class_declaration", "record_declaration", "enum_declaration")
_LONGEST_PLAIN = 3
"""Two quotes and a character; beyond Unicode's first plane a character counts as two."""


def check_java(source: Source, tree: Tree) -> list[Finding]:
    rules = _Rules(source)
    walk(tree, rules.enter)
    return rules.found


class _Rules:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Finding] = []
        self.enter: dict[str, Enter] = {
            "constructor_declaration": self._constructor,
            "character_literal": self._character,
            "string_literal": self._text,
            "formal_parameters": self._parameters,
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _constructor(self, node: Node) -> None:
        owner = node.parent
        while owner is not None and owner.type not in _TYPES:
            if owner.type in ("object_creation_expression", "interface_declaration"):
                return
            owner = owner.parent
        name = node.child_by_field_name("name")
        if owner is None or name is None or text_of(name) == text_of(owner.child_by_field_name("name")):
            return
        self._say(f"'{text_of(name)}' has no return type, and the class is not called so", name)

    def _character(self, node: Node) -> None:
        text = text_of(node)
        if "\\" not in text and len(text) > _LONGEST_PLAIN:
            self._say(f"{text} holds more than one character", node)

    def _text(self, node: Node) -> None:
        first = text_of(node).split("\n", 1)[0]
        if first.startswith('"""') and first[3:].strip():
            self.found.append(self.source.finding("a text block begins on the line after its quotes", node.start_byte))

    def _parameters(self, node: Node) -> None:
        for child in node.named_children[:-1]:
            if child.type == "spread_parameter" and "comment" not in node.named_children[-1].type:
                self._say("'...' may only be at the last parameter", child)
