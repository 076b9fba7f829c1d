"""A PostgreSQL store as a source or a target of a copy."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

import asyncpg

from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage.facts import SEARCH_INDEX, UNFINISHED_COPY
from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.postgres_transaction import DRIVER_ERRORS, translate
from longtable.storage.postgres_upgrade import upgrade
from longtable.storage.store_copy import DERIVED, CopiedTable, CopyProgress, CopySource, CopyTarget, Key, StoredRow

_CONNECT_SECONDS: Final = 10
_LOCK_PATIENCE: Final = "5s"
_MIGRATIONS_TABLE: Final = "schema_migrations"
_TABLES: Final = """SELECT relname FROM pg_catalog.pg_class
    WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p') ORDER BY relname"""
_COLUMNS: Final = """SELECT attname AS name, atttypid = 'bytea'::regtype AS is_binary,
        (SELECT array_position(indkey::int2[], attnum) FROM pg_catalog.pg_index
         WHERE indrelid = attrelid AND indisprimary) AS place
    FROM pg_catalog.pg_attribute
    WHERE attrelid = quote_ident($1)::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""
_SET_FACT: Final = """INSERT INTO facts (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
_SCHEMA_LOCK: Final = "SELECT pg_try_advisory_lock(hashtext('longtable copy'), hashtext(current_schema()))"


class PostgresSource(CopySource):
    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    @classmethod
    async def open(cls, url: str) -> Self:
        """One snapshot. Until it is closed, every write of a server waits, and fails after some seconds."""
        connection = await _connected(url)
        try:
            names = await _table_names(connection)
            _require_latest(await _schema_of(connection, names))
            listed = ", ".join(f'"{name}"' for name in names)
            with _refusing():
                await connection.execute(f"SET lock_timeout = '{_LOCK_PATIENCE}'")
                await connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
                await connection.execute(f"LOCK TABLE {listed} IN SHARE MODE")
        except BaseException:
            connection.terminate()
            raise
        return cls(connection)

    async def tables(self) -> dict[str, CopiedTable]:
        with _refusing():
            names = await _table_names(self._connection)
            return {name: await self._table(name) for name in names if name not in {*DERIVED, _MIGRATIONS_TABLE}}

    async def count(self, table: CopiedTable) -> int:
        with _refusing():
            return int(await self._connection.fetchval(table.count_sql()))

    async def page(self, table: CopiedTable, after: Key | None) -> list[StoredRow]:
        with _refusing():
            sql = table.page_sql(_numbered(len(after or ())))
            return table.normalized(map(tuple, await self._connection.fetch(sql, *(after or ()))))

    async def close(self) -> None:
        with contextlib.suppress(*DRIVER_ERRORS):
            await self._connection.close(timeout=_CONNECT_SECONDS)

    async def _table(self, name: str) -> CopiedTable:
        columns = await self._connection.fetch(_COLUMNS, name)
        key = sorted((each["place"], each["name"]) for each in columns if each["place"] is not None)
        binary = frozenset(each["name"] for each in columns if each["is_binary"])
        names = tuple(each["name"] for each in columns)
        return CopiedTable(name, names, tuple(column for _, column in key), binary)


class PostgresTarget(PostgresSource, CopyTarget):
    @classmethod
    async def open(cls, url: str) -> Self:
        """Makes the tables in a schema that has none. Raises ConfigError for one with tables of another program or of
        another version of ours."""
        connection = await _connected(url)
        try:
            with _refusing():
                if not await connection.fetchval(_SCHEMA_LOCK):
                    raise ConfigError("Another 'longtable migrate' fills this target.", hint="Wait for it, or stop it.")
                names = await _table_names(connection)
                if names:
                    _require_latest(await _schema_of(connection, names))
                await upgrade(connection, Migrations(MIGRATIONS, "postgres"))
        except BaseException:
            connection.terminate()
            raise
        return cls(connection)

    async def progress(self) -> CopyProgress | None:
        with _refusing():
            found = await self._connection.fetchval("SELECT value FROM facts WHERE name = $1", UNFINISHED_COPY)
        return None if found is None else CopyProgress.parse(found)

    async def add(self, table: CopiedTable, rows: Sequence[StoredRow], progress: CopyProgress) -> None:
        with _refusing():
            async with self._connection.transaction():
                await self._connection.executemany(table.insert_sql(_numbered(len(table.columns))), rows)
                await self._connection.execute(_SET_FACT, UNFINISHED_COPY, progress.text())

    async def clear(self, table: CopiedTable, progress: CopyProgress) -> None:
        with _refusing():
            async with self._connection.transaction():
                await self._connection.execute(table.clear_sql())
                await self._connection.execute(_SET_FACT, UNFINISHED_COPY, progress.text())

    async def finish(self) -> None:
        with _refusing():
            async with self._connection.transaction():
                await self._connection.execute(_SET_FACT, SEARCH_INDEX, "incomplete")
                await self._connection.execute("DELETE FROM facts WHERE name = $1", UNFINISHED_COPY)
            # What PostgreSQL knows of the tables is from when they were empty.
            await self._connection.execute("ANALYZE")


async def _connected(url: str) -> "asyncpg.Connection[asyncpg.Record]":
    settings = {"application_name": "longtable migrate", "jit": "off", "longtable.tenant": "*"}
    try:
        return await asyncpg.connect(url, timeout=_CONNECT_SECONDS, server_settings=settings)
    except (ValueError, asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError) as error:
        raise ConfigError(
            "PostgreSQL refused the login, or its URL is not one.",
            hint="Check the form postgresql://user:password@host:port/database, and that all of them exist.",
        ) from error
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(
            "PostgreSQL cannot be reached.", hint="Check host and port of the URL, and that it runs."
        ) from error


async def _table_names(connection: Any) -> list[str]:
    return [str(each["relname"]) for each in await connection.fetch(_TABLES)]


async def _schema_of(connection: Any, names: Sequence[str]) -> int | None:
    """None for tables that are not ours."""
    if _MIGRATIONS_TABLE not in names or "audit_heads" not in names:
        return None
    try:
        return int(await connection.fetchval(f"SELECT coalesce(max(number), 0) FROM {_MIGRATIONS_TABLE}"))
    except asyncpg.UndefinedColumnError:
        return None


def _require_latest(schema: int | None) -> None:
    latest = Migrations(MIGRATIONS, "postgres").latest
    if schema is None:
        raise ConfigError(
            "The schema in PostgreSQL holds no Longtable store, but tables of another program, or nothing.",
            hint="Nothing was changed. Name another database, or a schema of its own with ?search_path=NAME.",
        )
    if schema != latest:
        raise ConfigError(
            f"The store in PostgreSQL has schema {schema}; this Longtable copies schema {latest}.",
            hint="A start of this Longtable on it ('longtable serve') brings an older one up to date.",
        )


def _numbered(count: int) -> list[str]:
    return [f"${number}" for number in range(1, count + 1)]


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except asyncpg.LockNotAvailableError as error:
        raise ConfigError(
            "Somebody writes to the source at this moment.", hint="Stop the servers on it and run this again."
        ) from error
    except DRIVER_ERRORS as error:
        raise translate(error) from error
