"""Reads JSON without recursion, with the position of each value and of the first fault.

The standard library is faster but stops at about a thousand levels, knows no positions and words its refusals
differently in each version."""

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_WORD = re.compile(r"[A-Za-z_$][\w$.]*+")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_REPLACEMENTS = {
    "True": "true",
    "False": "false",
    "None": "null",
    "undefined": "null",
    "nil": "null",
    "TRUE": "true",
    "FALSE": "false",
    "NULL": "null",
}
_NOT_FINITE = ("NaN", "Infinity", "inf", "nan")
_LONGEST_INTEGER = 4000
"""Digits; the interpreter refuses to convert much longer ones."""


@dataclass(slots=True)
class JsonMark:
    """Where a value starts, and the same for what is in it."""

    offset: int
    children: "dict[str, JsonMark] | list[JsonMark] | None" = None


@dataclass(slots=True)
class Outcome:
    value: Any = None
    mark: JsonMark = field(default_factory=lambda: JsonMark(0))
    duplicates: list[tuple[str, int]] = field(default_factory=list)


class NotJson(Exception):
    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(slots=True)
class _OpenValue:
    """A container whose end was not seen yet."""

    value: Any
    mark: JsonMark
    key: str = ""


def read(text: str) -> Outcome:
    """Raises NotJson at the first fault."""
    return _JsonReader(text).read()


class _JsonReader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[_OpenValue] = []
        self.outcome = Outcome()

    def read(self) -> Outcome:
        self._skip()
        if self.at == len(self.text):
            raise NotJson("The text is empty; JSON needs one value", 0)
        self._value()
        while self.open:
            self._member()
        if self.at < len(self.text):
            raise NotJson(f"Nothing may follow the value, but here is {self._found()}", self.at)
        return self.outcome

    def _member(self) -> None:
        """One step inside the innermost container: its end, or one more member."""
        inner = self.open[-1]
        closer = "}" if isinstance(inner.value, dict) else "]"
        if self._next() == closer:
            self.open.pop()
            self.at += 1
            self._skip()
            return
        if inner.value:
            self._needs_comma(closer)
        if closer == "}":
            self._key(inner)
        self._value()

    def _needs_comma(self, closer: str) -> None:
        if self._next() != ",":
            raise self._fault(f"Expected ',' or '{closer}'")
        comma = self.at
        self.at += 1
        self._skip()
        if self._next() in ("]", "}"):
            raise NotJson(f"A comma may not stand before '{self._next()}'", comma)
        if self._next() == "":
            raise self._unclosed()

    def _key(self, inner: _OpenValue) -> None:
        start = self.at
        if self._next() != '"':
            raise self._no_key()
        inner.key = self._string()
        if inner.key in inner.value:
            self.outcome.duplicates.append((inner.key, start))
        self._skip()
        if self._next() != ":":
            raise self._fault(f"Expected ':' after the key {_shown(inner.key)}")
        self.at += 1
        self._skip()

    def _value(self) -> None:
        start = self.at
        character = self._next()
        if character == "{":
            self._opened(_OpenValue({}, JsonMark(start, {})))
        elif character == "[":
            self._opened(_OpenValue([], JsonMark(start, [])))
        elif character == '"':
            self._put(self._string(), JsonMark(start))
        elif character == "-" or character.isdigit():
            self._put(self._number(), JsonMark(start))
        else:
            self._put(self._word(), JsonMark(start))
        self._skip()

    def _opened(self, container: _OpenValue) -> None:
        self._put(container.value, container.mark)
        self.open.append(container)
        self.at += 1

    def _put(self, value: Any, mark: JsonMark) -> None:
        if not self.open:
            self.outcome.value, self.outcome.mark = value, mark
            return
        inner = self.open[-1]
        if isinstance(inner.mark.children, dict):
            inner.value[inner.key] = value
            inner.mark.children[inner.key] = mark
        elif inner.mark.children is not None:
            inner.value.append(value)
            inner.mark.children.append(mark)

    def _string(self) -> str:
        match = _STRING.match(self.text, self.at)
        if match is None:
            raise _bad_string(self.text, self.at)
        self.at = match.end()
        return str(json.loads(match.group())) if "\\" in match.group() else match.group()[1:-1]

    def _number(self) -> int | float | Decimal:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self._word_fault() if self.text.startswith("-Infinity", self.at) else self._fault("Expected a digit")
        end = match.end()
        if self.text[end : end + 1].isalnum() or self.text[end : end + 1] in ("_", "."):
            raise NotJson(_bad_number(match.group(), self.text[end]), self.at)
        self.at = end
        return _number(match.group())

    def _word(self) -> Any:
        match = _WORD.match(self.text, self.at)
        if match is None or match.group() not in _WORDS:
            raise self._word_fault()
        self.at = match.end()
        return _WORDS[match.group()]

    def _word_fault(self) -> NotJson:
        match = _WORD.match(self.text, self.at + self.text.startswith("-", self.at))
        word = match.group() if match else ""
        if word in _NOT_FINITE:
            return NotJson(f"JSON has no {word}; its numbers are finite", self.at)
        if word in _REPLACEMENTS:
            return NotJson(f"JSON spells {word} as {_REPLACEMENTS[word]}", self.at)
        if word:
            return NotJson(f"Expected a value, found {_shown(word)}; text needs double quotes", self.at)
        return self._fault("Expected a value")

    def _no_key(self) -> NotJson:
        if _WORD.match(self.text, self.at):
            return self._fault("A key needs double quotes")
        return self._fault("Expected a key in double quotes")

    def _fault(self, expected: str) -> NotJson:
        if self._next() == "":
            return self._unclosed()
        if self._next() == "'":
            return NotJson("JSON strings stand in double quotes, not in single ones", self.at)
        if self.text.startswith(("//", "/*", "#"), self.at):
            return NotJson("JSON has no comments", self.at)
        return NotJson(f"{expected}, found {self._found()}", self.at)

    def _unclosed(self) -> NotJson:
        end = len(self.text.rstrip(" \t\n\r"))
        if not self.open:
            return NotJson("The text ends before its value", end)
        inner = self.open[-1]
        opener = self.text[inner.mark.offset]
        line = self.text.count("\n", 0, inner.mark.offset) + 1
        return NotJson(f"The text ends, but '{opener}' of line {line} is not closed", end)

    def _found(self) -> str:
        match = _WORD.match(self.text, self.at) or _STRING.match(self.text, self.at)
        return _shown(match.group() if match else self._next())

    def _next(self) -> str:
        return self.text[self.at : self.at + 1]

    def _skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at


def _number(digits: str) -> int | float | Decimal:
    if not digits.lstrip("-").isdigit():
        return float(digits)
    return int(digits) if len(digits) < _LONGEST_INTEGER else Decimal(digits)


def _bad_number(digits: str, follower: str) -> str:
    if digits.lstrip("-") == "0" and follower.isalnum():
        return "A number may not start with 0 (or 0x, 0b, 0o)"
    if follower == ".":
        return "A digit must follow the point of a number"
    return f"Unexpected {_shown(follower)} in a number"


_BODY = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')


def _bad_string(text: str, start: int) -> NotJson:
    body = _BODY.match(text, start + 1)
    at = body.end() if body else start + 1
    character = text[at : at + 1]
    if character in ("", "\n", "\r"):
        return NotJson("This string has no closing quote on its line", start)
    if character == "\\":
        return NotJson(f"{_shown(text[at : at + 2])} is no escape that JSON knows", at)
    return NotJson(f"A control character (U+{ord(character):04X}) must be escaped in a string", at)


def _shown(text: str) -> str:
    text = text if len(text) <= 40 else f"{text[:37]}..."
    return json.dumps(text, ensure_ascii=False) if not text.isprintable() else f"'{text}'"
