"""Lua: names, jumps and constants, `break` belongs in a loop, and a plain string on one line."""

import re
from collections.abc import Iterator

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Enter, parent_kind, text_of, walk

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


def check_lua(source: Source, tree: Tree) -> list[Finding]:
    rules = _Rules(source)
    walk(tree, rules.enter)
    return rules.found


class _Rules:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Finding] = []
        self.enter: dict[str, Enter] = {
            "break_statement": self._break,
            "string": self._string,
            "identifier": self._name,
            "attribute": self._attribute,
            "goto_statement": self._jump,
            "assignment_statement": self._assignment,
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _break(self, node: Node) -> None:
        around = node.parent
        while around is not None and around.type not in _LOOPS and around.type not in _FUNCTIONS:
            around = around.parent
        if around is None or around.type in _FUNCTIONS:
            self._say("'break' outside of a loop", node)

    def _string(self, node: Node) -> None:
        if breaks_off(self.source.data[node.start_byte : node.end_byte]):
            self.found.append(self.source.finding("unterminated string", node.start_byte))

    def _name(self, node: Node) -> None:
        if text_of(node) in RESERVED:
            self._say(f"'{text_of(node)}' is a reserved word and cannot stand here", node)

    def _attribute(self, node: Node) -> None:
        name = text_of(node).strip("<> \t\n")
        if name not in _ATTRIBUTES:
            self._say(f"unknown attribute '{name}'", node)

    def _jump(self, node: Node) -> None:
        label = text_of(node.named_children[0]) if node.named_children else ""
        for around in _blocks(node):
            labels = [child for child in around.named_children if child.type == "label_statement"]
            if any(text_of(child).strip(": \t\n") == label for child in labels):
                return
        self._say(f"no label '{label}' can be seen from here", node)

    def _assignment(self, node: Node) -> None:
        if parent_kind(node) == "variable_declaration" or not node.named_children:
            return
        for target in node.named_children[0].named_children:
            if target.type == "identifier" and self._is_constant(target):
                self._say(f"'{text_of(target)}' is constant", target)

    def _is_constant(self, target: Node) -> bool:
        """Said with certainty only where the name is declared once in the whole text."""
        name = re.escape(text_of(target))
        constant = re.search(rf"\blocal\s[^=\n]*\b{name}\s*<\s*(?:const|close)\s*>", self.source.text)
        if constant is None:
            return False
        others = rf"\b(?:local|for|function)\b[^=\n]*\b{name}\b"
        return len(re.findall(others, self.source.text)) == 1 and _declares(target, text_of(target))


def _blocks(node: Node) -> Iterator[Node]:
    """All that is around a node, up to the function."""
    around = node.parent
    while around is not None:
        yield around
        if around.type in _FUNCTIONS:
            return
        around = around.parent


def _declares(node: Node, name: str) -> bool:
    """Whether the name is declared in a block around."""
    around = node.parent
    while around is not None:
        for child in around.named_children:
            if child.type == "variable_declaration" and name in text_of(child).split("=")[0]:
                return child.start_byte < node.start_byte
        around = around.parent
    return False
