"""Limits on what callers send. Text is stored exactly as sent or refused; nothing is cleaned up."""

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator

from longtable.kernel.clock import from_iso
from longtable.kernel.durations import parse_duration
from longtable.kernel.errors import CapacityLimitReached, InvalidArgument, PayloadTooLarge

MAX_DEPTH = 100
_UNITS = ("s", "m", "h", "d")
NUL_ESCAPE = "\\u0000"
"""NUL in a JSON text."""


def _storable(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold the character NUL")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("must be valid Unicode") from None
    return text


Text = Annotated[str, AfterValidator(_storable)]
"""Text that every store can keep: valid Unicode without NUL."""


def _moment(text: str) -> str:
    try:
        from_iso(text)
    except (ValueError, OverflowError):
        raise ValueError("must be a moment such as 2026-01-31T12:00:00Z") from None
    return text


Moment = Annotated[str, AfterValidator(_moment)]
"""A point in time in ISO 8601; without a zone it is UTC."""


def _moment_or_age(text: str) -> str:
    try:
        moment_of(text, 0)
    except (ValueError, OverflowError):
        raise ValueError("must be a moment such as 2026-01-31T12:00:00Z, or an age such as 15m, 24h, 7d") from None
    return text


MomentOrAge = Annotated[str, AfterValidator(_moment_or_age)]
"""A point in time, or how long ago it was; `moment_of` reads it."""


def moment_of(text: str, now: int) -> int:
    """Raises ValueError or OverflowError for what is neither."""
    return max(0, now - parse_duration(text, "s")) if is_age(text) else from_iso(text)


def is_age(text: str) -> bool:
    return text[-1:] in _UNITS


def check_nul(field: str, value: Any, text: str) -> None:
    """Refuses NUL in any text of a JSON value, which `text` has as JSON: no store keeps it, and many programs take it
    for the end."""
    if NUL_ESCAPE in text and (found := _path_of_nul(field, value)) is not None:
        raise InvalidArgument.at(found, "must not hold the character NUL")


def _path_of_nul(path: str, value: Any) -> str | None:
    if isinstance(value, str):
        return path if "\0" in value else None
    if isinstance(value, dict):
        if any("\0" in name for name in value):
            return path
        parts: Iterable[tuple[Any, Any]] = value.items()
    else:
        parts = enumerate(value) if isinstance(value, list | tuple) else ()
    found = (_path_of_nul(f"{path}.{name}".lstrip("."), part) for name, part in parts)
    return next((place for place in found if place is not None), None)


def check_bytes(field: str, text: str, limit: int) -> None:
    size = len(text.encode())
    if size > limit:
        raise _too_large(field, size, limit, "bytes")


def check_characters(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise _too_large(field, len(text), limit, "characters")


def check_count(field: str, items: Sequence[Any], limit: int) -> None:
    if len(items) > limit:
        raise CapacityLimitReached(
            f"{field}: {len(items)} items; at most {limit} are allowed.", field=field, size=len(items), limit=limit
        )


def check_json(field: str, value: Any, limit: int) -> None:
    """Refuses what is not JSON, too large, or nested more deeply than a response can show."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (ValueError, RecursionError):
        problem = "must be JSON: finite numbers, valid Unicode, not nested too deeply"
        raise InvalidArgument.at(field, problem) from None
    if size > limit:
        raise _too_large(field, size, limit, "bytes")
    check_nul(field, value, text)
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [each for part in level for each in _children(part)]
        if not level:
            return
    raise InvalidArgument.at(field, f"must not be nested more than {MAX_DEPTH} levels deep")


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list | tuple) else ()


def _too_large(field: str, size: int, limit: int, unit: str) -> PayloadTooLarge:
    return PayloadTooLarge(f"{field}: {size} {unit}; at most {limit} are allowed.", field=field, size=size, limit=limit)
