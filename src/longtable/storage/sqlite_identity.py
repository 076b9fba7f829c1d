"""Whether the files of the embedded store are still those that this process has open, changed by SQLite alone."""

import contextlib
import os
import sqlite3
import struct
import sys
import time
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from longtable.kernel.errors import StoreUnavailable
from longtable.kernel.logs import logger
from longtable.storage.sqlite_file import APPLICATION_ID, Header, connect_reader

if sys.platform == "linux":
    import fcntl

_SETTLE_SECONDS: Final = 1.0
_CHECK_SECONDS: Final = 5.0
_STEPS_BETWEEN_CHECKS: Final = 50_000
_HEADER_BYTES: Final = 100
_STAMP: Final = struct.Struct("<qq")
_FLOCK: Final = struct.Struct("hhqqi4x")
_CHECKPOINT_LOCK: Final = 121
"""The byte of the WAL index that SQLite locks during a checkpoint."""
_RESTART: Final = "Nothing was changed. Put the file back, or restart the server on the one that is there now."
_RESTORE: Final = "Nothing was changed. Stop the server and restore a backup."


class StoreFiles:
    """Checked around every commit, in the writer thread and under the writers' lock: it costs microseconds, and a write
    into a deleted file is lost.

    Only checkpoints write the file itself. Each process records in the lock file the stamp (time and size) of the file
    after its own checkpoint, so that an unrecorded stamp means a change by another program: then the contents are
    checked before anything more is acknowledged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._names = (str(path), f"{path}-wal", f"{path}-shm")
        self._stamp_file = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        self._file, self._shm = (_Descriptor.of(self._names[index]) for index in (0, 2))
        self.problem: str | None = None
        """What is wrong with the file; it stays until a restart."""
        found = [_state_of(name) for name in self._names]
        self._ids = [file.id for file in found]
        self._stamp = found[0].stamp
        self._checkpoint = self._read_checkpoint()
        self._header = self._file.read(0, _HEADER_BYTES)

    def close(self) -> None:
        """After every connection of this store was closed."""
        self._file.release()
        self._shm.release()
        os.close(self._stamp_file)

    def report_damage(self, error: BaseException) -> None:
        """Called when SQLite found that the file is not sound."""
        if self.problem is None:
            self.problem = "The file of the store is damaged."
            logger.failed("store_damaged", error)

    def looks_changed(self) -> bool:
        """Whether an earlier check may be outdated; from any thread and without the writers' lock. A commit in progress
        looks the same, so True calls for a full check."""
        found = [_state_of(name) for name in self._names]
        if self.problem is not None or [file.id for file in found] != self._ids:
            return True
        return found[0].stamp not in (self._stamp, self._recorded_stamp())

    def require_same(self) -> None:
        """Raises StoreUnavailable when a file was deleted, replaced, or changed by another program."""
        stamp = self._require_known()
        if stamp != self._stamp:
            if stamp != self._recorded_stamp():
                self._check_contents()
            self._update_known(_state_of(self._names[0]).stamp)

    def require_same_after_commit(self) -> None:
        """The same after a commit, which may have run a checkpoint."""
        stamp = self._require_known()
        if stamp != self._stamp:
            if self._read_checkpoint() == self._checkpoint:
                self._check_contents()
            self._update_known(_state_of(self._names[0]).stamp)
            self._record_stamp()

    def require_same_path(self) -> None:
        """Before a new connection, from any thread."""
        if _state_of(self._names[0]).id != self._ids[0]:
            raise StoreUnavailable("The file of the store was deleted or replaced.", hint=_RESTART)

    def require_header(self) -> None:
        """Before a new connection: SQLite takes an empty file for a new one, and deletes its log."""
        header = Header.parse(self._file.read(0, _HEADER_BYTES))
        if self._header and (header is None or header.application_id != APPLICATION_ID):
            self._refuse("The file of the store is damaged.")

    def _require_known(self) -> tuple[int, int]:
        if self.problem is not None:
            raise StoreUnavailable(self.problem, hint=_RESTORE)
        # As few calls as possible: this happens twice for every commit.
        file, log, index = self._names
        try:
            found, of_log, of_index = _stat(file), _stat(log), _stat(index)
        except OSError:
            return self._require_known_slowly()
        ids = [(found.st_dev, found.st_ino), (of_log.st_dev, of_log.st_ino), (of_index.st_dev, of_index.st_ino)]
        if ids != self._ids:
            return self._require_known_slowly()
        return found.st_mtime_ns, found.st_size

    def _require_known_slowly(self) -> tuple[int, int]:
        found = [_state_of(name) for name in self._names]
        self._compare([file.id for file in found])
        return found[0].stamp

    def _compare(self, now: list[tuple[int, int] | None]) -> None:
        for index, (found, known) in enumerate(zip(now, self._ids, strict=True)):
            if known is None:
                # The log and its index are created with the first transaction.
                self._ids[index] = found
            elif found != known:
                what = "file" if index == 0 else "log"
                raise StoreUnavailable(f"The {what} of the store was deleted or replaced.", hint=_RESTART)

    def _check_contents(self) -> None:
        self.require_header()
        differs, size = self._differs()
        if differs or size < max(self._stamp[1], self._folded_bytes()) or not _is_sound(self.path):
            self._refuse("The file of the store was changed by another program.")
        logger.warning("store_file_touched")

    def _differs(self) -> tuple[bool, int]:
        """Whether the header or the size of the file changed without a checkpoint; and its size."""
        deadline = time.monotonic() + _SETTLE_SECONDS
        while True:
            # In this order: a checkpoint of another process writes the file, then its progress, then it unlocks.
            header, size = self._file.read(0, _HEADER_BYTES), _state_of(self._names[0]).stamp[1]
            is_under_way = self._shm.is_locked_elsewhere(_CHECKPOINT_LOCK)
            if self._read_checkpoint() != self._checkpoint:
                return False, size
            if not is_under_way or time.monotonic() > deadline:
                return (header, size) != (self._header, self._stamp[1]), size
            time.sleep(0.02)

    def _refuse(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            logger.warning("store_refused", problem=problem)
        raise StoreUnavailable(problem, hint=_RESTORE)

    def _update_known(self, stamp: tuple[int, int]) -> None:
        self._stamp = stamp
        self._checkpoint = self._read_checkpoint()
        self._header = self._file.read(0, _HEADER_BYTES)

    def _record_stamp(self) -> None:
        # It saves the other processes a full check, and nothing depends on it.
        with contextlib.suppress(OSError):
            _write_at_start(self._stamp_file, _STAMP.pack(*self._stamp))

    def _recorded_stamp(self) -> tuple[int, int] | None:
        raw = _read_at_start(self._stamp_file, _STAMP.size)
        if len(raw) < _STAMP.size:
            return None
        modified, size = _STAMP.unpack(raw)
        return modified, size

    def _folded_bytes(self) -> int:
        """The least size of the file after a complete checkpoint; 0 before that."""
        raw = self._shm.read(0, 100)
        if len(raw) < 100:
            return 0
        page_size, frames, pages = struct.unpack_from("=HII", raw, 14)
        (folded,) = struct.unpack_from("=I", raw, 96)
        return pages * (65536 if page_size == 1 else page_size) if folded == frames else 0

    def _read_checkpoint(self) -> bytes:
        """How far the checkpoint has come: salts of the log, frames copied, frames being copied."""
        return self._shm.read(32, 8) + self._shm.read(96, 4) + self._shm.read(128, 4)


class _Descriptor:
    """A file that is only read. It stays open as long as a store of this process has it open: closing any
    descriptor of a file releases all locks of the process on it, those of SQLite included."""

    _open: ClassVar[dict[tuple[int, int], "_Descriptor"]] = {}

    def __init__(self, fd: int | None, key: tuple[int, int]) -> None:
        self._fd = fd
        self._key = key
        self._users = 0

    @classmethod
    def of(cls, name: str) -> "_Descriptor":
        found = _state_of(name).id
        if found is None or sys.platform == "win32":
            # Locks work differently there.
            return cls(None, (0, 0))
        if found not in cls._open:
            cls._open[found] = cls(os.open(name, os.O_RDONLY), found)
        cls._open[found]._users += 1
        return cls._open[found]

    def read(self, offset: int, count: int) -> bytes:
        if self._fd is None or sys.platform == "win32":
            return b""
        return os.pread(self._fd, count, offset)

    def is_locked_elsewhere(self, offset: int) -> bool:
        """Whether another process holds the lock of this byte; True where that is unknown."""
        if self._fd is None or sys.platform != "linux":
            return True
        request = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, offset, 1, 0)
        try:
            kind: int = _FLOCK.unpack(fcntl.fcntl(self._fd, fcntl.F_GETLK, request))[0]
        except OSError:
            return True
        return kind != fcntl.F_UNLCK

    def release(self) -> None:
        self._users -= 1
        if self._fd is not None and self._users == 0:
            del self._open[self._key]
            os.close(self._fd)


if sys.platform == "win32":

    def _read_at_start(fd: int, count: int) -> bytes:
        os.lseek(fd, 0, os.SEEK_SET)
        return os.read(fd, count)

    def _write_at_start(fd: int, data: bytes) -> None:
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, data)
else:

    def _read_at_start(fd: int, count: int) -> bytes:
        return os.pread(fd, count, 0)

    def _write_at_start(fd: int, data: bytes) -> None:
        os.pwrite(fd, data, 0)


_stat: Final = os.stat


class _FileState(NamedTuple):
    """Which file it is, None for none; and when and how it was last changed."""

    id: tuple[int, int] | None
    stamp: tuple[int, int]


def _state_of(name: str) -> _FileState:
    try:
        found = os.stat(name)
    except OSError:
        return _FileState(None, (0, 0))
    return _FileState((found.st_dev, found.st_ino), (found.st_mtime_ns, found.st_size))


def _is_sound(path: Path) -> bool:
    """As far as a check of a few seconds finds."""
    deadline = time.monotonic() + _CHECK_SECONDS
    try:
        with contextlib.closing(connect_reader(path)) as connection:
            connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_BETWEEN_CHECKS)
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError as error:
        return bool(error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_INTERRUPT)
    except sqlite3.Error:
        return False
