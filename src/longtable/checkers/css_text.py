"""Checks CSS with lightningcss, after a look at what that would mend in silence."""

import re

import lightningcss

from longtable.checkers.css_scan import scan
from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.places import Lines, encodable, without_mark

CHECKER = "lightningcss"
_DEEPEST = 100
"""Levels; the parser recurses in native code."""
_FLAGS = lightningcss.calc_parser_flags(nesting=True, custom_media=True, deep_selector_combinator=True)
_AT = re.compile(r"(?s)^(?:Parsing stylesheet failed: )?(.*) at [^\n]*?:(\d+):(\d+)$")
# Written for old browsers and passed over by all others. Each is replaced by blanks, so that places stay.
_HACKS = re.compile(
    r"(?<=[{;])(?P<before>\s*)\*(?=[a-zA-Z-]+\s*:)|(?<=:)\s*progid:[^;}]*|!ie\d?\b|(?<=[\d\w%])\\[09](?:/(?=[;)]))?"
)


def check(text: str) -> Report:
    plain = encodable(without_mark(text))
    report = Report(checker=CHECKER)
    seen = scan(plain)
    lines = Lines(plain)
    for fault in seen.faults[:ENOUGH]:
        line, column = lines.place(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
    if not report.errors:
        _parse(plain, seen.deepest, report)
    return report


def _parse(text: str, deepest: int, report: Report) -> None:
    if deepest > _DEEPEST:
        report.warnings.append(Finding("Nested too deeply to be checked", code="CHECKER_FAILED"))
        return
    try:
        lightningcss.process_stylesheet(_HACKS.sub(_blanks, text), parser_flags=_FLAGS, minify=False)
    except ValueError as error:
        report.errors.append(_finding(str(error), text))


def _blanks(match: re.Match[str]) -> str:
    if match.group().startswith(("progid", " progid")):
        return "x".ljust(len(match.group()))
    return (match.group("before") or "") + " " * (len(match.group()) - len(match.group("before") or ""))


def _finding(message: str, text: str) -> Finding:
    match = _AT.match(message)
    if match is None:
        return Finding(message)
    line, column = int(match.group(2)) + 1, int(match.group(3))
    prose = _prose_before(text, line)
    return Finding(match.group(1), line=prose, column=1) if prose else Finding(match.group(1), line=line, column=column)


def _prose_before(text: str, line: int) -> int | None:
    """The line on which a sentence stands that was taken for the start of a selector, because no selector has a
    blank line in it."""
    before = text.split("\n")[: line - 1]
    if not before or before[-1].strip():
        return None
    said = [row for row, words in enumerate(before, 1) if words.strip()]
    last = before[said[-1] - 1].rstrip() if said else "}"
    return said[-1] if not last.endswith((";", "{", "}", "*/", ",")) else None
