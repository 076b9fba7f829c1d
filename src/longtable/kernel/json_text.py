"""JSON from outside: bounded before it is parsed, parsed once, and refused where it is ambiguous."""

from itertools import accumulate
from math import isfinite
from typing import Any, Final

from pydantic_core import from_json

from longtable.kernel.errors import InvalidArgument, PayloadTooLarge

MAX_NODES: Final = 100_000
MAX_DEPTH: Final = 64
_SEPARATOR_BYTES: Final = 2
"""A value in a list takes at least so many: a shorter text cannot have too many nodes."""

_STRUCTURE: Final = b"[]{},:"
_BLANKS: Final = b" \t\r\n"
_NOT_BETWEEN: Final = bytes(byte for byte in range(256) if byte not in b"[{,")
_NOT_QUOTES: Final = bytes(byte for byte in range(256) if byte != ord('"'))
_AS_VALUES: Final = bytes(byte if byte in _STRUCTURE else ord("v") for byte in range(256))
_NO_BRACKETS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_STEPS: Final = bytes(1 if byte in b"[{" else 255 for byte in range(256))


def check_bounds(text: bytes) -> None:
    """Raises PayloadTooLarge for more than MAX_NODES values or MAX_DEPTH levels. Costs a few milliseconds for the
    largest text: it counts and never parses."""
    many = len(text) >= MAX_NODES * _SEPARATOR_BYTES and len(text.translate(None, _NOT_BETWEEN)) >= MAX_NODES
    if not many and text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return
    if many and len(text.translate(None, _NOT_QUOTES)) - text.count(b'\\"') > 4 * MAX_NODES:
        # At most a key and a value for each node, of two quotes each.
        raise _too_many_nodes()
    outside = _outside_texts(text)
    if many and _nodes(outside) > MAX_NODES:
        raise _too_many_nodes()
    steps = outside.translate(_STEPS, _NO_BRACKETS)
    if max(accumulate(memoryview(steps).cast("b")), default=0) > MAX_DEPTH:
        raise PayloadTooLarge(f"JSON is nested at most {MAX_DEPTH} levels deep.", limit=MAX_DEPTH, of="depth")


def decode(text: bytes) -> Any:
    """Raises ValueError for what is no JSON or holds half a character, and InvalidArgument for what some parsers take,
    each in its own way: the same key twice, a number that is none, another encoding. The text is within its bounds."""
    try:
        value = from_json(text, allow_inf_nan=False)
    except ValueError:
        if b"\0" in text:
            raise InvalidArgument.at("body", "must be JSON in UTF-8") from None
        if _has_constants(text):
            raise InvalidArgument.at("body", "must be JSON, which has no NaN and no Infinity") from None
        raise
    keys = _count_keys(value)
    # A key that is given twice is in the text, but not in the value. A colon may also stand between quotes.
    if text.count(b":") != keys and _outside_texts(text).count(b":") != keys:
        raise InvalidArgument.at("body", "must be JSON, and not have the same key twice in an object")
    return value


def _has_constants(text: bytes) -> bool:
    """Whether it would be JSON if that had NaN and Infinity."""
    try:
        from_json(text)
    except ValueError:
        return False
    return True


def _outside_texts(text: bytes) -> bytes:
    """Without what stands between quotes, of which there may be one mark left."""
    if b"\\" in text:
        text = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b'"'.join(text.split(b'"')[::2])


def _nodes(outside: bytes) -> int:
    """Every value is the whole, or the first of its list or object, or comes after a comma."""
    between = len(outside.translate(None, _NOT_BETWEEN))
    if between > 2 * MAX_NODES:
        # Even if all that is opened were empty.
        return between // 2
    shape = outside.translate(_AS_VALUES, _BLANKS)
    return 1 + between - shape.count(b"[]") - shape.count(b"{}")


def _count_keys(value: Any) -> int:
    """Of all objects in it. Raises InvalidArgument for a number beyond those that can be told apart."""
    found = 0
    waiting = [value]
    while waiting:
        item = waiting.pop()
        kind = type(item)
        if kind is dict:
            found += len(item)
            waiting += item.values()
        elif kind is list:
            waiting += item
        elif kind is float and not isfinite(item):
            raise InvalidArgument.at("body", "has a number that is too large")
    return found


def _too_many_nodes() -> PayloadTooLarge:
    return PayloadTooLarge(f"JSON has at most {MAX_NODES} values.", limit=MAX_NODES, of="nodes")
