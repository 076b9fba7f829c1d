"""Which checker looks at a text, by its language. A checker is imported when a text first needs it."""

import importlib
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from longtable.checkers.findings import Checker, Parsed, Report
from longtable.checkers.places import without_mark

_PARSERS = {"json": "json_text", "yaml": "yaml_text", "yml": "yaml_text"}
_CHECKERS = {
    "toml": "toml_text",
    "xml": "xml_text",
    "py": "python_text",
    "html": "html_text",
    "htm": "html_text",
    "css": "css_text",
    "sql": "sql_text",
    "md": "markdown_text",
}
_OF_GRAMMARS = "js jsx ts tsx rs c h cpp hpp sh java go rb php cs kt swift lua"

WITH_VALUES = ("json", "yaml", "yml", "toml")
"""Texts of these stand for a value, so a JSON Schema can be applied to them."""


def check(language: str, text: str) -> Report:
    return parse(language, text).report


def parse(language: str, text: str) -> Parsed:
    """Of a language other than those WITH_VALUES there is no value."""
    if language in _PARSERS:
        parsed: Parsed = _module(_PARSERS[language]).parse(text)
        return parsed
    if language == "toml":
        return _parse_toml(text)
    return Parsed(_checker(language)(text))


def warm_up(language: str) -> None:
    """Loads what a text of this language will need."""
    check(language, "")


def _checker(language: str) -> Checker:
    if language in _CHECKERS:
        checker: Checker = _module(_CHECKERS[language]).check
        return checker
    if language in _OF_GRAMMARS.split():
        by_grammar: Callable[[str, str], Report] = _module("treesitter").check
        return lambda text: by_grammar(language, text)
    return lambda text: Report(reason=f"Nothing is checked in {language}.")


def _module(name: str) -> Any:
    return importlib.import_module(f"longtable.checkers.{name}")


def _parse_toml(text: str) -> Parsed:
    report = _checker("toml")(text)
    if report.errors or report.checker is None:
        return Parsed(report)
    import tomllib

    return Parsed(report, _plain(tomllib.loads(without_mark(text))))


def _plain(value: Any) -> Any:
    """Moments become texts: a JSON Schema knows no others."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else value
