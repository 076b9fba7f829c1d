"""Checks CSS with lightningcss, after a look at what that would mend in silence."""

import re

import lightningcss

from longtable.checkers.css_scan import Scan, scan
from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.positions import Lines, encodable, without_mark

CHECKER = "lightningcss"
_DEEPEST = 100
"""Levels; the parser recurses in native code."""
_FLAGS = lightningcss.calc_parser_flags(nesting=True, custom_media=True, deep_selector_combinator=True)
_AT = re.compile(r"(?s)^(?:Parsing stylesheet failed: )?(.*) at [^\n]*?:(\d+):(\d+)$")
_IMPORT = re.compile(r"(@import\s+(?:url\()?(?:\"[^\"\n]*\"|'[^'\n]*')\)?)([^;{}]*);", re.IGNORECASE)
_OF_TAILWIND = re.compile(r"(?:source|prefix|theme)\([^()]*\)|\bimportant\b")
_MOZILLA = re.compile(r"@-moz-document\b[^{};]*(?=\{)", re.IGNORECASE)
# Written for old browsers and passed over by all others. Each is replaced by blanks, so that places stay.
_HACKS = re.compile(
    r"(?<=[{;])(?P<before>\s*)\*(?=[a-zA-Z-]+\s*:)|(?<=:)\s*progid:[^;}]*|!ie\d?\b|(?<=[\d\w%])\\[09](?:/(?=[;)]))?"
)


def check(text: str) -> Report:
    plain = encodable(without_mark(text))
    report = Report(checker=CHECKER)
    seen: Scan = scan(plain)
    lines = Lines(plain)
    for fault in seen.faults[:ENOUGH]:
        line, column = lines.position(fault.offset)
        report.errors.append(Finding(fault.message, line=line, column=column))
    if not report.errors:
        _parse(plain, seen.deepest, report)
    return report


def _parse(text: str, deepest: int, report: Report) -> None:
    if deepest > _DEEPEST:
        report.warnings.append(Finding("Nested too deeply to be checked", code="CHECKER_FAILED"))
        return
    try:
        plain = _IMPORT.sub(_without_options, _MOZILLA.sub(_for_all, _HACKS.sub(_blanks, text)))
        lightningcss.process_stylesheet(plain, parser_flags=_FLAGS, minify=False)
    except ValueError as error:
        report.errors.append(_finding(str(error)))


def _without_options(match: re.Match[str]) -> str:
    """Tailwind has some of its own behind the address."""
    return match.group(1) + _OF_TAILWIND.sub(lambda option: " " * len(option.group()), match.group(2)) + ";"


def _for_all(match: re.Match[str]) -> str:
    """User styles name their pages by a rule that the parser knows only in part."""
    rule = "@media all"
    return rule + re.sub(r"[^\n]", " ", match.group()[len(rule) :])


def _blanks(match: re.Match[str]) -> str:
    if match.group().startswith(("progid", " progid")):
        return "x".ljust(len(match.group()))
    return (match.group("before") or "") + " " * (len(match.group()) - len(match.group("before") or ""))


def _finding(message: str) -> Finding:
    match = _AT.match(message)
    if match is None:
        return Finding(message)
    line, column = int(match.group(2)) + 1, int(match.group(3))
    return Finding(match.group(1), line=line, column=column)
