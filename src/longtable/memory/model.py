"""One remembered value, and its limits."""

from dataclasses import dataclass
from typing import Any

from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

MAX_VALUE_BYTES = 1_048_576
ACROSS_SESSIONS = ""
"""Stands for the session of what is kept across sessions."""


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    key: str
    session_id: str
    value: str
    version: int
    created_at: int
    updated_at: int
    expires_at: int | None

    @property
    def scope(self) -> str:
        return "global" if self.session_id == ACROSS_SESSIONS else "session"

    def stamp(self) -> "MemoryStamp":
        return MemoryStamp(
            key=self.key,
            scope=self.scope,
            version=self.version,
            created_at=to_iso(self.created_at),
            updated_at=to_iso(self.updated_at),
            expires_at=to_iso(self.expires_at) if self.expires_at else None,
            value_size=len(self.value.encode()),
        )


class MemoryStamp(Value):
    """An entry without its value."""

    key: str
    scope: str
    version: int
    created_at: str
    updated_at: str
    expires_at: str | None
    value_size: int


class MemorySet(Result):
    key: str
    scope: str
    version: int
    expires_at: str | None


class MemoryRead(LimitedResult):
    """A value that does not fit comes in parts: of a text, or of the JSON text of anything else."""

    key: str
    value: Any
    scope: str
    version: int
    created_at: str
    updated_at: str
    expires_at: str | None
    next_offset: int | None = omitted_if_none()


class MemoryList(LimitedResult):
    entries: list[MemoryStamp]
    count: int
    next_cursor: str | None


class MemoryDeleted(Result):
    key: str
    deleted: bool
