"""Java: characters and texts, methods with a return type, where a list of arguments may stand."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.rules.walk import Rules, around, at, text_of

_TYPES = ("class_declaration", "record_declaration", "enum_declaration")
_OTHERS = ("object_creation_expression", "interface_declaration")
_LONGEST_PLAIN = 3
"""Two quotes and a character; beyond Unicode's first plane a character counts as two."""


def _constructor(source: Source, node: Node) -> Finding | None:
    owner, name = around(node, _TYPES + _OTHERS), node.child_by_field_name("name")
    if owner is None or owner.type in _OTHERS or name is None:
        return None
    if text_of(name) == text_of(owner.child_by_field_name("name")):
        return None
    return at(source, f"'{text_of(name)}' has no return type, and the class is not called so", name)


def _character(source: Source, node: Node) -> Finding | None:
    text = text_of(node)
    is_long = "\\" not in text and len(text) > _LONGEST_PLAIN
    return at(source, f"{text} holds more than one character", node) if is_long else None


def _text(source: Source, node: Node) -> Finding | None:
    first = text_of(node).split("\n", 1)[0]
    if not first.startswith('"""') or not first[3:].strip():
        return None
    return source.finding("a text block begins on the line after its quotes", node.start_byte)


def _parameters(source: Source, node: Node) -> Finding | None:
    for child in node.named_children[:-1]:
        if child.type == "spread_parameter" and "comment" not in node.named_children[-1].type:
            return at(source, "'...' may only be at the last parameter", child)
    return None


RULES: Rules = [
    (_constructor, ("constructor_declaration",)),
    (_character, ("character_literal",)),
    (_text, ("string_literal",)),
    (_parameters, ("formal_parameters",)),
]
