"""Whether a PostgreSQL server can be used as the store."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import asyncpg

from longtable.doctor.findings import HealthFinding, fine
from longtable.settings.options import Settings
from longtable.storage.migrate import MIGRATIONS, Migrations

_SECONDS: Final = 5.0
_OLDEST: Final = 14


def check_server_store(settings: Settings) -> Iterator[HealthFinding]:
    try:
        facts = asyncio.run(_facts(settings.store))
    except Exception as error:  # noqa: BLE001 - whatever the driver raises, it is the finding
        problem = f"The PostgreSQL server cannot be used ({type(error).__name__})."
        yield HealthFinding("store", "error", problem, "Check address, login and network; 'psql ADDRESS' says more.")
        return
    latest = Migrations(MIGRATIONS, "postgres").latest
    if facts["version"] < _OLDEST:
        yield HealthFinding("store", "error", f"PostgreSQL {facts['version']} is too old.", f"Use {_OLDEST} or newer.")
    if facts["superuser"]:
        problem = "The login is a superuser, for whom row-level security does not hold."
        yield HealthFinding("store", "warning", problem, "Use a login of its own: docs/howto/postgresql.md.")
    if facts["schema"] is not None and facts["schema"] > latest:
        problem = f"The store has schema {facts['schema']}; this Longtable knows up to {latest}."
        yield HealthFinding("store", "error", problem, "Install the newer Longtable that wrote it.")
    yield fine("store", f"PostgreSQL {facts['version']}, schema {facts['schema'] or 'not made yet'}.")


async def _facts(address: str) -> dict[str, Any]:
    connection = await asyncpg.connect(address, timeout=_SECONDS)
    try:
        version = int(await connection.fetchval("SHOW server_version_num")) // 10_000
        superuser = await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        table = await connection.fetchval("SELECT to_regclass('schema_migrations')")
        schema = await connection.fetchval("SELECT max(number) FROM schema_migrations") if table else None
    finally:
        await connection.close()
    return {"version": version, "superuser": superuser, "schema": schema}
