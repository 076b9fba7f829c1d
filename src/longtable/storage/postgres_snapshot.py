"""One moment of the PostgreSQL store, for as long as somebody reads it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar, cast

from longtable.storage.database import SYSTEM, Body, Snapshot
from longtable.storage.postgres_buffer import literal
from longtable.storage.postgres_connection import TenantConnection
from longtable.storage.postgres_transaction import DRIVER_ERRORS, PostgresTransaction, is_open, terminate, translated

if TYPE_CHECKING:
    import asyncpg

    from longtable.storage.postgres_buffer import PostgresConnection

T = TypeVar("T")

IDLE_SECONDS: Final = 60
"""How long its reader may take with what it has read, before the server ends it."""


@dataclass(frozen=True, slots=True)
class PostgresSnapshot(Snapshot):
    connection: "PostgresConnection"

    async def read(self, scope: str, body: Body[T]) -> T:
        with translated():
            await self.connection.execute(f"SET LOCAL longtable.tenant = {literal(scope)}")
        return await body(PostgresTransaction(self.connection, scope))


@asynccontextmanager
async def open_snapshot(pool: "asyncpg.Pool[asyncpg.Record]") -> AsyncIterator[PostgresSnapshot]:
    with translated():
        connection = await pool.acquire()
    try:
        with translated():
            await connection.execute(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
                f"{cast(TenantConnection, connection).local_settings}"
                f"SET LOCAL idle_in_transaction_session_timeout = '{IDLE_SECONDS}s';"
                f"SET LOCAL longtable.tenant = {literal(SYSTEM)}"
            )
            # The first statement that reads is the moment that all others see.
            await connection.execute("SELECT name FROM facts LIMIT 1")
        yield PostgresSnapshot(connection)
    except BaseException:
        # A reader that was cancelled may have left a statement behind.
        terminate(connection)
        raise
    finally:
        with suppress(*DRIVER_ERRORS):
            if is_open(connection):
                await connection.execute("ROLLBACK")
        with translated():
            await pool.release(connection)
