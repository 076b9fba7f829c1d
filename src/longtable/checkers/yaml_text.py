"""Checks YAML with the parser of libyaml and reads it by the core schema of YAML 1.2."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import yaml

from longtable.checkers.findings import ENOUGH, Documents, Finding, Parsed, Position, Report, Step, child_at
from longtable.checkers.positions import Lines, without_mark
from longtable.checkers.yaml_builder import Builder, YamlMark, YamlRefused

CHECKER = "libyaml"
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEMPLATE = re.compile(r"^[ \t]*(?:- +)*(?:[\w.-]+:|-)[ \t]+(\{\{[^{}\n]*\}\})", re.MULTILINE)
_FROM_ITS_START = ("while scanning a quoted scalar", "while scanning a simple key", "while scanning an anchor")
_TAB, _COLON = "\ue000", "\ue001"
"""Stand for what the parser may not see. No text has them."""
_RESTORED = str.maketrans({_TAB: "\t", _COLON: ":"})
_UNKNOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"""^( *(?:- +)*-)(\t+)(?=["'\[{]|(?![-?:](?:\s|$))[^\s\#&*!|>%@`](?:(?!:\s|:$).)*$)""", re.M), " "),
    (re.compile(r"^( *)(\t[ \t]*)$", re.M), " "),
    (re.compile(r"(\s[|>][-+0-9]*[ \t]*(?:\#.*)?\n(?:[ \t]*\n)*+ +)(\t)"), _TAB),
    (re.compile(r"([\[{,][ \t]*)(:)(?=\w)"), _COLON),
)
"""What YAML 1.2 allows and libyaml does not: tabs between a dash and a scalar, on blank lines and at the start of a
block of text, and the symbols of Ruby in a list."""


def parse(text: str) -> Parsed:
    plain = without_mark(text)
    parsed = _parse(plain, _events)
    if not parsed.report.errors:
        return parsed
    known = plain
    for pattern, sign in _UNKNOWN:
        known = pattern.sub(partial(_rewritten, sign), known)
    other = _parse(known, _restored_events) if known != plain else parsed
    return other if _first_line(other) > _first_line(parsed) else parsed


def _rewritten(sign: str, found: re.Match[str]) -> str:
    return str(found[1]) + sign * len(found[2])


def _first_line(parsed: Parsed) -> float:
    return min((finding.line for finding in parsed.report.errors), default=math.inf)


def _events(text: str) -> Iterator[Any]:
    events: Iterator[Any] = yaml.parse(text, Loader=yaml.CSafeLoader)
    return events


def _restored_events(text: str) -> Iterator[Any]:
    for event in _events(text):
        if isinstance(event, yaml.ScalarEvent):
            event.value = event.value.translate(_RESTORED)
        yield event


def _parse(plain: str, events: Callable[[str], Iterator[Any]]) -> Parsed:
    builder = Builder(plain)
    report = Report(checker=CHECKER)
    fault = _unprintable(plain) or _build(plain, events, builder)
    report.errors = [*builder.errors, *([fault] if fault else [])][:ENOUGH]
    report.warnings = [*builder.warnings, *_templates(plain)][:ENOUGH]
    documents = builder.documents
    if len(documents) > 1:
        whole = YamlMark((1, 1), [each.mark for each in documents])
        return Parsed(report, Documents([each.value for each in documents]), _locator(whole))
    only = documents[0] if documents else None
    return Parsed(report, only.value if only else None, _locator(only.mark if only else YamlMark((1, 1))))


def _templates(text: str) -> Iterator[Finding]:
    """What a template would fill in, without quotes, is read as a mapping whose key is a mapping."""
    lines = Lines(text)
    for found in _TEMPLATE.finditer(text):
        line, column = lines.position(found.start(1))
        yield Finding("'{{' begins a mapping in a mapping here; put the value in quotes", "STYLE", line, column)


def _unprintable(text: str) -> Finding | None:
    match = _UNPRINTABLE.search(text)
    if match is None:
        return None
    line, column = Lines(text).position(match.start())
    return Finding(f"The character U+{ord(match.group()):04X} may not stand in YAML", line=line, column=column)


def _build(text: str, events: Callable[[str], Iterator[Any]], builder: Builder) -> Finding | None:
    last: Any = None
    try:
        for event in events(text):
            builder.take(event)
            last = event
    except YamlRefused as refused:
        return refused.finding
    except yaml.MarkedYAMLError as error:
        return _fault(error, last, text)
    except yaml.YAMLError as error:
        return Finding(f"Not YAML: {error}")
    return None


def _fault(error: Any, last: Any, text: str) -> Finding | None:
    if isinstance(last, yaml.DocumentEndEvent) and last.explicit:
        # YAML 1.2 lets a document without `---` follow `...`; libyaml does not, so what follows stays unchecked.
        return None
    mark = error.problem_mark or error.context_mark
    message = _message(error, text)
    if _runs_on(last, mark):
        message = f"{message}; the string that starts at line {last.start_mark.line + 1} may lack its closing quote"
        mark = last.start_mark
    elif error.context_mark is not None and (error.context in _FROM_ITS_START or _is_end(mark, text)):
        mark = error.context_mark
    if mark is None:
        return Finding(message)
    return Finding(message, line=mark.line + 1, column=mark.column + 1)


def _message(error: Any, text: str) -> str:
    problem = str(error.problem or "not YAML")
    if error.problem_mark is not None and "cannot start any token" in problem:
        character = text[error.problem_mark.index : error.problem_mark.index + 1]
        return "A tab may not indent a line" if character == "\t" else f"Nothing may start with '{character}' here"
    return f"{problem[:1].upper()}{problem[1:]} {error.context or ''}".rstrip()


def _is_end(mark: Any, text: str) -> bool:
    return mark is not None and not text[mark.index :].strip()


def _runs_on(last: Any, mark: Any) -> bool:
    """Whether the fault comes right after a quoted string of several lines."""
    if mark is None or not isinstance(last, yaml.ScalarEvent) or last.style not in ("'", '"'):
        return False
    start, end = last.start_mark, last.end_mark
    return start is not None and end is not None and bool(start.line < end.line == mark.line)


def _locator(mark: YamlMark) -> Callable[[Sequence[Step]], Position]:
    def locate(path: Sequence[Step]) -> Position:
        found = mark
        for step in path:
            below = child_at(found.children, step)
            if below is None:
                break
            found = below
        return found.place

    return locate
