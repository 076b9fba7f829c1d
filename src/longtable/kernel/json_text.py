"""JSON from outside: bounded before it is parsed, parsed once, and refused where it is ambiguous."""

from itertools import accumulate
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json

from longtable.kernel.errors import InvalidArgument, PayloadTooLarge

MAX_NODES: Final = 100_000
MAX_DEPTH: Final = 64
CHUNK_BYTES: Final = 65_536
_SEPARATOR_BYTES: Final = 2
"""The least that a value in a list takes: a shorter text cannot have too many nodes."""

_STRUCTURE: Final = b"[]{},:"
_BLANKS: Final = b" \t\r\n"
_NOT_BETWEEN: Final = bytes(byte for byte in range(256) if byte not in b"[{,")
_AS_VALUES: Final = bytes(byte if byte in _STRUCTURE else ord("v") for byte in range(256))
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_INSPECTED: Final = frozenset({dict, list, float})
_STEPS: Final = bytes(1 if byte in b"[{" else 255 for byte in range(256))


def is_clearly_within(text: bytes) -> bool:
    """Within MAX_NODES values and MAX_DEPTH levels. Costs next to nothing, and is true of most texts."""
    return len(text) < MAX_NODES * _SEPARATOR_BYTES and text.count(b"[") + text.count(b"{") <= MAX_DEPTH


class JsonBounds:
    """Counts the values of a text chunk by chunk: the largest takes tens of milliseconds, and others run in between.
    `nodes` are its values, `colons` those between a key and its value."""

    def __init__(self) -> None:
        self.colons = 0
        self.nodes = 1
        self.depth = 0
        self._in_string = False
        self._escape = b""
        self._before = b""

    def add(self, chunk: bytes) -> None:
        """Raises PayloadTooLarge."""
        outside = self._outside_strings(chunk)
        if not outside:
            return
        self.colons += outside.count(b":")
        # Every value is the whole, or the first of its list or object, or comes after a comma.
        shape = self._before + outside.translate(_AS_VALUES, _BLANKS)
        self._before = shape[-1:]
        self.nodes += len(outside.translate(None, _NOT_BETWEEN)) - shape.count(b"[]") - shape.count(b"{}")
        # One is not over yet: it may turn out to be empty.
        if self.nodes > MAX_NODES + 1:
            raise _too_many_nodes()
        steps = outside.translate(_STEPS, _NO_BRACKETS)
        if steps:
            depths = list(accumulate(memoryview(steps).cast("b"), initial=self.depth))
            self.depth = depths[-1]
            if max(depths) > MAX_DEPTH:
                raise PayloadTooLarge(f"JSON is nested at most {MAX_DEPTH} levels deep.", limit=MAX_DEPTH, of="depth")

    def end(self) -> None:
        """Called after the last piece. Raises PayloadTooLarge."""
        if self.nodes > MAX_NODES:
            raise _too_many_nodes()

    def _outside_strings(self, chunk: bytes) -> bytes:
        """Without the contents of strings; some quotes may be left."""
        chunk = self._escape + chunk
        self._escape = b""
        if (len(chunk) - len(chunk.rstrip(b"\\"))) % 2:
            chunk, self._escape = chunk[:-1], b"\\"
        if b"\\" in chunk:
            chunk = chunk.replace(b"\\\\", b"").replace(b'\\"', b"")
        parts = chunk.split(b'"')
        began_in_string = self._in_string
        self._in_string = began_in_string == (len(parts) % 2 == 1)
        return b'"' + b'"'.join(parts[1::2]) if began_in_string else b'"'.join(parts[::2])


def decode(text: bytes, colons: int | None = None) -> Any:
    """Raises ValueError for what is no JSON or holds half a character, and InvalidArgument for what some parsers take,
    each in its own way: the same key twice, a number that is none, another encoding. The text is within its bounds;
    `colons` is how many separate a key from its value, where they were counted."""
    try:
        # Remembering texts that may come again costs more than it saves where there are many.
        value = from_json(text, allow_inf_nan=False, cache_strings="all" if len(text) < CHUNK_BYTES else "none")
    except ValueError:
        if b"\0" in text:
            raise InvalidArgument.at("body", "must be JSON in UTF-8") from None
        if _has_constants(text):
            raise InvalidArgument.at("body", "must be JSON, which has no NaN and no Infinity") from None
        raise
    keys = _count_keys(value)
    # A repeated key is in the text, but not in the value. A colon may also be inside a string.
    if keys not in (colons, text.count(b":")) and (colons is not None or _outside_strings(text).count(b":") != keys):
        raise InvalidArgument.at("body", "must be JSON, and not have the same key twice in an object")
    return value


def has_more_nodes(value: Any, limit: int) -> bool:
    found = 0
    pending = [value]
    while pending and found + len(pending) <= limit:
        item = pending.pop()
        found += 1
        if type(item) is dict:
            pending += item.values()
        elif type(item) is list:
            pending += item
    return found + len(pending) > limit


def _has_constants(text: bytes) -> bool:
    """Whether it would be JSON if that had NaN and Infinity."""
    try:
        from_json(text)
    except ValueError:
        return False
    return True


def _outside_strings(text: bytes) -> bytes:
    """Without the contents of strings; one quote may be left."""
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b'"'.join(text.split(b'"')[::2])


def _count_keys(value: Any) -> int:
    """Of all objects in it. Raises InvalidArgument for a number that is too large for a float."""
    found = 0
    pending = [value]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is dict:
            found += len(item)
            pending += [part for part in item.values() if type(part) in _INSPECTED]
        elif kind is list:
            pending += [part for part in item if type(part) in _INSPECTED]
        elif kind is float and not isfinite(item):
            raise InvalidArgument.at("body", "has a number that is too large")
    return found


def _too_many_nodes() -> PayloadTooLarge:
    return PayloadTooLarge(f"JSON has at most {MAX_NODES} values.", limit=MAX_NODES, of="nodes")
