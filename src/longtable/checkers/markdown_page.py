"""A Markdown document taken apart: its blocks, and its prose with all that is not prose blanked out."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from longtable.checkers.findings import Finding, Position

_DEEPEST = 60
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_MATH = re.compile(r"(?<![\w\\$])\$[^\s$](?:[^$\n]*[^\s$])?\$(?!\w)")
_BRACKET = re.compile(r"\\.|\n[ >\t]*\n|[\[\]]", re.DOTALL)
_BLANKED = ("fence", "code_block", "front_matter")


@dataclass(frozen=True, slots=True)
class Bracket:
    """A pair of square brackets in the prose: where it opens and where it closes."""

    open: int
    close: int


@dataclass(slots=True)
class Page:
    """`prose` is as long as `text`: what stands at an offset of one stands there in the other."""

    text: str
    tokens: Sequence[Token]
    references: dict[str, Any]
    duplicates: Sequence[dict[str, Any]]
    lines: list[str] = field(init=False)
    starts: list[int] = field(init=False)
    prose: str = field(init=False)
    open_comments: list[int] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.prose = _prose(self)

    def position(self, offset: int) -> Position:
        line = min(bisect_right(self.starts, offset), len(self.lines))
        return line, offset - self.starts[line - 1] + 1

    def at(self, offset: int, message: str, code: str) -> Finding:
        line, column = self.position(offset)
        return Finding(message, code, line, column)

    def at_line(self, row: int, message: str, code: str) -> Finding:
        """`row` counts from 0, as the maps of tokens do. The column is that of the first character there."""
        line = self.lines[row]
        return Finding(message, code, row + 1, len(line) - len(line.lstrip()) + 1)

    def blocks(self, kind: str) -> Iterator[tuple[Token, int, int]]:
        """The tokens of a kind, with the rows from and to which they reach."""
        for token in self.tokens:
            if token.type == kind and token.map is not None:
                yield token, token.map[0], token.map[1]

    def brackets(self) -> list[Bracket]:
        """The pairs by their end. None crosses an empty line."""
        pairs: list[Bracket] = []
        waiting: list[int] = []
        for found in _BRACKET.finditer(self.prose):
            mark = found.group()
            if mark == "[":
                waiting.append(found.start())
            elif mark == "]" and waiting:
                pairs.append(Bracket(waiting.pop(), found.start()))
            elif mark[0] == "\n":
                waiting = []
        return pairs


@cache
def _parser() -> MarkdownIt:
    """Blocks only: what is inside a line is looked at in the prose, in one pass that no input can make slow."""
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.use(front_matter_plugin).use(footnote_plugin)
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def read(text: str) -> Page:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    env: dict[str, Any] = {}
    tokens = _parser().parse(text, env)
    return Page(text, tokens, env.get("references", {}), env.get("duplicate_refs", ()))


def _prose(page: Page) -> str:
    """The text with code, comments and HTML blanked out."""
    rows = _rows_without_code(page)
    text = "\n".join(rows)
    prose: list[str] = []
    done = 0
    for start, end, is_html in _stretches(page):
        between, piece = text[done:start], text[start:end]
        if not is_html and "`" in piece:
            piece = _without_code(piece)
        if "<!--" in piece:
            piece = _without_comments(page, piece, start)
        prose += [between, _spaces(piece) if is_html else _without_tags_and_math(piece)]
        done = end
    return "".join(prose) + text[done:]


def _rows_without_code(page: Page) -> list[str]:
    rows = list(page.lines)
    stretches = [(first, end) for kind in _BLANKED for _, first, end in page.blocks(kind)]
    stretches += [tuple(definition["map"]) for definition in (*page.references.values(), *page.duplicates)]
    for first, end in stretches:
        rows[first:end] = [" " * len(row) for row in rows[first:end]]
    return rows


def _stretches(page: Page) -> Iterator[tuple[int, int, bool]]:
    """Offsets of each paragraph, heading, row of a table and block of HTML. The cells of a row share their line."""
    last = -1
    for token in page.tokens:
        if token.type in ("inline", "html_block") and token.map is not None and token.map[0] > last:
            first, end = token.map
            yield page.starts[first], page.starts[end] - 1, token.type == "html_block"
            last = end - 1


def _without_tags_and_math(text: str) -> str:
    if "<" in text:
        text = _TAG.sub(_blank, text)
    return _MATH.sub(_blank, text) if "$" in text else text


def _without_code(text: str) -> str:
    runs = [(found.start(), found.end()) for found in re.finditer("`+", text)]
    by_length: dict[int, list[int]] = defaultdict(list)
    for start, end in runs:
        by_length[end - start].append(start)
    pieces: list[str] = []
    done = 0
    for start, end in runs:
        if start < done:
            continue
        begin = start + _is_escaped(text, start)
        ends = by_length[end - begin]
        partner = bisect_right(ends, begin)
        if begin == end or partner == len(ends):
            continue
        close = ends[partner] + end - begin
        pieces += [text[done:begin], _spaces(text[begin:close])]
        done = close
    return "".join(pieces) + text[done:]


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while before and text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1


def _without_comments(page: Page, text: str, base: int) -> str:
    pieces: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            # An empty line ends a block of HTML, but no comment.
            if page.text.find("-->", base + start) < 0:
                page.open_comments.append(base + start)
            return "".join([*pieces, text[done:start], _spaces(text[start:])])
        pieces += [text[done:start], _spaces(text[start : end + 3])]
        done = end + 3
    return "".join(pieces) + text[done:]


def _blank(found: re.Match[str]) -> str:
    return _spaces(found.group())


def _spaces(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
