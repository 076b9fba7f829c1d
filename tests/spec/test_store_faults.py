"""The file of the embedded store taken away, replaced or spoilt under a running server: it says so before it would
acknowledge another write, and `/ready` tells it as well."""

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from longtable.kernel.logs import logger
from longtable.storage.database import Transaction
from longtable.storage.file_lock import FileLock
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "longtable.db"


@pytest.fixture
async def table(file: Path, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(Store("sqlite", str(file)), tmp_path) as opened:
        yield opened


@pytest.fixture
async def ann(table: Table) -> Agent:
    return table.agent("ann", await table.session("sess_one"))


def deleted(file: Path) -> None:
    file.unlink()


def replaced(file: Path) -> None:
    os.replace(file.with_name("copy"), file)


def overwritten_by_a_backup(file: Path) -> None:
    # In a process of its own: to close the file in this one would let go of the locks of SQLite.
    subprocess.run(["cp", file.with_name("copy"), file], check=True)


def log_deleted(file: Path) -> None:
    file.with_name(f"{file.name}-wal").unlink()


def emptied(file: Path) -> None:
    os.truncate(file, 0)


def shortened(file: Path) -> None:
    os.truncate(file, 20 * PAGE)


def spoilt_at_the_beginning(file: Path) -> None:
    spoil(file, 0)


def spoilt_in_the_middle(file: Path) -> None:
    spoil(file, 5)


@pytest.mark.in_process("reads what the server logs")
@pytest.mark.parametrize(
    "fault",
    [
        deleted,
        replaced,
        overwritten_by_a_backup,
        log_deleted,
        emptied,
        shortened,
        spoilt_at_the_beginning,
        spoilt_in_the_middle,
    ],
)
async def test_no_write_is_acknowledged_once_the_file_is_not_what_it_was(
    ann: Agent, file: Path, fault: Callable[[Path], None]
) -> None:
    backup(file, file.with_name("copy"))
    for n in range(30):
        await ann.adds_note(f"note {n} " + "x" * 5000)
    fold_in(file)
    # The library behind the log is loaded with its first line, which would undo what captures the lines.
    assert logger._structlog is not None

    with capture_logs() as lines:
        fault(file)
        results = [(await ann.tries("add_note", content=f"late {n}")) for n in range(3)]
        ready = await ann.client.get("/ready")

    assert [body.get("error", {}).get("code") for body in results] == ["STORE_UNAVAILABLE"] * 3
    assert (ready.status_code, ready.json()) == (503, {"status": "unavailable"})
    assert "store_unavailable" in [line["event"] for line in lines]


@pytest.mark.parametrize(
    "fault", [deleted, replaced, overwritten_by_a_backup, emptied, spoilt_at_the_beginning, spoilt_in_the_middle]
)
async def test_every_server_on_the_file_notices_at_once_although_all_was_well_a_moment_ago(
    ann: Agent, table: Table, file: Path, tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    backup(file, file.with_name("copy"))
    async with open_table(Store("sqlite", str(file)), tmp_path) as second:
        for n in range(30):
            await ann.adds_note(f"note {n} " + "x" * 5000)
        fold_in(file)
        servers = [ann.client, second.agent().client]
        before = [(await server.get("/ready")).status_code for server in servers]

        fault(file)
        after = [(await server.get("/ready")).status_code for server in servers]

    assert (before, after) == ([200, 200], [503, 503])


async def test_a_file_that_is_put_back_can_be_written_again(ann: Agent, file: Path) -> None:
    await ann.adds_note("before")
    away = file.with_name("away")
    os.rename(file, away)
    with pytest.raises(Refused, match="STORE_UNAVAILABLE"):
        await ann.adds_note("lost")

    os.rename(away, file)
    await ann.adds_note("after")

    assert [note["content"] for note in await ann.reads_notes()] == ["before", "after"]


async def test_a_file_that_was_only_touched_goes_on(ann: Agent, file: Path) -> None:
    await ann.adds_note("before")

    os.utime(file)
    await ann.adds_note("after")

    assert (await ann.client.get("/ready")).status_code == 200


async def test_what_another_program_folds_into_the_file_is_no_fault(ann: Agent, file: Path) -> None:
    for n in range(5):
        await ann.adds_note(f"note {n}")
        fold_in(file)

    assert len(await ann.reads_notes()) == 5


async def test_the_status_shows_the_store_with_its_last_failure(ann: Agent, file: Path) -> None:
    whole = (await ann.client.get("/status")).json()
    os.rename(file, file.with_name("away"))
    with pytest.raises(Refused):
        await ann.adds_note("lost")

    broken = whole
    while broken["status"] == "ok":
        broken = (await ann.client.get("/status")).json()

    assert (whole["store"]["kind"], whole["store"]["status"], whole["store"]["problem"]) == ("sqlite", "ok", None)
    assert whole["store"]["free_bytes"] > 0
    assert {"search_index", "foreign_commits"} <= {task["task"] for task in whole["background"]}
    assert broken["store"]["problem"].startswith("The file of the store was deleted")
    assert broken["store"]["last_failure"]["error"] == broken["store"]["problem"]


@pytest.mark.in_process("stops a part of the server")
async def test_the_record_of_a_read_is_kept_when_a_stop_comes_while_it_is_written(
    ann: Agent, table: Table, file: Path
) -> None:
    other = FileLock(file.with_name(f"{file.name}.lock"))
    await ann.reads_notes()
    await table.app.ledger.flush()

    with other.held(5):
        await ann.reads_notes()
        (flush,) = [task for task in table.app.background.alive if task.name == "audit_flush"]
        async with asyncio.timeout(40):
            while table.app.ledger._observed:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        stopping = asyncio.ensure_future(table.app.ledger.close())
        await flush.wait(0.5)
    await stopping
    other.close()

    async def reads(tx: Transaction) -> int:
        return len(await tx.all("SELECT seq FROM audit WHERE tenant = :tenant AND operation = 'read_notes'"))

    assert await table.app.database.read("default", reads) == 2


def backup(file: Path, copy: Path) -> None:
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def fold_in(file: Path) -> None:
    """Everything into the file itself, so that it matters."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def spoil(file: Path, page: int) -> None:
    words = [f"of={file}", f"bs={PAGE}", f"seek={page}", "count=2", "conv=notrunc"]
    subprocess.run(["dd", "if=/dev/urandom", *words], check=True, capture_output=True)
