"""Which checker looks at a text, by its language. A checker is imported when a text first needs it."""

import importlib
import re
import tomllib
from datetime import date, datetime, time
from typing import Any

from longtable.checkers.findings import Finding, Parsed, Report
from longtable.checkers.positions import without_mark

_PARSERS = {"json": "json_text", "yaml": "yaml_text", "yml": "yaml_text"}
_CHECKERS = {
    "toml": "toml_text",
    "xml": "xml_text",
    "py": "python_text",
    "html": "html_text",
    "htm": "html_text",
    "css": "css_text",
    "md": "markdown_text",
}
_OF_DIALECTS = {
    "sql": "sql_text",
    **dict.fromkeys(("js", "jsx", "ts", "tsx"), "script_text"),
    **dict.fromkeys(("rs", "c", "h", "cpp", "hpp", "sh", "java"), "treesitter"),
    **dict.fromkeys(("go", "rb", "php", "cs", "kt", "swift", "lua"), "treesitter"),
}
"""Modules whose check takes the language and the name of the file, too."""

_TOLERANT = ("html", "htm", "sql", "js", "jsx", "ts", "tsx")
"""Languages in which left-overs may look like text."""
_FENCE = re.compile(r"\s*(?P<sign>```)")
_CONFLICT = re.compile(r"^(?P<sign><{7}) \S", re.MULTILINE)

WITH_VALUES = ("json", "yaml", "yml", "toml")
"""Texts of these stand for a value, so a JSON Schema can be applied to them."""


def check(language: str, text: str, filename: str | None = None) -> Report:
    return parse(language, text, filename).report


def parse(language: str, text: str, filename: str | None = None) -> Parsed:
    """Checks a text. It has a value only in the languages WITH_VALUES. The name of the file determines the dialect."""
    if language in _PARSERS:
        parsed: Parsed = _module(_PARSERS[language]).parse(text, *([filename] if language == "json" else []))
        return parsed
    if language == "toml":
        return _parse_toml(text)
    return Parsed(_report(language, text, filename))


def warm_up(language: str) -> None:
    """Loads what a text of this language will need."""
    check(language, "")


def _report(language: str, text: str, filename: str | None) -> Report:
    report: Report
    if language in _CHECKERS:
        report = _module(_CHECKERS[language]).check(text)
    elif language in _OF_DIALECTS:
        report = _module(_OF_DIALECTS[language]).check(language, text, filename)
    else:
        report = Report(reason=f"Nothing is checked in {language}.")
    left = _left_over(text) if language != "md" and report.checker is not None else None
    if left is not None and (report.errors or report.warnings or language in _TOLERANT):
        return Report(report.checker, errors=[left])
    return report


def _left_over(text: str) -> Finding | None:
    """Finds what belongs to no language: a fence of Markdown around the whole text, or the marker of a merge
    conflict."""
    found = _FENCE.match(text) or _CONFLICT.search(text)
    if found is None:
        return None
    line = text.count("\n", 0, found.end("sign")) + 1
    what = "a fence of Markdown is no part of it" if found["sign"] == "```" else "a marker of a merge conflict"
    return Finding(what, line=line)


def _module(name: str) -> Any:
    return importlib.import_module(f"longtable.checkers.{name}")


def _parse_toml(text: str) -> Parsed:
    report = _report("toml", text, None)
    if report.errors or report.checker is None:
        return Parsed(report)

    return Parsed(report, _plain(tomllib.loads(without_mark(text))))


def _plain(value: Any) -> Any:
    """Moments become texts: a JSON Schema knows no others."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value
