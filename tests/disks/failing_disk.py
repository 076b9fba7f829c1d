"""A disk of which one change fails, and each after it until it is repaired."""

from dataclasses import dataclass
from typing import Final

from tests.disks.watched_disk import (
    SQLITE_FULL,
    SQLITE_IOERR_FSYNC,
    SQLITE_IOERR_TRUNCATE,
    SQLITE_IOERR_WRITE,
    SQLITE_OK,
    SQLITE_READONLY,
    SWALLOWED,
)


@dataclass(frozen=True)
class Fault:
    """The error for a write, and for a sync or another change. A disk that is full can still sync."""

    name: str
    write: int
    sync: int
    truncate: int


FULL: Final = Fault("full", SQLITE_FULL, SQLITE_OK, SQLITE_OK)
BROKEN: Final = Fault("broken", SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE)
FORGETFUL: Final = Fault("forgetful", SWALLOWED, SQLITE_OK, SQLITE_OK)
"""It says that it has written, and has not."""
READ_ONLY: Final = Fault("read-only", SQLITE_READONLY, SQLITE_OK, SQLITE_READONLY)


@dataclass
class FailingDisk:
    fault: Fault
    fails_at: int | None = None
    """The number of the first change that fails, counted from now."""
    changes: int = 0
    failures: int = 0

    def break_at(self, number: int) -> None:
        self.fails_at, self.changes = number, 0

    def repair(self) -> None:
        self.fails_at = None

    def write(self, name: str, data: bytes, offset: int) -> int:
        return self._result(self.fault.write)

    def truncate(self, name: str, size: int) -> int:
        return self._result(self.fault.truncate)

    def sync(self, name: str) -> int:
        return self._result(self.fault.sync)

    def delete(self, name: str) -> int:
        return SQLITE_OK

    def synced(self, name: str) -> None:
        pass

    def _result(self, error: int) -> int:
        self.changes += 1
        if self.fails_at is None or self.changes < self.fails_at:
            return SQLITE_OK
        self.failures += error != SQLITE_OK
        return error
