from __future__ import annotations

from dataclasses import dataclass, field
from typing import (
    Any,
    ClassVar,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    name: str
    tags: list[str] = field(default_factory=list)
    limit: ClassVar[int] = 10

    @property
    def size(self) -> int: return len(self.tags)


counter = 0


def bump() -> Any:
    global counter
    counter += 1

    def inner():
        nonlocal_value = counter
        return nonlocal_value
    del counter
    return inner
