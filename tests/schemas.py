"""Schemas of PostgreSQL that tests use one after the other: to empty one takes a twentieth of the time to make one."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote, urlsplit

import asyncpg

from longtable.log.ledger import LogHooks
from longtable.log.wakeups import Wakeups
from longtable.storage.postgres import PostgresDatabase

_SHAPE: Final = """SELECT array_agg(c.relkind::text || c.relname || ':' || coalesce(a.attname, '') ORDER BY 1)
    FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    WHERE c.relnamespace = $1::regnamespace"""
_TABLES: Final = "SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r'"
_RESTART: Final = """SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false) FROM pg_sequences
    WHERE schemaname = $1 AND last_value IS NOT NULL"""


@dataclass(frozen=True)
class PreparedSchema:
    """As it is after the first start of a server: its tables, and the rows that the migrations leave in them."""

    name: str
    shape: list[str]
    rows: dict[str, list[asyncpg.Record]]
    tables: list[str]


@dataclass(frozen=True)
class PostgresLogin:
    """An administrator, and a role without special rights, for which row-level security holds."""

    admin_url: str
    role: str
    password: str

    def url(self, schema: str) -> str:
        parts = urlsplit(self.admin_url)
        host = parts.netloc.rpartition("@")[2]
        options = f"{parts.query}&" if parts.query else ""
        login = f"{self.role}:{quote(self.password)}"
        return f"postgresql://{login}@{host}{parts.path}?{options}search_path={schema}"

    @cached_property
    def schemas(self) -> "PreparedSchemas":
        return PreparedSchemas(self)


async def administer(admin_url: str, statement: str) -> None:
    async with _connected(admin_url) as connection:
        await connection.execute(statement)


@asynccontextmanager
async def _connected(admin_url: str) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(admin_url)
    try:
        yield connection
    finally:
        await connection.close()


class PreparedSchemas:
    """The schemas of one server that no test uses just now."""

    def __init__(self, login: PostgresLogin) -> None:
        self._login = login
        self._free: list[PreparedSchema] = []

    @asynccontextmanager
    async def prepared(self) -> AsyncIterator[str]:
        """The name of one that is as after the first start of a server."""
        schema = self._free.pop() if self._free else await self._made()
        try:
            yield schema.name
        finally:
            if await self._emptied(schema):
                self._free.append(schema)

    @asynccontextmanager
    async def new(self) -> AsyncIterator[str]:
        """The name of one that no server has seen."""
        name = await self._created()
        try:
            yield name
        finally:
            await self._drop(name)

    async def drop_all(self) -> None:
        for schema in self._free:
            await self._drop(schema.name)

    async def _created(self) -> str:
        name = f"test_{secrets.token_hex(6)}"
        await administer(self._login.admin_url, f"CREATE SCHEMA {name} AUTHORIZATION {self._login.role}")
        return name

    async def _drop(self, name: str) -> None:
        await administer(self._login.admin_url, f"DROP SCHEMA {name} CASCADE")

    async def _made(self) -> PreparedSchema:
        name = await self._created()
        await (await PostgresDatabase.open(self._login.url(name), LogHooks(Wakeups()))).close()
        async with _connected(self._login.admin_url) as connection:
            tables = [row["relname"] for row in await connection.fetch(_TABLES, name)]
            rows = {table: await connection.fetch(f'SELECT * FROM {name}."{table}"') for table in tables}
            kept = {table: found for table, found in rows.items() if found}
            return PreparedSchema(name, await connection.fetchval(_SHAPE, name), kept, tables)

    async def _emptied(self, schema: PreparedSchema) -> bool:
        """A test that changed the tables themselves leaves nothing that another could use: then it is dropped."""
        async with _connected(self._login.admin_url) as connection:
            if await connection.fetchval(_SHAPE, schema.name) != schema.shape:
                await connection.execute(f"DROP SCHEMA {schema.name} CASCADE")
                return False
            # No foreign key and no trigger minds the order in which the tables are emptied.
            await connection.execute("SET session_replication_role = replica")
            await connection.execute(";".join(f'DELETE FROM {schema.name}."{table}"' for table in schema.tables))
            for table, rows in schema.rows.items():
                await connection.copy_records_to_table(table, schema_name=schema.name, records=rows)
            await connection.execute(_RESTART, schema.name)
        return True
