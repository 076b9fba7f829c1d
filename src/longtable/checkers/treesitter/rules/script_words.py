"""Signs and private names that cannot stand in a script, and fences of Markdown around it."""

import re
import unicodedata

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Enter, Leave, text_of
from longtable.checkers.treesitter.source import Source

_NAMES = words(
    "identifier property_identifier shorthand_property_identifier shorthand_property_identifier_pattern "
    "type_identifier private_property_identifier statement_identifier"
)
_LETTERS_ALL_THE_SAME = frozenset("$_\u00b7\u0387\u2118\u212e\u309b\u309c\u30fb\uff65")
"""Unicode files these with the signs, and allows them in names."""
_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\n")


class Words:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.private: list[set[str]] = []
        self.enter: dict[str, Enter] = {
            **dict.fromkeys(_NAMES, self._name),
            "program": self._program,
            "class_body": self._class,
            "private_property_identifier": self._private,
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _program(self, node: Node) -> None:
        """To the parser a fence is an empty template with another one behind it."""
        if _FENCE.match(self.source.text):
            at = self.source.data.index(b"```")
            self.found.append(self.source.finding("a fence of Markdown is no part of the code", at, at + 3))

    def _name(self, node: Node) -> None:
        name = text_of(node)
        stranger = next((sign for sign in name if _is_no_letter(sign)), None) if not name.isascii() else None
        if stranger is not None:
            self._say(f"'{stranger}' cannot stand in a name", node)

    def _class(self, node: Node) -> Leave:
        members = [
            member.child_by_field_name("name") or member.child_by_field_name("property") for member in node.children
        ]
        self.private.append({text_of(name) for name in members if name is not None and text_of(name).startswith("#")})
        return self._outside

    def _outside(self) -> None:
        self.private.pop()

    def _private(self, node: Node) -> None:
        self._name(node)
        name = text_of(node)
        if not any(name in declared for declared in self.private):
            self._say(f"no class around declares {name}", node)


def _is_no_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS" and sign not in _LETTERS_ALL_THE_SAME
