"""The store that replicas share: PostgreSQL through asyncpg. Imported only when the store is a postgresql:// URL."""

import asyncio
import hashlib
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar, cast

import asyncpg

from longtable.kernel.background import BackgroundTasks
from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage.database import SYSTEM, Body, CommitHooks, Database, Dialect, Snapshot, StoreState
from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.postgres_connection import PostgresAddress, TenantConnection, connect, open_pool
from longtable.storage.postgres_outcome import Outcomes
from longtable.storage.postgres_snapshot import open_snapshot
from longtable.storage.postgres_transaction import (
    DRIVER_ERRORS,
    PostgresTransaction,
    Unreachable,
    is_open,
    terminate,
    translated,
)
from longtable.storage.postgres_upgrade import upgrade
from longtable.storage.postgres_wakeups import Connect, PostgresNotifications
from longtable.storage.postgres_writer import PostgresWriter, WriterParts

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

T = TypeVar("T")

READ_SECONDS: Final = 9.0
CHECK_SECONDS: Final = 1.2
FRESH_SECONDS: Final = 1.0
"""A commit this recent proves that the store can be written."""
_STATE: Final = """SELECT current_setting('server_version') AS version,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS read_only"""
_REFUSED: Final = (
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
)


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """`connections` is how many the process may keep, with the one that listens. `direct_url` is the address of the
    server itself, where that of the store is a pooler's."""

    connections: int = 8
    has_pooler: bool = False
    direct_url: str | None = None


class PostgresDatabase(Database):
    """Any number of replicas may open the same schema; the writes of one tenant are serial among all of them."""

    def __init__(
        self, pool: "asyncpg.Pool[asyncpg.Record]", writer: PostgresWriter, wakeups: PostgresNotifications
    ) -> None:
        self._pool = pool
        self._writer = writer
        self._wakeups = wakeups

    @classmethod
    async def open(
        cls,
        url: str,
        hooks: CommitHooks,
        *,
        options: PostgresOptions | None = None,
        migrations: Path = MIGRATIONS,
        background: BackgroundTasks | None = None,
    ) -> Self:
        """Upgrades the schema as needed. Raises ConfigError for a login, server or schema that will not do,
        StoreUnavailable when nothing answers."""
        options = options or PostgresOptions()
        address = PostgresAddress(url, options.has_pooler)
        pool_size = max(1, options.connections - 1)
        pool = await _open_pool(address, pool_size)
        try:
            with translated():
                async with pool.acquire() as connection:
                    schema = await _upgrade(connection, Migrations(migrations, "postgres"))
        except BaseException:
            pool.terminate()
            raise
        background = background or BackgroundTasks()
        # Two are left for readers, while writers wait for locks of another replica.
        writer = PostgresWriter(
            pool, hooks, schema, WriterParts(max(1, pool_size - 2), background, Outcomes(partial(connect, address)))
        )
        return cls(pool, writer, PostgresNotifications(_direct(address, options), _channel(schema), background))

    @property
    def dialect(self) -> Dialect:
        return "postgres"

    async def write(self, scope: str, body: Body[T]) -> T:
        return cast(T, await self._writer.write(scope, body))

    async def append(self, scope: str, body: Body[T]) -> T:
        return cast(T, await self._writer.append(scope, body))

    async def read(self, scope: str, body: Body[T]) -> T:
        return await self._read_within(READ_SECONDS, scope, body)

    async def _read_within(self, seconds: float, scope: str, body: Body[T]) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await self._read(scope, body)
        except TimeoutError as error:
            raise Unreachable("PostgreSQL did not answer in time.", hint="Try again later.") from error

    async def _read(self, scope: str, body: Body[T]) -> T:
        with translated():
            connection = await self._pool.acquire()
        try:
            with translated():
                # The pool's proxy forwards to the TenantConnection behind it.
                await cast(TenantConnection, connection).begin_reading(scope)
            return await body(PostgresTransaction(connection, scope))
        except (Unreachable, asyncio.CancelledError):
            # Lost, late or not needed: a cancel request would take as long again.
            terminate(connection)
            raise
        finally:
            with suppress(*DRIVER_ERRORS):
                if is_open(connection):
                    await cast(TenantConnection, connection).end_reading()
            with translated():
                await self._pool.release(connection)

    async def look_up(self, scope: str, body: Body[T]) -> T:
        return await self.read(scope, body)

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        return open_snapshot(self._pool)

    @property
    def hears_others(self) -> bool:
        return self._wakeups.is_listening

    def revision(self) -> int | None:
        return None

    async def listen(self, on_wakeup: Callable[[str], None]) -> None:
        """Calls `on_wakeup` with each payload that another replica sent with `wake`, and with an empty one when any
        may have been missed."""
        with translated():
            await self._wakeups.listen(on_wakeup)

    def wake(self, payload: str) -> None:
        """Wakes the other replicas soon: at once, or together with what follows within some milliseconds."""
        self._wakeups.wake(payload)

    async def check(self) -> StoreState:
        facts: dict[str, int | str] = {"connections": self._pool.get_size()}
        if time.monotonic() - self._writer.committed_at < FRESH_SECONDS:
            return StoreState(None, facts)
        try:
            row = await self._read_within(CHECK_SECONDS, SYSTEM, lambda tx: tx.first(_STATE))
        except StoreUnavailable as error:
            return StoreState(error.message, facts)
        assert row is not None
        problem = "PostgreSQL takes no changes at the moment: it is read-only." if row["read_only"] else None
        return StoreState(problem, {**facts, "server_version": row["version"]})

    async def erase_traces(self) -> bool:
        """Nothing to do: the server's files, and when their dead rows go, are its administrator's."""
        return True

    async def close(self) -> None:
        await self._writer.close()
        await self._wakeups.close()
        try:
            async with asyncio.timeout(5):
                await self._pool.close()
        except DRIVER_ERRORS:
            self._pool.terminate()


async def _open_pool(address: PostgresAddress, size: int) -> "asyncpg.Pool[asyncpg.Record]":
    try:
        return await open_pool(address, size)
    except (ValueError, *_REFUSED) as error:
        raise ConfigError(
            "The PostgreSQL store refused the login, or its URL is not one.",
            hint="Check the form postgresql://user:password@host:port/database, and that all of them exist.",
        ) from error
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(
            "The PostgreSQL store cannot be reached.", hint="Check host and port of the store URL, and that it runs."
        ) from error


async def _upgrade(connection: "PostgresConnection", migrations: Migrations) -> str:
    local_settings = cast(TenantConnection, connection).local_settings
    if not local_settings:
        return await upgrade(connection, migrations)
    async with connection.transaction(isolation="read_committed"):
        await connection.execute(local_settings)
        return await upgrade(connection, migrations)


def _direct(address: PostgresAddress, options: PostgresOptions) -> Connect | None:
    """How to connect to the server itself; None where only the pooler's address is known."""
    if not options.has_pooler:
        return partial(connect, address)
    return None if options.direct_url is None else partial(connect, PostgresAddress(options.direct_url))


def _channel(schema: str) -> str:
    # Notifications reach a whole database; the schema keeps two stores in one database apart.
    return "longtable_" + hashlib.blake2b(schema.encode(), digest_size=8).hexdigest()
