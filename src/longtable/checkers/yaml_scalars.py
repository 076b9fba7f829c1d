"""What the scalars of a YAML text stand for, by the core schema of YAML 1.2."""

import re
from typing import Any

MISLEADING = frozenset(
    written for word in ("yes", "no", "on", "off") for written in (word, word.capitalize(), word.upper())
)
"""Booleans for readers of YAML 1.1, strings for those of 1.2."""

_TAGS = "tag:yaml.org,2002:"
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_ENDLESS = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_LONGEST_INTEGER = 4000


def value_of(text: str, tag: str | None, plain: bool) -> Any:
    """A plain scalar is resolved; a quoted one is a string unless its tag asks for more. What a foreign tag makes of
    its scalar is unknown, so that stays a string."""
    if tag in (f"{_TAGS}str", "!"):
        return text
    if tag is not None and tag.startswith(_TAGS):
        return _resolved(text)
    return _resolved(text) if plain and tag is None else text


def _resolved(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    return _number(text) if text[0] in _NUMBER_STARTS else text


def _number(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) < _LONGEST_INTEGER else float(text)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(text[2:], 16)
    if _FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "").lower()) if _ENDLESS.fullmatch(text) else text
