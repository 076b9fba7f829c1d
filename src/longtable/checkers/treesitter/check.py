"""The way in: one language, one text, one report."""

import math
import re

from longtable.checkers.findings import Finding, Report
from longtable.checkers.source import Source
from longtable.checkers.treesitter.grammars import TookTooLong, load
from longtable.checkers.treesitter.parsing import ParsedSource, parse_source
from longtable.checkers.treesitter.rules import first_broken_rule
from longtable.checkers.treesitter.severity import is_doubtful
from longtable.checkers.treesitter.shell import check_with_bash

_GRAMMARS = {
    "rs": "rust",
    "c": "c",
    "h": "c",
    "cpp": "cpp",
    "hpp": "cpp",
    "sh": "bash",
    "java": "java",
    "go": "go",
    "rb": "ruby",
    "php": "php",
    "cs": "c-sharp",
    "kt": "kotlin",
    "swift": "swift",
    "lua": "lua",
}
_OBJECTIVE_C = re.compile(r"^@(?:interface|protocol|class|import)\b|^#import[ \t]+[<\"]|\(\^\w*\)\(", re.MULTILINE)
_MOST_ANGLES = 300
_ANGLES = re.compile(r"(?:[^;{}()<>\n]{0,40}<){300}")
"""Angle brackets inside of each other: the parsers follow every meaning that they may have, and take all memory."""
_CPP_HEADERS = ("hpp", "hh", "hxx", "h++", "inl", "ipp")
LANGUAGES = tuple(_GRAMMARS)


_LARGEST = {"kt": 100_000}
"""Bytes. The time that the Kotlin grammar takes grows faster than the text."""


def check(language: str, text: str, filename: str | None = None) -> Report:
    language = _by_name(language, filename)
    reason = _unfit(language, text)
    if reason is not None:
        return Report(reason=reason)
    # A byte order mark is no part of the program. A null makes the grammar of bash run in circles.
    text = " " + text[1:] if text.startswith("\ufeff") else text
    text = text.replace("\0", " ").replace("\r\n", "\n")
    if not text.endswith("\n"):
        # Go reads the end of the text as the end of its last line; its grammar does not.
        text += "\n"
    try:
        return _checked(language, text)
    except TookTooLong:
        checker = load(_GRAMMARS[language]).checker
        return Report(checker, warnings=[Finding("too complex to check in time", "CHECKER_FAILED")])


def _by_name(language: str, filename: str | None) -> str:
    """A header is of C or of C++; the name of the file may show which."""
    ending = (filename or "").lower().rpartition(".")[2]
    return "hpp" if language == "h" and ending in _CPP_HEADERS else language


def _unfit(language: str, text: str) -> str | None:
    largest = _LARGEST.get(language)
    if largest is not None and len(text.encode("utf-8", "replace")) > largest:
        return f"Not checked: {language} is checked up to {largest} bytes."
    if language == "h" and _OBJECTIVE_C.search(text):
        return "Not checked: this is Objective-C."
    return None


def _checked(language: str, text: str) -> Report:
    report = check_with_bash(text) if language == "sh" else None
    if report is not None:
        return report
    if text.count("<") > _MOST_ANGLES and _ANGLES.search(text):
        raise TookTooLong
    report = _report(parse_source(load(_GRAMMARS[language]), Source(text)), text)
    if language == "h" and report.errors + report.warnings:
        # A header may be either; the parser that comes further counts.
        other = _report(parse_source(load("cpp"), Source(text)), text)
        return max((report, other), key=_first_line)
    return report


def _first_line(report: Report) -> float:
    found = report.errors + report.warnings
    return found[0].line if found else math.inf


def _report(parsed: ParsedSource, text: str) -> Report:
    report = Report(parsed.grammar.checker)
    if parsed.fault is not None:
        (report.warnings if is_doubtful(parsed, text) else report.errors).append(parsed.fault.finding)
    elif found := first_broken_rule(parsed.grammar.name, parsed.source, parsed.tree):
        report.errors.append(found)
    return report
