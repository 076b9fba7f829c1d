"""Headers that many requests have alike, kept once: a thousand requests that wait would keep a kilobyte more each."""

from functools import lru_cache
from typing import Final

Header = tuple[bytes, bytes]
_MAX_VALUE: Final = 200
_SECRET: Final = frozenset({b"authorization", b"proxy-authorization", b"cookie"})
"""Kept no longer than their request."""


def shared_header(name: bytes, value: bytes) -> Header:
    """The name in lower case, and the value as it is."""
    name = name.lower()
    return (name, value) if len(value) > _MAX_VALUE or name in _SECRET else _kept(name, value)


@lru_cache(maxsize=512)
def _kept(name: bytes, value: bytes) -> Header:
    return name, value
