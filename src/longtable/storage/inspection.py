"""Looks at a store from outside, without changing it: for an operator who wants to know what is wrong."""

import contextlib
import errno
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.sqlite_file import APPLICATION_ID, Header, connect, read_version

SQLITE: Final = sqlite3.sqlite_version
HAS_OLD_SQLITE: Final = sqlite3.sqlite_version_info < (3, 37, 0)
_SECONDS: Final = 5.0
_INSTALLED: Final = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"
_AVAILABLE: Final = """
SELECT version FROM pg_available_extensions JOIN pg_available_extension_versions USING (name)
WHERE name = 'vector' AND version = default_version AND (
    NOT superuser OR (trusted AND has_database_privilege(current_database(), 'CREATE'))
    OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user))"""
_CLOSED: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


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
    pgvector: str | None
    """The version of the extension; before the first start, that of the one which it would make."""


@dataclass(frozen=True, slots=True)
class CallerFacts:
    """`auth` is the mode that the store remembers, None before the first start."""

    auth: str | None
    valid_tokens: int


def inspect_callers(path: Path) -> CallerFacts:
    """For a file that cannot be read, as if there was none. Other checks say why."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_open_to_read(path)) as connection:
        auth = connection.execute("SELECT value FROM facts WHERE name = 'auth'").fetchone()
        (count,) = connection.execute(
            "SELECT count(*) FROM tokens WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
            [time.time_ns() // 1000],
        ).fetchone()
        return CallerFacts(auth[0] if auth else None, count)
    return CallerFacts(None, 0)


def inspect_heads(path: Path) -> dict[str, int] | None:
    """The number of the newest audit record of each tenant; None for a file that cannot be read."""
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_open_to_read(path)) as connection:
        return dict(connection.execute("SELECT tenant, seq FROM audit_heads").fetchall())
    return None


def _open_to_read(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


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
        with contextlib.closing(_open_to_read(path)) as connection:
            schema = read_version(connection)
            if schema <= latest and connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                return StoreFile("damaged")
    except sqlite3.Error as error:
        # Reading needs files beside it, which cannot be made in a folder that is read-only.
        if error.sqlite_errorcode & 0xFF in _CLOSED:
            raise PermissionError(errno.EACCES, "the files beside it cannot be opened or made") from None
        return StoreFile("damaged")
    return StoreFile("readable", schema, latest)


def time_commits(path: Path, seconds: float) -> list[float]:
    """How long each commit of one small row takes in a file of its own: what no store on this disk can undercut."""
    times = []
    with contextlib.closing(connect(path, "FULL")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE rows (value TEXT)")
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            connection.execute("INSERT INTO rows VALUES ('a row of a few bytes')")
            times.append(time.perf_counter() - began)
    return times


async def inspect_server(address: str) -> ServerStore:
    """Raises what the driver raises."""
    # A tenth of a second, which nobody without PostgreSQL should spend.
    import asyncpg

    connection = await asyncpg.connect(address, timeout=_SECONDS)
    try:
        version = int(await connection.fetchval("SHOW server_version_num")) // 10_000
        is_superuser = await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        table = await connection.fetchval("SELECT to_regclass('schema_migrations')")
        schema = await connection.fetchval("SELECT max(number) FROM schema_migrations") if table else None
        pgvector = await connection.fetchval(_INSTALLED)
        if pgvector is None and schema is None:
            pgvector = await connection.fetchval(_AVAILABLE)
    finally:
        await connection.close()
    return ServerStore(version, bool(is_superuser), schema, Migrations(MIGRATIONS, "postgres").latest, pgvector)
