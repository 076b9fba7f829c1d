"""Checks JSON strictly by RFC 8259, and with comments where the name of the file allows them."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from longtable.checkers.findings import ENOUGH, Finding, Parsed, Position, Report, Step, child_at
from longtable.checkers.json_reader import JsonMark, NotJson, Outcome, read
from longtable.checkers.positions import BYTE_ORDER_MARK, Lines, without_mark

CHECKER = "json"
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)
_WITH_COMMENTS = re.compile(
    r"\.(?:jsonc|code-workspace)$"
    r"|(?:^|[/\\])(?:[jt]sconfig[^/\\]*|\.eslintrc|\.?devcontainer|\.vscode[/\\][^/\\]+)\.json$"
)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+")|//[^\n]*+|/\*.*?\*/|,(?=(?:\s|//[^\n]*+|/\*.*?\*/)*+[\]}])', re.DOTALL)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class _Unusual(Exception):
    """The standard library would let it pass or cannot say where it is."""


def parse(text: str, filename: str | None = None) -> Parsed:
    report = Report(checker=CHECKER)
    if text.startswith(BYTE_ORDER_MARK):
        report.warnings.append(Finding("A byte order mark has no place in JSON", code="STYLE"))
    plain = without_mark(text)
    if _WITH_COMMENTS.search(filename or ""):
        plain = _COMMENT.sub(_blank, plain)
    lines = Lines(plain)
    value = _fast(plain)
    if value is _Unusual:
        value = _careful(plain, lines, report)
    if not report.errors and _HALF.search(plain):
        report.warnings.extend(_lone_surrogates(plain, lines))
    return Parsed(report=report, value=value, locate=_locator(plain, lines))


def _blank(found: re.Match[str]) -> str:
    """A string stays; a comment, and a comma that ends a list, become spaces."""
    return found[1] or re.sub(r"[^\n]", " ", found[0])


def _fast(text: str) -> Any:
    """The value, or `_Unusual` itself when the text needs a closer look."""
    try:
        return json.loads(text, parse_constant=_refuse, object_pairs_hook=_object)
    except (_Unusual, ValueError, RecursionError):
        return _Unusual


def _refuse(constant: str) -> None:
    raise _Unusual(constant)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unusual
    return value


def _careful(text: str, lines: Lines, report: Report) -> Any:
    try:
        outcome = read(text)
    except NotJson as fault:
        line, column = lines.position(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
        return None
    for key, offset in outcome.duplicates[:ENOUGH]:
        line, column = lines.position(offset)
        message = f"The key {json.dumps(key[:80])} stands twice in this object; readers keep the last"
        report.warnings.append(Finding(message, code="DUPLICATE_KEY", line=line, column=column))
    return outcome.value


def _lone_surrogates(text: str, lines: Lines) -> Iterator[Finding]:
    """The grammar of RFC 8259 lets half a surrogate pair pass, so it is no error; but no UTF-8 can carry it."""
    for offset in islice(_halves(text), ENOUGH):
        line, column = lines.position(offset)
        yield Finding(
            f"{text[offset : offset + 6]} is half of a surrogate pair and stands for no character",
            code="STYLE",
            line=line,
            column=column,
        )


def _halves(text: str) -> Iterator[int]:
    """Where a surrogate stands that has no other half right beside it."""
    high: int | None = None
    end = 0
    for match in _ESCAPE.finditer(text):
        unit = int(match.group(1) or "0", 16)
        is_low = 0xDC00 <= unit <= 0xDFFF
        if high is not None and not (is_low and match.start() == end):
            yield high
        elif high is None and is_low:
            yield match.start()
        high = match.start() if 0xD800 <= unit <= 0xDBFF else None
        end = match.end()
    if high is not None:
        yield high


def _locator(text: str, lines: Lines) -> Callable[[Sequence[Step]], Position]:
    marks: list[JsonMark] = []

    def locate(path: Sequence[Step]) -> Position:
        if not marks:
            marks.append(_outcome(text).mark)
        return lines.position(_follow(marks[0], path).offset)

    return locate


def _outcome(text: str) -> Outcome:
    try:
        return read(text)
    except NotJson:
        return Outcome()


def _follow(mark: JsonMark, path: Sequence[Step]) -> JsonMark:
    """The mark at the path, or the last one on the way to it that exists."""
    for step in path:
        below = child_at(mark.children, step)
        if below is None:
            break
        mark = below
    return mark
