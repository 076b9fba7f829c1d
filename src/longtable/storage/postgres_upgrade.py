"""Brings a PostgreSQL schema up to date: all pending migrations in one transaction, one replica at a time."""

from typing import TYPE_CHECKING, Final

import asyncpg

from longtable.kernel.errors import ConfigError, StoreUnavailable
from longtable.storage.migrate import Migrations
from longtable.storage.postgres_transaction import DRIVER_ERRORS, translate

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

_OLDEST_SERVER: Final = 15
_LOCK_KEY: Final = 0x4C54424C
_PATIENCE_SECONDS: Final = 3600
# Not to_regclass: inside a transaction it may answer from a cache older than the lock we waited for.
_IS_THERE: Final = """
SELECT true FROM pg_catalog.pg_class
WHERE relname = 'schema_migrations' AND relnamespace = quote_ident(current_schema())::regnamespace"""
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    number BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
)"""


async def upgrade(connection: "PostgresConnection", migrations: Migrations) -> str:
    """Answers the name of the schema. Raises ConfigError for a server too old or a schema too new."""
    major = connection.get_server_version().major
    if major < _OLDEST_SERVER:
        raise ConfigError(f"The store is PostgreSQL {major}.", hint=f"Use PostgreSQL {_OLDEST_SERVER} or newer.")
    schema = await connection.fetchval("SELECT current_schema()")
    if schema is None:
        raise ConfigError(
            "The store's search_path names no schema that exists.", hint="Create the schema, or correct the store URL."
        )
    version = await _version(connection, migrations)
    if version < migrations.latest:
        await _apply(connection, migrations)
    return str(schema)


async def _version(connection: "PostgresConnection", migrations: Migrations) -> int:
    version = 0
    if await connection.fetchval(_IS_THERE):
        try:
            version = await connection.fetchval("SELECT coalesce(max(number), 0) FROM schema_migrations")
        except asyncpg.UndefinedColumnError as error:
            raise ConfigError(
                "The schema belongs to another program.", hint="Name another database or schema in the store URL."
            ) from error
    if version > migrations.latest:
        raise ConfigError(
            f"The store has schema {version}; this Longtable knows up to {migrations.latest}.",
            hint="Install the newer Longtable that wrote it, or restore a backup.",
        )
    return version


async def _apply(connection: "PostgresConnection", migrations: Migrations) -> None:
    version = 0
    try:
        async with connection.transaction(isolation="read_committed"):
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK_KEY, timeout=_PATIENCE_SECONDS)
            version = await _version(connection, migrations)
            if version == 0:
                await connection.execute(_TABLE)
            for migration in migrations.after(version):
                await connection.execute(migration.script, timeout=_PATIENCE_SECONDS)
                await connection.execute(
                    "INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", migration.number, migration.name
                )
    except asyncpg.PostgresConnectionError as error:
        raise translate(error) from error
    except DRIVER_ERRORS as error:
        raise StoreUnavailable(
            f"The store could not be brought from schema {version} to {migrations.latest}; it is as it was before.",
            hint="Run the former version of Longtable and report this.",
        ) from error
