"""What JavaScript, TypeScript and JSX allow and the grammars do not know: ways to rewrite it, of the same length."""

import re
from collections.abc import Callable

from longtable.checkers.treesitter.grammars import Grammar, parse
from longtable.checkers.treesitter.leaves import Leaf, leaves
from longtable.checkers.treesitter.source import Source

Replace = Callable[[re.Match[str]], str]
Gap = tuple[re.Pattern[str], Replace]

_BAD_ESCAPE = re.compile(r"\\(?:u(?!\{[0-9a-fA-F]+\}|[0-9a-fA-F]{4})|x(?![0-9a-fA-F]{2})|[0-9])")


def _plain_escapes(found: re.Match[str]) -> str:
    return _BAD_ESCAPE.sub("ee", found[0])


def _plain_signs(found: re.Match[str]) -> str:
    return found[0].replace("&", "a")


_ATTRIBUTE = r"(?<==)(?:\"[^\"&\n]*+&[^\"\n]*+\"|'[^'&\n]*+&[^'\n]*+')"
_TEXT = r"(?<!=>)(?<=[>}])[^<>{}&]*+&[^<>{}]*+(?=</[\w>])"
_REST_OF_TEXT = re.compile(rb"&[^<>{}]*")
_TAGS = ("jsx_opening_element", "jsx_closing_element", "jsx_self_closing_element")

ESCAPES: tuple[Gap, ...] = ((re.compile(r"(?<=[\w$)\]])`(?:[^`\\]|\\.)*+", re.DOTALL), _plain_escapes),)
"""The text of a tagged template may have any: String.raw`C:\\users`."""
AMPERSANDS: tuple[Gap, ...] = ((re.compile(_ATTRIBUTE), _plain_signs), (re.compile(_TEXT), _plain_signs))
"""One in JSX need not begin an entity: href="?a=1&b=2"."""


def without_ampersand(grammar: Grammar, source: Source, at: int) -> str | None:
    """The text with letters for the signs from this place on, if it is in the text of an element. Elsewhere they may
    have a meaning: in a type, or between two conditions."""
    rest = _REST_OF_TEXT.match(source.data, at)
    if rest is None:
        return None
    before = leaves(parse(grammar, source.data), at)
    if not before or not _begins_text(before[-1]):
        return None
    return (source.data[:at] + rest[0].replace(b"&", b"a") + source.data[rest.end() :]).decode("utf-8", "replace")


def _begins_text(leaf: Leaf) -> bool:
    return (
        leaf.kind in ("jsx_text", "html_character_reference")
        or (leaf.kind in (">", "/>") and leaf.parent in _TAGS)
        or (leaf.kind == "}" and leaf.parent == "jsx_expression")
    )
