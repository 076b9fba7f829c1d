"""Builds values from the events of a YAML parser, by the core schema of YAML 1.2 and within limits: aliases are counted
by what they stand for, so that no small text becomes a huge value."""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from longtable.checkers.findings import ENOUGH, Finding, Position

DEEPEST = 256
MOST_NODES = 2_000_000
_MERGE = object()
_MISLEADING = frozenset(
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


@dataclass(slots=True)
class YamlMark:
    place: Position
    children: "dict[str, YamlMark] | list[YamlMark] | None" = None


@dataclass(slots=True)
class Node:
    """A value, where it is, and how many values it consists of when its aliases are written out. Keys are compared by
    `identity`: 1 and "1" are two keys. For a collection it is the span in the text."""

    value: Any
    mark: YamlMark
    size: int = 1
    identity: Any = None


class YamlRefused(Exception):
    def __init__(self, message: str, place: Position) -> None:
        super().__init__(message)
        self.finding = Finding(message, line=place[0], column=place[1])


@dataclass(slots=True)
class _OpenNode:
    """A collection whose end was not seen yet; `key` waits for its value."""

    node: Node
    anchor: str | None
    start: int
    key: Node | None = None
    seen: dict[Any, Position] = field(default_factory=dict)
    merged: list[Node] = field(default_factory=list)


class Builder:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_OpenNode] = []
        self._anchors: dict[str, Node] = {}
        self._spent = 0
        self.documents: list[Node] = []
        self.errors: list[Finding] = []
        self.warnings: list[Finding] = []

    def take(self, event: Any) -> None:
        """Raises YamlRefused for what no limit allows."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self._start(event, {} if kind is yaml.MappingStartEvent else [])
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._end(event)
        elif kind is yaml.AliasEvent:
            self._alias(event)
        elif kind is yaml.DocumentStartEvent:
            self._anchors = {}

    def _scalar(self, event: Any) -> None:
        plain = not event.style
        value = _value_of(event.value, event.tag, plain)
        identity = _MERGE if plain and event.value == "<<" else (type(value), value)
        node = Node(value, YamlMark(_position(event)), identity=identity)
        if plain and event.tag is None and event.value in _MISLEADING and not self._awaits_key():
            self._warn_of(event)
        self._remember(event.anchor, node)
        self._put(node, event)

    def _start(self, event: Any, value: Any) -> None:
        if len(self._open) >= DEEPEST:
            raise YamlRefused(f"Nested more than {DEEPEST} levels deep", _position(event))
        node = Node(value, YamlMark(_position(event), type(value)()))
        if event.anchor:
            self._anchors.pop(event.anchor, None)
        self._open.append(_OpenNode(node, event.anchor, event.start_mark.index))

    def _end(self, event: Any) -> None:
        done = self._open.pop()
        for source in done.merged:
            self._merge(done, source)
        node = done.node
        node.identity = slice(done.start, event.end_mark.index)
        self._remember(done.anchor, node)
        self._put(node, event)

    def _alias(self, event: Any) -> None:
        target = self._anchors.get(event.anchor)
        if target is None and any(each.anchor == event.anchor for each in self._open):
            raise YamlRefused(f"The alias *{event.anchor} stands inside of what it refers to", _position(event))
        if target is None:
            raise YamlRefused(f"No anchor &{event.anchor} stands before this alias", _position(event))
        mark = YamlMark(_position(event), target.mark.children)
        self._put(Node(target.value, mark, target.size, target.identity), event)

    def _remember(self, anchor: str | None, node: Node) -> None:
        if anchor:
            self._anchors[anchor] = node

    def _awaits_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].node.value, dict) and self._open[-1].key is None

    def _put(self, node: Node, event: Any) -> None:
        """Hands a finished node to what holds it."""
        if not self._open:
            self.documents.append(node)
            return
        holder = self._open[-1]
        holder.node.size += node.size
        if holder.node.size > MOST_NODES:
            raise YamlRefused(f"The aliases stand for more than {MOST_NODES:,} values", _position(event))
        if isinstance(holder.node.mark.children, list):
            holder.node.value.append(node.value)
            holder.node.mark.children.append(node.mark)
        elif holder.key is None:
            self._key(holder, node)
        else:
            self._add(holder, node)

    def _key(self, holder: _OpenNode, node: Node) -> None:
        if isinstance(node.identity, slice):
            node.identity = self._text[node.identity].strip()
        holder.key = node
        if node.identity is _MERGE:
            return
        if node.identity in holder.seen:
            first = holder.seen[node.identity]
            line, column = node.mark.place
            message = f"The key {_shown(_name(node))} is already at line {first[0]}"
            _keep(self.errors, Finding(message, code="DUPLICATE_KEY", line=line, column=column))
        holder.seen.setdefault(node.identity, node.mark.place)

    def _add(self, holder: _OpenNode, node: Node) -> None:
        key, holder.key = holder.key, None
        if key is None or (key.identity is _MERGE and self._takes(holder, node)):
            return
        _set(holder.node, _name(key), node.value, node.mark)

    def _takes(self, holder: _OpenNode, node: Node) -> bool:
        """Whether `<<` had something to merge; if not, it is a key like any other."""
        if isinstance(node.value, dict):
            holder.merged.append(node)
            return True
        marks = node.mark.children
        if not isinstance(marks, list) or not all(isinstance(each, dict) for each in node.value):
            return False
        holder.merged.extend(Node(value, mark) for value, mark in zip(node.value, marks, strict=True))
        return True

    def _merge(self, holder: _OpenNode, source: Node) -> None:
        self._spent += len(source.value) + 1
        if self._spent > MOST_NODES:
            raise YamlRefused(f"The merge keys stand for more than {MOST_NODES:,} values", source.mark.place)
        marks = source.mark.children if isinstance(source.mark.children, dict) else {}
        for key, value in source.value.items():
            if key not in holder.node.value:
                _set(holder.node, key, value, marks.get(key, source.mark))

    def _warn_of(self, event: Any) -> None:
        line, column = _position(event)
        message = f"A bare {event.value} is a string in YAML 1.2 and a boolean in 1.1; quote it, or write true or false"
        _keep(self.warnings, Finding(message, code="STYLE", line=line, column=column))


def _set(mapping: Node, key: str, value: Any, mark: YamlMark) -> None:
    if isinstance(mapping.mark.children, dict):
        mapping.value[key] = value
        mapping.mark.children[key] = mark


def _keep(findings: list[Finding], finding: Finding) -> None:
    if len(findings) < ENOUGH:
        findings.append(finding)


def _name(key: Node) -> str:
    """JSON knows only strings as keys."""
    if isinstance(key.value, str):
        return key.value
    if isinstance(key.value, bool) or key.value is None:
        return {True: "true", False: "false", None: "null"}[key.value]
    return str(key.identity if isinstance(key.value, dict | list) else key.value)


def _shown(name: str) -> str:
    return repr(name if len(name) <= 40 else f"{name[:37]}...")


def _position(event: Any) -> Position:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _value_of(text: str, tag: str | None, plain: bool) -> Any:
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
