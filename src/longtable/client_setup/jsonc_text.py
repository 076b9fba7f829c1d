"""Sets or removes one member of a JSON text, with comments or without, and leaves every other byte as it is."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from longtable.client_setup.mistakes import MalformedFile

_SPACE: Final = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/)?")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_PLAIN: Final = re.compile(r"-?\d[\d.eE+-]*|true|false|null")
_INDENT: Final = re.compile(r'\n([ \t]+)"')
_DEEPEST: Final = 100


@dataclass(frozen=True, slots=True)
class _JsonNode:
    """Where a value stands; `members` are those of an object."""

    start: int
    end: int
    value: Any
    members: "list[_Member]" = field(default_factory=list)

    def member(self, key: str) -> "_Member | None":
        return next((each for each in self.members if each.key == key), None)


@dataclass(frozen=True, slots=True)
class _Member:
    key: str
    start: int
    node: _JsonNode


def load(text: str) -> Any:
    """Raises MalformedFile. An empty text is an empty object."""
    return _parse(text).value if text.strip("\ufeff \t\r\n") else {}


def put(text: str, path: Sequence[str], value: Any) -> str:
    """With `value` at `path`, under objects that are made where there are none. Raises MalformedFile."""
    if not text.strip("\ufeff \t\r\n"):
        return render(path, value)
    node, keys = _parse(text), list(path)
    while True:
        if not isinstance(node.value, dict):
            raise MalformedFile(f"{'.'.join(path[: len(path) - len(keys)]) or 'The file'} is no object.")
        member = node.member(keys[0])
        if member is None:
            return _insert(text, node, keys[0], _nested(keys[1:], value))
        if len(keys) == 1:
            new = _written(value, _line_indent(text, member.start), text)
            return text[: member.node.start] + new + text[member.node.end :]
        node, keys = member.node, keys[1:]


def drop(text: str, path: Sequence[str]) -> str:
    """Without the member at `path`, which is there."""
    node = _parse(text)
    for key in path[:-1]:
        node = _member_of(node, key).node
    position = [each.key for each in node.members].index(path[-1])
    member = node.members[position]
    start, end = _line_start(text, member.start), member.node.end
    comma = _comma_after(text, end)
    if comma is not None:
        end = comma + 1
    elif position:
        before = _comma_after(text, node.members[position - 1].node.end)
        if before is not None:
            text = text[:before] + text[before + 1 :]
            start, end = start - 1, end - 1
    return text[:start].rstrip(" \t\r\n") + _REST_OF_LINE.sub("", text[end:], count=1) if start else text[end:]


def render(path: Sequence[str], value: Any) -> str:
    """The text of a new file."""
    return json.dumps(_nested(path, value), indent=2, ensure_ascii=False) + "\n"


def _nested(keys: Sequence[str], value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _member_of(node: _JsonNode, key: str) -> _Member:
    found = node.member(key)
    if found is None:
        raise MalformedFile(f"There is no {key}.")
    return found


def _insert(text: str, node: _JsonNode, key: str, value: Any) -> str:
    name, base = json.dumps(key), _line_indent(text, node.start)
    if not node.members:
        indent, end = base + _unit(text), node.end - 1
        head = text[:end].rstrip(" \t\r\n")
        line = _newline(text)
        return f"{head}{line}{indent}{name}: {_written(value, indent, text)}{line}{base}{text[end:]}"
    last = node.members[-1].node.end
    if "\n" not in text[node.start : node.members[0].start]:
        return f"{text[:last]}, {name}: {json.dumps(value, ensure_ascii=False)}{text[last:]}"
    indent = _line_indent(text, node.members[0].start)
    piece = f"{_newline(text)}{indent}{name}: {_written(value, indent, text)}"
    comma = _comma_after(text, last)
    after = last if comma is None else comma + 1
    rest = _REST_OF_LINE.match(text, after)
    line_end = rest.end() if rest else after
    first = text[:last] + "," + text[last:line_end] if comma is None else text[:line_end]
    return first + piece + ("" if comma is None else ",") + text[line_end:]


def _written(value: Any, indent: str, text: str) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return f"{_newline(text)}{indent}".join(lines)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, at: int) -> int:
    """The start of the line if only spaces stand before, else the place itself."""
    start = text.rfind("\n", 0, at) + 1
    return start if not text[start:at].strip(" \t") else at


def _line_indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _comma_after(text: str, at: int) -> int | None:
    found = _SPACE.match(text, at)
    end = found.end() if found else at
    return end if text[end : end + 1] == "," else None


def _parse(text: str) -> _JsonNode:
    reader = _Reader(text)
    node = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise reader.mistake("there is more after the end")
    return node


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def mistake(self, problem: str) -> MalformedFile:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return MalformedFile(f"line {line}, column {column}: {problem}.")

    def value(self, depth: int) -> _JsonNode:
        self.skip()
        start, first = self.at, self.text[self.at : self.at + 1]
        if depth > _DEEPEST:
            raise self.mistake("too deep")
        if first == "{":
            members = self._members(depth)
            return _JsonNode(start, self.at, {each.key: each.node.value for each in members}, members)
        if first == "[":
            items = [self.value(depth + 1).value for _ in self._parts("]")]
            return _JsonNode(start, self.at, items)
        found = (_STRING if first == '"' else _PLAIN).match(self.text, self.at)
        try:
            value = json.loads(found[0]) if found else None
        except ValueError:
            found = None
        if found is None:
            raise self.mistake("a value is expected")
        self.at = found.end()
        return _JsonNode(start, self.at, value)

    def _members(self, depth: int) -> list[_Member]:
        members: list[_Member] = []
        for _ in self._parts("}"):
            start, key = self.at, self.value(depth + 1).value
            if not isinstance(key, str) or self.text[start] != '"':
                raise self.mistake("a name in quotes is expected")
            if any(each.key == key for each in members):
                raise self.mistake(f"{key!r} is there twice")
            self.skip()
            if self.text[self.at : self.at + 1] != ":":
                raise self.mistake("a colon is expected")
            self.at += 1
            members.append(_Member(key, start, self.value(depth + 1)))
        return members

    def _parts(self, closing: str) -> "_Parts":
        self.at += 1
        return _Parts(self, closing)


class _Parts:
    """Iterates over the parts between commas: it leaves the reader at the start of each part and, at the end, after the
    closing bracket."""

    def __init__(self, reader: _Reader, closing: str) -> None:
        self._reader = reader
        self._closing = closing
        self._is_first = True

    def __iter__(self) -> "_Parts":
        return self

    def __next__(self) -> None:
        reader = self._reader
        reader.skip()
        if not self._is_first and reader.text[reader.at : reader.at + 1] == ",":
            reader.at += 1
            reader.skip()
        elif not self._is_first and reader.text[reader.at : reader.at + 1] != self._closing:
            raise reader.mistake(f"a comma or {self._closing} is expected")
        self._is_first = False
        if reader.text[reader.at : reader.at + 1] == self._closing:
            reader.at += 1
            raise StopIteration
