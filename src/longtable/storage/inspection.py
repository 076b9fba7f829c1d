"""Looks at a store from outside, without changing it: for an operator who wants to know what is wrong."""

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import asyncpg

from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.sqlite_file import APPLICATION_ID, Header, read_version

SQLITE: Final = sqlite3.sqlite_version
HAS_OLD_SQLITE: Final = sqlite3.sqlite_version_info < (3, 37, 0)
_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class StoreFile:
    """`latest` is the schema that this program makes."""

    state: Literal["damaged", "foreign", "readable"]
    schema: int = 0
    latest: int = 0


@dataclass(frozen=True, slots=True)
class ServerStore:
    version: int
    is_superuser: bool
    schema: int | None
    """None before the first start."""
    latest: int


def inspect_file(path: Path) -> StoreFile:
    """Raises OSError."""
    with path.open("rb") as file:
        header = Header.parse(file.read(100))
    if header is None:
        return StoreFile("damaged")
    if header.application_id != APPLICATION_ID:
        return StoreFile("foreign")
    latest = Migrations(MIGRATIONS, "sqlite").latest
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            schema = read_version(connection)
            if schema <= latest and connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return StoreFile("damaged")
    except sqlite3.Error:
        return StoreFile("damaged")
    return StoreFile("readable", schema, latest)


async def inspect_server(address: str) -> ServerStore:
    """Raises what the driver raises."""
    connection = await asyncpg.connect(address, timeout=_SECONDS)
    try:
        version = int(await connection.fetchval("SHOW server_version_num")) // 10_000
        is_superuser = await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        table = await connection.fetchval("SELECT to_regclass('schema_migrations')")
        schema = await connection.fetchval("SELECT max(number) FROM schema_migrations") if table else None
    finally:
        await connection.close()
    return ServerStore(version, bool(is_superuser), schema, Migrations(MIGRATIONS, "postgres").latest)
