"""The embedded store as a source or a target of a copy. Whoever else has the file open keeps it from being one."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self

from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage import sqlite_file
from longtable.storage.facts import SEARCH_INDEX, UNFINISHED_COPY
from longtable.storage.file_lock import FileLock
from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.sqlite_upgrade import prepare
from longtable.storage.store_copy import DERIVED, CopiedTable, CopyProgress, CopySource, CopyTarget, Key, StoredRow

UNFINISHED_SUFFIX: Final = ".unfinished"
_PATIENCE_SECONDS: Final = 2.0
_TABLES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class SqliteSource(CopySource):
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Raises ConfigError for a file that another process has open, or of another schema."""
        sqlite_file.refuse_foreign(path)
        latest = Migrations(MIGRATIONS, "sqlite").latest
        with _refusing(path):
            connection = _alone(path)
            try:
                version = sqlite_file.read_version(connection)
                if version != latest:
                    raise ConfigError(
                        f"{path} has schema {version}; this Longtable copies schema {latest}.",
                        hint="A start of this Longtable on it ('longtable serve') brings an older one up to date.",
                    )
            except BaseException:
                connection.close()
                raise
        return cls(connection)

    async def tables(self) -> dict[str, CopiedTable]:
        names = [str(name) for (name,) in self._connection.execute(_TABLES)]
        # A full-text table has tables of its own beside it.
        return {name: self._table(name) for name in names if name.partition("_fts")[0] not in DERIVED}

    async def count(self, table: CopiedTable) -> int:
        return int(self._connection.execute(table.count_sql()).fetchone()[0])

    async def page(self, table: CopiedTable, after: Key | None) -> list[StoredRow]:
        sql = table.page_sql(["?"] * len(after or ()))
        return table.normalized(self._connection.execute(sql, after or []).fetchall())

    async def close(self) -> None:
        self._connection.close()

    def _table(self, name: str) -> CopiedTable:
        columns = self._connection.execute(f'PRAGMA table_info("{name}")').fetchall()
        parts = sorted((place, column) for _, column, _, _, _, place in columns if place)
        binary = frozenset(column for _, column, kind, _, _, _ in columns if kind.upper() == "BLOB")
        return CopiedTable(name, tuple(each[1] for each in columns), tuple(column for _, column in parts), binary)


class SqliteTarget(SqliteSource, CopyTarget):
    """Under another name until it is whole: no server opens it by accident."""

    def __init__(self, connection: sqlite3.Connection, file: Path, unfinished: Path) -> None:
        super().__init__(connection)
        self._file, self._unfinished = file, unfinished

    @classmethod
    async def open(cls, path: Path) -> Self:
        for each in (path, Path(f"{path}-wal")):
            if each.exists():
                raise ConfigError(
                    f"There is a store already: {each}.", hint="Nothing was changed. Name an empty folder."
                )
        sqlite_file.ensure_folder(path.parent)
        unfinished = path.with_name(path.name + UNFINISHED_SUFFIX)
        with _refusing(unfinished):
            connection = _opened(unfinished)
        return cls(connection, path, unfinished)

    async def progress(self) -> CopyProgress | None:
        found = self._connection.execute("SELECT value FROM facts WHERE name = ?", [UNFINISHED_COPY]).fetchone()
        return None if found is None else CopyProgress.parse(found[0])

    async def add(self, table: CopiedTable, rows: Sequence[StoredRow], progress: CopyProgress) -> None:
        with self._transaction():
            self._connection.executemany(table.insert_sql(["?"] * len(table.columns)), rows)
            self._set_fact(UNFINISHED_COPY, progress.text())

    async def clear(self, table: CopiedTable, progress: CopyProgress) -> None:
        with self._transaction():
            self._connection.execute(table.clear_sql())
            self._set_fact(UNFINISHED_COPY, progress.text())

    async def finish(self) -> None:
        with self._transaction():
            self._set_fact(SEARCH_INDEX, "incomplete")
        # Without the log the one file is the whole store.
        self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        self._give_name()

    def _give_name(self) -> None:
        os.replace(self._unfinished, self._file)
        # Last, so that an interruption at any moment leaves a copy that can be continued, or a store.
        with contextlib.closing(sqlite_file.connect(self._file, "FULL")) as connection:
            connection.execute("DELETE FROM facts WHERE name = ?", [UNFINISHED_COPY])
        Path(f"{self._unfinished}.lock").unlink(missing_ok=True)

    def _set_fact(self, name: str, value: str) -> None:
        self._connection.execute(
            "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value],
        )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _refusing(self._unfinished):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise


def _alone(path: Path) -> sqlite3.Connection:
    """A connection that keeps all others out. Every open one of another process has a lock that stands against it."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE_SECONDS, isolation_level=None
    )
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def _opened(unfinished: Path) -> sqlite3.Connection:
    file_lock = FileLock(Path(f"{unfinished}.lock"))
    try:
        prepare(unfinished, file_lock, Migrations(MIGRATIONS, "sqlite"), "FULL").close()
    finally:
        file_lock.close()
    connection = _alone(unfinished)
    connection.execute("PRAGMA synchronous = FULL")
    return connection


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise ConfigError(
                f"{path} is in use by another process.",
                hint="Stop the servers on it, and the clients that start 'longtable' themselves, and run this again.",
            ) from error
        raise StoreUnavailable(f"{path} cannot be used ({error}).", hint="Look for free space and rights.") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be used ({error.strerror}).") from error
