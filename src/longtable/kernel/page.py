"""Pages of lists. Their cursors are opaque to callers, exact for us, and never an offset: inserts shift no page."""

import base64
import binascii
import json
from typing import Any, Literal

from longtable.kernel.errors import InvalidArgument

Order = Literal["newest", "oldest"]
"""Which page comes first. Inside a page, what was written first stands first."""
END = 2**62
"""Above every number."""
COUNTED = 1_000
"""Totals of what was searched or filtered are counted up to this many."""


def encode_cursor(*position: int | str | float) -> str:
    text = json.dumps(position, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *types: type) -> list[Any]:
    """The position that `encode_cursor` was given. Raises InvalidArgument for anything else."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        position = json.loads(base64.b64decode(padded.encode(), altchars=b"-_", validate=True))
    except (binascii.Error, UnicodeError, ValueError, RecursionError):
        position = None
    fits = isinstance(position, list) and len(position) == len(types)
    if not fits or not all(_has_type(part, kind) for part, kind in zip(position, types, strict=True)):
        raise unknown_cursor()
    return list(position)


def unknown_cursor() -> InvalidArgument:
    return InvalidArgument.at("cursor", "must be a cursor from an earlier page of the same list")


def cursor_before(number: int) -> str:
    """Of the page before the one that begins with this number. Names its direction, so that no other list goes on
    from it."""
    return encode_cursor(number, "newest")


def read_cursor_before(cursor: str) -> int:
    number: int
    number, direction = decode_cursor(cursor, int, str)
    if direction != "newest":
        raise unknown_cursor()
    return number


def _has_type(part: Any, kind: type) -> bool:
    """No store holds a larger integer, so no cursor of ours contains one."""
    return type(part) is kind and (not isinstance(part, int) or -(2**62) < part < 2**62)
