"""The embedded store: one SQLite file, one writer thread, a few reader threads."""

import asyncio
import contextlib
import sqlite3
import time
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Self, TypeVar, cast

from longtable.kernel.errors import ConfigError, OutcomeUnknown, StoreUnavailable
from longtable.storage import sqlite_file
from longtable.storage.database import SYSTEM, Body, CommitHooks, Database, Dialect, Snapshot, StoreState
from longtable.storage.facts import set_fact
from longtable.storage.file_lock import FileLock
from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.sqlite_file import Synchronous
from longtable.storage.sqlite_identity import StoreFiles
from longtable.storage.sqlite_lookups import Lookups
from longtable.storage.sqlite_readers import Readers
from longtable.storage.sqlite_snapshot import open_snapshot
from longtable.storage.sqlite_space import require_writable, space_facts
from longtable.storage.sqlite_transaction import translate
from longtable.storage.sqlite_upgrade import prepare
from longtable.storage.sqlite_writer import Writer

T = TypeVar("T")

FRESH_SECONDS = 1.0
"""A commit this recent proves that the store can be written."""
ERASE_SECONDS = 3.0
_BETWEEN_CHECKPOINTS = 0.02


class SqliteDatabase(Database):
    """Any number of processes may open the same file at once; their writes take turns."""

    def __init__(self, files: StoreFiles, writer: Writer, readers: Readers) -> None:
        self._path = files.path
        self._files = files
        self._writer = writer
        self._readers = readers
        self._lookups = Lookups(files)

    @classmethod
    async def open(
        cls,
        path: Path,
        hooks: CommitHooks,
        *,
        synchronous: Synchronous = "FULL",
        readers: int = 2,
        migrations: Path = MIGRATIONS,
    ) -> Self:
        """Creates or upgrades the file as needed. Raises ConfigError for a file that is damaged, of another
        program or of a newer Longtable, and leaves it as it is."""
        connection, file_lock = await asyncio.to_thread(_open_file, path, synchronous, migrations)
        files = StoreFiles(path)
        return cls(files, Writer(connection, file_lock, hooks, files), Readers(files, readers))

    @property
    def dialect(self) -> Dialect:
        return "sqlite"

    async def write(self, scope: str, body: Body[T]) -> T:
        return cast(T, await self._writer.submit(scope, body))

    append = write

    async def read(self, scope: str, body: Body[T]) -> T:
        return cast(T, await self._readers.read(scope, body))

    async def look_up(self, scope: str, body: Body[T]) -> T:
        return cast(T, self._lookups.look_up(scope, body))

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        return open_snapshot(self._path)

    def revision(self) -> int | None:
        return self._lookups.revision()

    async def foreign_commits(self) -> int:
        """A number that changes when another process has committed; only to be compared with the last one."""
        return cast(int, await self._writer.query(_data_version))

    async def backup(self, target: Path) -> None:
        """Writes a consistent copy of the store to `target`, beside running readers and writers."""
        await asyncio.to_thread(_copy, self._path, target)

    def looks_changed(self) -> bool:
        return self._files.looks_changed()

    async def check(self) -> StoreState:
        facts = await asyncio.to_thread(space_facts, self._path)
        is_fresh = time.monotonic() - self._writer.committed_at < FRESH_SECONDS
        if is_fresh and not (self._writer.is_failing or self._files.looks_changed()):
            return StoreState(None, facts)
        try:
            if self._writer.is_failing:
                await self.write(SYSTEM, partial(set_fact, name="probe", value=""))
            await asyncio.to_thread(require_writable, self._path, self._files.require_header)
            # The writer thread must be alive as well, and able to get the lock.
            await self._writer.query_locked(lambda _: None)
        except (StoreUnavailable, OutcomeUnknown) as error:
            return StoreState(error.message, facts)
        return StoreState(None, facts)

    async def erase_traces(self) -> bool:
        return bool(await self._writer.query_locked(_truncate_wal))

    async def close(self) -> None:
        self._lookups.close()
        await self._readers.close()
        await self._writer.close()


def _open_file(path: Path, synchronous: Synchronous, folder: Path) -> tuple[sqlite3.Connection, FileLock]:
    sqlite_file.ensure_folder(path.parent)
    # Before the lock file: nothing is created beside another program's file.
    sqlite_file.refuse_foreign(path)
    try:
        file_lock = FileLock(path.with_name(f"{path.name}.lock"))
        try:
            return prepare(path, file_lock, Migrations(folder, "sqlite"), synchronous), file_lock
        except BaseException:
            file_lock.close()
            raise
    except sqlite3.Error as error:
        raise translate(error) from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be written ({error.strerror}).", hint="Name a folder you own.") from error


def _copy(path: Path, target: Path) -> None:
    try:
        with contextlib.closing(sqlite_file.connect_reader(path)) as connection:
            sqlite_file.copy_store(connection, target)
    except sqlite3.Error as error:
        raise translate(error) from error


def _truncate_wal(connection: sqlite3.Connection) -> bool:
    # Deleted rows are overwritten as they go (secure_delete); only the log still holds the pages from before. All
    # writers wait meanwhile, so this waits less for a reader than usual.
    deadline = time.monotonic() + ERASE_SECONDS
    try:
        connection.execute(f"PRAGMA busy_timeout = {ERASE_SECONDS * 1000:.0f}")
        while not _is_truncated(connection):
            # SQLite waits for readers, but not for another checkpoint: that of a process which ends, for example.
            if time.monotonic() >= deadline:
                return False
            time.sleep(_BETWEEN_CHECKPOINTS)
    except sqlite3.OperationalError:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {sqlite_file.BUSY_SECONDS * 1000:.0f}")
    return True


def _is_truncated(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)


def _data_version(connection: sqlite3.Connection) -> int:
    # On the writer's own connection the pragma counts only the commits of others.
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
