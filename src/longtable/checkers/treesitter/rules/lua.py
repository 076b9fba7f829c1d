"""Lua: names, jumps and constants, `break` belongs in a loop, and a plain string on one line."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Rules, around, at, parent_kind, text_of

RESERVED = words(
    "and break do else elseif end false for function if in local nil not or repeat return then true until while"
)
_LOOPS = words("for_statement while_statement repeat_statement")
_FUNCTIONS = words("function_declaration function_definition")
_ATTRIBUTES = ("const", "close")
_ESCAPE = re.compile(rb"\\(?:z\s*|\r\n|.)", re.DOTALL)


def breaks_off(text: bytes) -> bool:
    """Whether a string goes on to the next line without saying so."""
    return text[:1] in (b'"', b"'") and b"\n" in _ESCAPE.sub(b"", text)


def _break(source: Source, node: Node) -> Finding | None:
    outer = around(node, _LOOPS | _FUNCTIONS)
    return at(source, "'break' outside of a loop", node) if outer is None or outer.type in _FUNCTIONS else None


def _string(source: Source, node: Node) -> Finding | None:
    if not breaks_off(source.data[node.start_byte : node.end_byte]):
        return None
    return source.finding("unterminated string", node.start_byte)


def _name(source: Source, node: Node) -> Finding | None:
    if text_of(node) not in RESERVED:
        return None
    return at(source, f"'{text_of(node)}' is a reserved word and cannot stand here", node)


def _attribute(source: Source, node: Node) -> Finding | None:
    name = text_of(node).strip("<> \t\n")
    return at(source, f"unknown attribute '{name}'", node) if name not in _ATTRIBUTES else None


def _jump(source: Source, node: Node) -> Finding | None:
    label = text_of(node.named_children[0]) if node.named_children else ""
    for block in _blocks(node):
        labels = [child for child in block.named_children if child.type == "label_statement"]
        if any(text_of(child).strip(": \t\n") == label for child in labels):
            return None
    return at(source, f"no label '{label}' can be seen from here", node)


def _assignment(source: Source, node: Node) -> Finding | None:
    """Said with certainty only where the name is declared once in the whole text."""
    if parent_kind(node) == "variable_declaration" or not node.named_children:
        return None
    for target in node.named_children[0].named_children:
        name = re.escape(text_of(target))
        constant = re.search(rf"\blocal\s[^=\n]*\b{name}\s*<\s*(?:const|close)\s*>", source.text)
        declared = re.findall(rf"\b(?:local|for|function)\b[^=\n]*\b{name}\b", source.text)
        if target.type == "identifier" and constant is not None and len(declared) == 1 and _declares(target):
            return at(source, f"'{text_of(target)}' is constant", target)
    return None


def _blocks(node: Node) -> Iterator[Node]:
    """All that is around a node, up to the function."""
    outer = node.parent
    while outer is not None:
        yield outer
        if outer.type in _FUNCTIONS:
            return
        outer = outer.parent


def _declares(target: Node) -> bool:
    """Whether the name is declared in a block around."""
    outer = target.parent
    while outer is not None:
        for child in outer.named_children:
            if child.type == "variable_declaration" and text_of(target) in text_of(child).split("=")[0]:
                return child.start_byte < target.start_byte
        outer = outer.parent
    return False


RULES: Rules = [
    (_break, ("break_statement",)),
    (_string, ("string",)),
    (_name, ("identifier",)),
    (_attribute, ("attribute",)),
    (_jump, ("goto_statement",)),
    (_assignment, ("assignment_statement",)),
]
