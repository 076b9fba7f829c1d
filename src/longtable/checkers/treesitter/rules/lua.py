"""Lua: `break` belongs in a loop, and a plain string on one line."""

import re

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import walk
from longtable.checkers.treesitter.source import Source

_LOOPS = words("for_statement while_statement repeat_statement")
_FUNCTIONS = words("function_declaration function_definition")
_ESCAPE = re.compile(rb"\\(?:z\s*|\r\n|.)", re.DOTALL)


def breaks_off(text: bytes) -> bool:
    """Whether a string goes on to the next line without saying so."""
    return text[:1] in (b'"', b"'") and b"\n" in _ESCAPE.sub(b"", text)


def check_lua(source: Source, tree: Tree) -> list[Finding]:
    found: list[Finding] = []

    def stop(node: Node) -> None:
        around = node.parent
        while around is not None and around.type not in _LOOPS and around.type not in _FUNCTIONS:
            around = around.parent
        if around is None or around.type in _FUNCTIONS:
            found.append(source.finding("'break' outside of a loop", node.start_byte, node.end_byte))

    def string(node: Node) -> None:
        if breaks_off(source.data[node.start_byte : node.end_byte]):
            found.append(source.finding("unterminated string", node.start_byte))

    walk(tree, {"break_statement": stop, "string": string})
    return found
