"""Trouble that begins before the token at which the parser gave up, such as a string that was never ended."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from tree_sitter import Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.blame import Blame
from longtable.checkers.treesitter.leaves import Leaf, Opener
from longtable.checkers.treesitter.lost import first_lost
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.lua import RESERVED, breaks_off

_STAR_COMMENTS = words("rust c cpp java go php c-sharp kotlin swift")
_NO_TRY = ("go", "rust", "c", "lua")
_PLAIN_TEXT = {"kotlin": ("string_literal", "string_content"), "swift": ("line_string_literal", "line_str_text")}
_ESCAPED = re.compile(r"\\.")
_LONG_STRINGS = ("rust", "php", "ruby")


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is known about the place where the parser gave up."""

    grammar: str
    source: Source
    tree: Tree
    blame: Blame
    tokens: list[Leaf]
    stack: list[Opener]


def earlier_trouble(scene: Scene) -> Finding | None:
    return next((found for hint in HINTS if (found := hint(scene)) is not None), None)


def _comment(scene: Scene) -> Finding | None:
    data = scene.source.data
    start = data.rfind(b"/*")
    if scene.grammar not in _STAR_COMMENTS or start < 0 or data.find(b"*/", start) >= 0 or start > scene.blame.end:
        return None
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    if any(token.start < start < token.end and "comment" not in token.kind for token in scene.tokens[-400:]):
        return None
    quotes = sum(before.count(quote) for quote in (b'"', b"'", b"`", b"//"))
    return None if quotes else scene.source.finding("unterminated comment", start)


def _lost(scene: Scene) -> Finding | None:
    if scene.grammar != "kotlin":
        return None
    at = first_lost(scene.tree.root_node, scene.source.data, scene.blame.start)
    return scene.source.finding(f"unexpected {shown(scene.source.cut(at, at + 80))}", at) if at is not None else None


def _string(scene: Scene) -> Finding | None:
    if scene.stack and scene.stack[-1].quotes:
        what = "here-document" if scene.stack[-1].sign == "heredoc_start" else "string"
        return scene.source.finding(f"unterminated {what}", scene.stack[-1].start)
    token = scene.source.cut(scene.blame.start, scene.blame.end)
    if token in ('"', "'", "`", '"""') and scene.blame.symbol == "ERROR":
        return scene.source.finding("unterminated string", scene.blame.start)
    return None


def _broken_off(scene: Scene) -> Finding | None:
    """Some grammars let plain strings go on over lines."""
    if scene.grammar in _PLAIN_TEXT:
        return _broken_off_text(scene)
    if scene.grammar != "lua":
        return None
    for token in scene.tokens:
        if token.kind == "string_content" and token.parent == "string":
            quote = scene.source.data[token.start - 1 : token.start]
            if breaks_off(quote + scene.source.data[token.start : token.end]):
                return scene.source.finding("unterminated string", token.start - 1)
    return None


def _broken_off_text(scene: Scene) -> Finding | None:
    for token in scene.tokens:
        is_text = (token.parent, token.kind) == _PLAIN_TEXT[scene.grammar]
        # Behind a fault the parser may take the end of a string for a beginning; then the quotes of a line are even.
        line = _ESCAPED.sub("", scene.source.line(scene.source.row(token.start)))
        is_open = is_text and line.count('"') % 2 == 1
        if is_open and b"\n" in scene.source.data[token.start : token.end]:
            return scene.source.finding("unterminated string", token.start)
    return None


def _here_document(scene: Scene) -> Finding | None:
    if scene.grammar != "ruby" or not scene.blame.at_end:
        return None
    begun = [token for token in scene.tokens if token.kind == "heredoc_beginning"]
    ended = sum(token.kind == "heredoc_end" for token in scene.tokens)
    return scene.source.finding("unterminated here-document", begun[ended].start) if ended < len(begun) else None


def _word_as_name(scene: Scene) -> Finding | None:
    """Where no `end` fits, the parser of Lua takes it for a name and goes on."""
    if scene.grammar != "lua":
        return None
    for token in scene.tokens:
        text = scene.source.cut(token.start, token.end)
        if token.kind == "identifier" and text in RESERVED:
            return scene.source.finding(f"unexpected '{text}'", token.start, token.end)
    return None


def _swallowed(scene: Scene) -> Finding | None:
    """A string over several lines that ends where another should begin was meant to end on its first line."""
    if scene.grammar not in _LONG_STRINGS or len(scene.tokens) < 2 or scene.tokens[-1].kind not in ('"', "'"):
        return None
    end = scene.tokens[-1].start
    if scene.blame.start != scene.tokens[-1].end:
        return None
    opener = next((t for t in reversed(scene.tokens[:-1]) if t.kind == scene.tokens[-1].kind), None)
    if opener is None or b"\n" not in scene.source.data[opener.end : end]:
        return None
    return scene.source.finding("unterminated string", opener.start)


def _try(scene: Scene) -> Finding | None:
    if scene.grammar not in _NO_TRY or scene.source.cut(scene.blame.start, scene.blame.end).strip() != "catch":
        return None
    tries = [token for token in scene.tokens if scene.source.data[token.start : token.end] == b"try"]
    return scene.source.finding("this language has no 'try'", tries[-1].start, tries[-1].end) if tries else None


HINTS: list[Callable[[Scene], Finding | None]] = [
    _comment,
    _lost,
    _broken_off,
    _string,
    _here_document,
    _word_as_name,
    _swallowed,
    _try,
]
