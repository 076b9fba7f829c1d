"""Statements on one PostgreSQL connection, and the driver's failures in our words."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Dialect, Row, UniqueViolation
from longtable.storage.postgres_buffer import StatementBuffer
from longtable.storage.statements import Statement, bind, parse

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

DRIVER_ERRORS: Final = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
_PASSING: Final = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.InvalidCachedStatementError,
)
_UNREACHABLE: Final = (
    OSError,
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
)


class Unreachable(StoreUnavailable):
    """The connection is lost or unusable: nothing that it has begun will be committed."""


class Collision(StoreUnavailable):
    """A deadlock or a serialization failure: run again, this transaction will pass."""


def translate(error: BaseException) -> Exception:
    """The failure in our words: the driver's may hold a host, a statement or a value."""
    if isinstance(error, asyncpg.UniqueViolationError):
        return UniqueViolation("A row with this key exists already.")
    if isinstance(error, _PASSING):
        return Collision("Another transaction stood in the way.", hint="Nothing was changed; try again.")
    if isinstance(error, asyncpg.LockNotAvailableError):
        return StoreUnavailable("Another process keeps the store busy.", hint="Nothing was changed; try again.")
    if isinstance(error, asyncpg.DataError):
        return StoreUnavailable("The store refused a value.", hint="Nothing was changed.")
    if isinstance(error, _UNREACHABLE):
        return Unreachable("The store cannot be reached.", hint="Nothing was changed. Check that PostgreSQL runs.")
    return StoreUnavailable("The store refused a statement.", hint="Nothing was changed.")


def is_open(connection: "PostgresConnection") -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:
        # The pool has taken back a connection that was lost.
        return False


def terminate(connection: "PostgresConnection") -> None:
    """Closes the socket at once, without a message to the server."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()


@contextmanager
def translated() -> Iterator[None]:
    try:
        yield
    except DRIVER_ERRORS as error:
        raise translate(error) from error


def affected(status: str) -> int:
    """How many rows: the status is "INSERT 0 3", "UPDATE 3" or "CREATE TABLE"."""
    count = status.rpartition(" ")[2]
    return int(count) if count.isdigit() else 0


class PostgresTransaction:
    """One operation's statements. After a statement failed, the server refuses all others of its transaction. Without a
    buffer nothing is enqueued: every statement is run at once."""

    __slots__ = ("_buffer", "_connection", "entries", "failure", "has_written", "scope")

    def __init__(self, connection: "PostgresConnection", scope: str, buffer: StatementBuffer | None = None) -> None:
        self._connection = connection
        self.scope = scope
        self._buffer = buffer
        self.failure: Exception | None = None
        self.has_written = False
        self.entries: list[Any] = []

    @property
    def dialect(self) -> Dialect:
        return "postgres"

    async def execute(self, sql: str, **parameters: Any) -> int:
        statement, values = self._prepare(sql, parameters)
        with self._translating():
            await self._flush()
            status = await self._connection.execute(statement.numbered, *values)
        return affected(status)

    async def enqueue(self, sql: str, **parameters: Any) -> None:
        statement, values = self._prepare(sql, parameters)
        with self._translating():
            await self._add(statement, [values])

    async def execute_many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        prepared = [self._prepare(sql, row)[1] for row in rows]
        with self._translating():
            await self._add(parse(sql), prepared)

    async def first(self, sql: str, **parameters: Any) -> Row | None:
        statement, values = self._prepare(sql, parameters)
        with self._translating():
            await self._flush()
            record = await self._connection.fetchrow(statement.numbered, *values)
        return None if record is None else dict(record)

    async def all(self, sql: str, **parameters: Any) -> list[Row]:
        return [dict(record) for record in await self._fetch(sql, parameters)]

    async def tuples(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        return [tuple(record) for record in await self._fetch(sql, parameters)]

    def defer(self, entry: Any) -> None:
        self.entries.append(entry)

    def require_sound(self) -> None:
        if self.failure is not None:
            raise RuntimeError("A failed statement ends its operation; use ON CONFLICT to go on.") from self.failure

    async def _fetch(self, sql: str, parameters: Mapping[str, Any]) -> "list[asyncpg.Record]":
        statement, values = self._prepare(sql, parameters)
        with self._translating():
            await self._flush()
            return await self._connection.fetch(statement.numbered, *values)

    async def _add(self, statement: Statement, rows: list[list[Any]]) -> None:
        if self._buffer is not None:
            # Behind all others: only operations that run side by side may pass each other.
            self._buffer.add(statement, rows, max(0, len(self._buffer) - 1))
        elif len(rows) == 1:
            await self._connection.execute(statement.numbered, *rows[0])
        else:
            await self._connection.executemany(statement.numbered, rows)

    async def _flush(self) -> None:
        if self._buffer:
            await self._buffer.send(self._connection)

    def _prepare(self, sql: str, parameters: Mapping[str, Any]) -> tuple[Statement, list[Any]]:
        self.require_sound()
        statement = parse(sql)
        self.has_written = self.has_written or not statement.only_reads
        return statement, bind(self.scope, statement, parameters)

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except DRIVER_ERRORS as error:
            self.failure = translate(error)
            raise self.failure from error
