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
_KEYWORD = (
    r"(?:break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|false|finally|for"
    r"|function|if|import|in|instanceof|new|null|return|super|switch|this|throw|true|try|typeof|var|void|while|with)"
)
_TAG = re.compile(r"<[A-Za-z_$][\w.:$-]*\s")
_NO_TAG = re.compile(r"(?:[;,({=]|\b(?:const|let|var|function|class|import|export|return))\s*\Z")
_TAG_REACH = 1_000
_EXPORT = re.compile(r"\bexport\s*+\{(?:/\*(?:[^*]|\*(?!/)){0,2000}+\*/|//[^\n]*+|[^{}])*+\}")
_EXPORTED = re.compile(rf"(?<=\sas\s){_KEYWORD}(?=\s*[,}}])")


def _plain_name(found: re.Match[str]) -> str:
    """The keyword as a name, if it may follow the beginning of a tag."""
    before = found.string[max(0, found.start() - _TAG_REACH) : found.start()]
    return _plain(found) if _TAG.search(before) and not _NO_TAG.search(before) else found[0]


def _plain(found: re.Match[str]) -> str:
    return "x" + found[0][1:]


def _plain_exports(found: re.Match[str]) -> str:
    return _EXPORTED.sub(_plain, found[0])


def _plain_star(found: re.Match[str]) -> str:
    head, _, name = found[0].rpartition(" ")
    return f"{head} x{name[1:]}"


def _plain_member(found: re.Match[str]) -> str:
    head, _, name = found[0].rpartition(".")
    return f"{head}.x{name[1:]}"


KEYWORDS: tuple[Gap, ...] = (
    (
        re.compile(rf"(?<=\s){_KEYWORD}(?=(?::[\w-]+)?(?:\s*=\s*[\"'{{<]|\s*/?>|\s+[\w:-]+(?:=[\"'{{<]|\s*/>)))"),
        _plain_name,
    ),
    (re.compile(rf"(?<=\w:){_KEYWORD}(?==[\"'{{<])"), _plain),
    (re.compile(rf"</?[\w$]+(?:\.[\w$]+)*?\.{_KEYWORD}\b"), _plain_member),
    (_EXPORT, _plain_exports),
    (re.compile(rf"\bexport \* as {_KEYWORD}(?=\s+from\b)"), _plain_star),
    (re.compile(rf"(?<![\w.]){_KEYWORD}(?=\s+as\s+\w+\s*[,}}])"), _plain),
)
"""Names that may be keywords: attributes in JSX, as in <label for="a" class="b">, and what is exported."""
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
