"""Java: character literals of one character, and methods with a return type."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.rules.walk import text_of, walk
from longtable.checkers.treesitter.source import Source

_TYPES = ("class_declaration", "record_declaration", "enum_declaration")
_LONGEST_PLAIN = 3
"""Two quotes and a character; beyond Unicode's first plane a character counts as two."""


def check_java(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []

    def constructor(node: Node) -> None:
        owner = node.parent
        while owner is not None and owner.type not in _TYPES:
            if owner.type in ("object_creation_expression", "interface_declaration"):
                return
            owner = owner.parent
        name = node.child_by_field_name("name")
        if owner is None or name is None or text_of(name) == text_of(owner.child_by_field_name("name")):
            return
        message = f"'{text_of(name)}' has no return type, and the class is not called so"
        found.append(source.finding(message, name.start_byte, name.end_byte))

    def character(node: Node) -> None:
        text = text_of(node)
        if "\\" not in text and len(text) > _LONGEST_PLAIN:
            message = f"{text} holds more than one character"
            found.append(source.finding(message, node.start_byte, node.end_byte))

    walk(tree, {"constructor_declaration": constructor, "character_literal": character})
    return found
