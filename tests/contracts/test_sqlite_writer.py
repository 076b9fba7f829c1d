"""What the embedded store's one writer does when things go wrong, and beside other processes."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from longtable.kernel.errors import StoreUnavailable
from longtable.kernel.logs import logger
from longtable.storage.database import SYSTEM, Transaction
from longtable.storage.sqlite import SqliteDatabase
from tests.stores import RecordingHooks, count_of, counts

pytestmark = pytest.mark.anyio

ANOTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from longtable.storage.sqlite import SqliteDatabase
from tests.stores import RecordingHooks, counts

async def main(path, writes):
    database = await SqliteDatabase.open(Path(path), RecordingHooks())
    for _ in range(int(writes)):
        await database.write("acme", counts())
    await database.close()

asyncio.run(main(*sys.argv[1:]))
"""

CHECKPOINT_UNDER_WAY = """
import fcntl, os, sys, time

file, index = os.open(sys.argv[1], os.O_RDWR), os.open(sys.argv[1] + "-shm", os.O_RDWR)
size = os.fstat(file).st_size
fcntl.lockf(index, fcntl.LOCK_EX, 1, 121)
os.pwrite(file, bytes(4096), size)
print("half done", flush=True)
sys.stdin.readline()
time.sleep(0.2)
os.ftruncate(file, size)
"""
"""Another process between two steps of a checkpoint, as far as the lock and the size of the file tell."""


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    database = await SqliteDatabase.open(tmp_path / "longtable.db", RecordingHooks())
    yield database
    await database.close()


def start_process(path: Path, writes: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", ANOTHER_PROCESS, str(path), str(writes)])


async def in_one_batch(database: SqliteDatabase, *bodies: Any) -> list[Any]:
    """The bodies run in one transaction, because all wait behind one that holds the writer."""
    gate = threading.Event()

    async def hold(_: Transaction) -> None:
        gate.wait(5)

    tasks = [asyncio.create_task(database.write(SYSTEM, body)) for body in (hold, *bodies)]
    await asyncio.sleep(0)
    gate.set()
    return (await asyncio.gather(*tasks, return_exceptions=True))[1:]


def adds_fact(name: str, way: str = "INSERT", value: str = "") -> Any:
    async def body(tx: Transaction) -> str:
        await tx.execute(f"{way} INTO facts (name, value) VALUES (:name, :value)", name=name, value=value)
        return name

    return body


async def facts(tx: Transaction) -> list[str]:
    return [row["name"] for row in await tx.all("SELECT name FROM facts WHERE name <> 'agent_names' ORDER BY name")]


async def facts_of_nobody(tx: Transaction) -> None:
    await facts(tx)
    raise LookupError


async def test_a_body_that_waits_for_something_else_is_refused(database: SqliteDatabase) -> None:
    async def body(_: Transaction) -> None:
        await asyncio.sleep(0)

    for run in (database.write, database.read):
        with pytest.raises(RuntimeError, match="awaits nothing but its transaction"):
            await run("acme", body)


async def test_a_reader_cannot_write(database: SqliteDatabase) -> None:
    with pytest.raises(StoreUnavailable):
        await database.read(SYSTEM, adds_fact("sneaked in"))

    assert await database.read(SYSTEM, facts) == []


async def test_a_reading_body_sees_one_moment(database: SqliteDatabase) -> None:
    loop = asyncio.get_running_loop()

    async def body(tx: Transaction) -> tuple[list[str], list[str]]:
        before = await facts(tx)
        asyncio.run_coroutine_threadsafe(database.write(SYSTEM, adds_fact("later")), loop).result(5)
        return before, await facts(tx)

    assert await database.read(SYSTEM, body) == ([], [])
    assert await database.read(SYSTEM, facts) == ["later"]


async def test_when_sqlite_takes_back_a_whole_transaction_all_in_it_fail(database: SqliteDatabase) -> None:
    rolls_back = adds_fact("one", way="INSERT OR ROLLBACK")

    outcomes = await in_one_batch(database, adds_fact("one"), adds_fact("two"), rolls_back)

    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 3
    assert await database.read(SYSTEM, facts) == []
    assert await database.write(SYSTEM, adds_fact("after")) == "after"


async def test_operations_of_one_batch_see_each_other_but_not_a_failed_one(database: SqliteDatabase) -> None:
    async def fails(tx: Transaction) -> None:
        await adds_fact("failed")(tx)
        raise LookupError

    outcomes = await in_one_batch(database, adds_fact("one"), fails, facts, adds_fact("one"))

    assert [outcome if not isinstance(outcome, Exception) else type(outcome).__name__ for outcome in outcomes] == [
        "one",
        "LookupError",
        ["one"],
        "UniqueViolation",
    ]


async def test_one_that_fails_before_it_changes_anything_has_no_other_run_again(database: SqliteDatabase) -> None:
    runs: list[str] = []

    async def counted(tx: Transaction) -> str:
        runs.append("run")
        return str(await adds_fact("counted")(tx))

    outcomes = await in_one_batch(database, counted, facts_of_nobody, facts)

    assert [type(outcome) for outcome in outcomes] == [str, LookupError, list]
    assert (runs, outcomes[2]) == (["run"], ["counted"])


async def test_an_operation_whose_caller_left_before_its_turn_is_not_run(database: SqliteDatabase) -> None:
    gate = threading.Event()

    async def hold(_: Transaction) -> None:
        gate.wait(5)

    holding = asyncio.create_task(database.write(SYSTEM, hold))
    leaving = asyncio.create_task(database.write(SYSTEM, adds_fact("left")))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.sleep(0)
    gate.set()
    await holding
    await database.write(SYSTEM, adds_fact("stayed"))

    assert await database.read(SYSTEM, facts) == ["stayed"]


async def test_a_queue_that_is_full_refuses_the_next_write(database: SqliteDatabase) -> None:
    gate = threading.Event()

    async def hold(_: Transaction) -> None:
        gate.wait(10)

    holding = asyncio.create_task(database.write(SYSTEM, hold))
    tasks = [asyncio.create_task(database.write("acme", counts())) for _ in range(10_002)]
    await asyncio.sleep(0)
    gate.set()
    await holding
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)

    refused = [outcome for outcome in outcomes if isinstance(outcome, StoreUnavailable)]
    # Whether the first has begun by then is up to its thread.
    assert 1 <= len(refused) <= 3
    assert "Too many writes are waiting" in refused[0].message
    assert await count_of(database, "acme") == 10_002 - len(refused)


async def test_two_processes_lose_none_of_their_writes(database: SqliteDatabase, tmp_path: Path) -> None:
    processes = [start_process(tmp_path / "longtable.db", 200) for _ in range(2)]
    own = [await database.write("acme", counts()) for _ in range(50)]

    assert [await asyncio.to_thread(process.wait, 30) for process in processes] == [0, 0]
    assert own == sorted(set(own))
    assert await count_of(database, "acme") == 450


async def test_ten_processes_may_start_at_once_on_an_empty_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "longtable.db"
    processes = [start_process(path, 1) for _ in range(10)]

    assert [await asyncio.to_thread(process.wait, 30) for process in processes] == [0] * 10

    database = await SqliteDatabase.open(path, RecordingHooks())
    assert await count_of(database, "acme") == 10
    await database.close()


async def test_commits_of_others_are_noticed_and_own_ones_are_not(database: SqliteDatabase, tmp_path: Path) -> None:
    at_first = await database.foreign_commits()
    await database.write("acme", counts())
    after_own = await database.foreign_commits()
    with closing(sqlite3.connect(tmp_path / "longtable.db")) as other, other:
        other.execute("INSERT INTO facts VALUES ('seen', '')")

    assert after_own == at_first
    assert await database.foreign_commits() != at_first


async def test_what_another_server_folds_into_the_file_needs_no_check(database: SqliteDatabase, tmp_path: Path) -> None:
    file = tmp_path / "longtable.db"
    second = await SqliteDatabase.open(file, RecordingHooks())
    before = file.stat().st_mtime_ns
    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None

    with capture_logs() as lines:
        while file.stat().st_mtime_ns == before:
            await second.write(SYSTEM, adds_fact("large", way="INSERT OR REPLACE", value="x" * 2**20))
        await database.write("acme", counts())

    assert lines == []
    await second.close()


async def test_a_file_amid_a_checkpoint_of_another_process_is_not_taken_for_changed(
    database: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.storage.sqlite_identity._SETTLE_SECONDS", 20.0)
    await database.write("acme", counts())
    command = [sys.executable, "-c", CHECKPOINT_UNDER_WAY, str(tmp_path / "longtable.db")]
    other = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert other.stdout is not None
    await other.stdout.readline()

    writing = asyncio.create_task(database.write("acme", counts()))
    await asyncio.sleep(0)
    await other.communicate(b"\n")

    assert await writing == 2


async def test_a_writer_waits_for_another_program_that_holds_the_file(database: SqliteDatabase, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "longtable.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(database.write("acme", counts()))
    await asyncio.sleep(0)

    other.execute("COMMIT")

    assert await asyncio.wait_for(writing, 40) == 1
    other.close()
