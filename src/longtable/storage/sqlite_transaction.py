"""Statements on one SQLite connection, run to their end in the thread that owns it."""

import sqlite3
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, TypeVar

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Dialect, Row, UniqueViolation
from longtable.storage.statements import bind, parse

T = TypeVar("T")

_UNIQUE: Final = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_ROWID,
}
_CAUSES: Final = {
    sqlite3.SQLITE_BUSY: "Another process keeps the store busy.",
    sqlite3.SQLITE_LOCKED: "Another process keeps the store busy.",
    sqlite3.SQLITE_FULL: "The disk of the store is full.",
    sqlite3.SQLITE_IOERR: "The disk of the store reported an error.",
    sqlite3.SQLITE_READONLY: "The store may not be written.",
    sqlite3.SQLITE_CANTOPEN: "The store cannot be opened.",
    sqlite3.SQLITE_CORRUPT: "The file of the store is damaged.",
    sqlite3.SQLITE_NOTADB: "The file of the store is damaged.",
}


class StoreDamaged(StoreUnavailable):
    """SQLite found that the file is damaged."""


def translate(error: sqlite3.Error) -> Exception:
    """The failure in our words: the driver's may hold a path, a statement or a value."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code in _UNIQUE:
        return UniqueViolation("A row with this key exists already.")
    primary_code = code & 0xFF
    # Not an extended code: a damaged full-text index leaves the rest of the file usable.
    kind = StoreDamaged if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) else StoreUnavailable
    return kind(_CAUSES.get(primary_code, "The store refused a statement."), hint="Nothing was changed.")


def drive(awaitable: Awaitable[T]) -> T:
    """Runs a body to its end without an event loop. A body that suspends would block the store for all others."""
    steps = awaitable.__await__()
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # a generator's value is untyped; the body's is T
    steps.close()
    raise RuntimeError("A transaction body awaits nothing but its transaction; this one waited for something else.")


class SqliteTransaction:
    """One operation's statements. After a statement failed, the operation has failed, as on PostgreSQL."""

    __slots__ = ("_connection", "entries", "failure", "has_written", "scope")
    dialect: Dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection, scope: str) -> None:
        self._connection = connection
        self.scope = scope
        self.failure: Exception | None = None
        self.has_written = False
        self.entries: list[Any] = []

    async def execute(self, sql: str, **parameters: Any) -> int:
        cursor = self._run(sql, parameters)
        if cursor.description is not None:
            return len(self._fetch(cursor))
        return max(cursor.rowcount, 0)

    async def enqueue(self, sql: str, **parameters: Any) -> None:
        self._run(sql, parameters)

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        if self.failure is not None:
            self.require_sound()
        statement = parse(sql)
        self.has_written = True
        try:
            if len(rows) == 1:
                self._connection.execute(statement.positional, bind(self.scope, statement, rows[0]))
            else:
                self._connection.executemany(statement.positional, [bind(self.scope, statement, row) for row in rows])
        except sqlite3.Error as error:
            raise self._failed(error) from error

    async def first(self, sql: str, **parameters: Any) -> Row | None:
        cursor = self._run(sql, parameters)
        try:
            row = cursor.fetchone()
        except sqlite3.Error as error:
            raise self._failed(error) from error
        finally:
            cursor.close()
        if row is None:
            return None
        return {column[0]: value for column, value in zip(cursor.description, row, strict=True)}

    async def all(self, sql: str, **parameters: Any) -> list[Row]:
        cursor = self._run(sql, parameters)
        rows = self._fetch(cursor)
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]

    async def tuples(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return self._fetch(self._run(sql, parameters))

    def defer(self, entry: Any) -> None:
        self.entries.append(entry)

    def require_sound(self) -> None:
        if self.failure is not None:
            raise RuntimeError("A failed statement ends its operation; use ON CONFLICT to go on.") from self.failure

    def _run(self, sql: str, parameters: Mapping[str, Any]) -> sqlite3.Cursor:
        if self.failure is not None:
            self.require_sound()
        statement = parse(sql)
        if not statement.only_reads:
            self.has_written = True
        try:
            return self._connection.execute(statement.positional, bind(self.scope, statement, parameters))
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _fetch(self, cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
        try:
            return cursor.fetchall()
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _failed(self, error: sqlite3.Error) -> Exception:
        self.failure = translate(error)
        return self.failure
