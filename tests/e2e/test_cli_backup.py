"""`longtable backup` and `restore`: a copy made while agents write holds a prefix of what was acknowledged."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Options, Processes

pytestmark = pytest.mark.slow


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.end()


@pytest.fixture
def data(tmp_path: Path) -> Options:
    return {"data_dir": str(tmp_path / "data")}


def runs(processes: Processes, *words: str, options: Options, code: int = 0) -> Any:
    done = processes.run(*words, "--json", options=options)
    assert done.returncode == code, done.stderr + done.stdout
    return json.loads(done.stdout or done.stderr)


async def test_backups_under_load_restore_to_a_prefix_of_what_was_acknowledged(
    processes: Processes, data: Options, tmp_path: Path
) -> None:
    server = processes.serve(data)
    agents = [server.agent(f"agent-{number}") for number in range(4)]
    acknowledged: list[str] = []
    is_over = asyncio.Event()

    async def writes(number: int) -> None:
        count = 0
        while not is_over.is_set():
            await agents[number].calls("add_note", content=f"{number}.{count}")
            acknowledged.append(f"{number}.{count}")
            count += 1

    writing = [asyncio.create_task(writes(number)) for number in range(4)]
    before: list[set[str]] = []
    for number in range(3):
        before.append(set(acknowledged))
        facts = await asyncio.to_thread(runs, processes, "backup", f"{number}.backup", options=data)
        assert facts["events"] > 0
    is_over.set()
    await asyncio.gather(*writing)
    for agent in agents:
        await agent.client.aclose()
    server.stop()

    for number in range(3):
        place = {"data_dir": str(tmp_path / f"restored-{number}")}
        runs(processes, "restore", f"{number}.backup", options=place)
        with sqlite3.connect(tmp_path / f"restored-{number}" / "longtable.db") as store:
            kept = {str(content) for (content,) in store.execute("SELECT content FROM notes")}
        assert before[number] <= kept <= set(acknowledged)
        for writer in range(4):
            of_one = sorted(int(each.partition(".")[2]) for each in kept if each.startswith(f"{writer}."))
            assert of_one == list(range(len(of_one)))


def test_a_restored_store_serves_and_its_audit_log_holds(processes: Processes, data: Options, tmp_path: Path) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    made = runs(processes, "backup", "copy.backup", options=data)
    other = {"data_dir": str(tmp_path / "other")}

    restored = runs(processes, "restore", made["file"], options=other)
    verified = runs(processes, "audit", "verify", options=other)
    listed = runs(processes, "sessions", "list", options=other)

    assert restored["events"] == made["events"]
    assert restored["audit_records"] == sum(each["records"] for each in verified["tenants"])
    assert [each["session_id"] for each in listed["sessions"]] == ["review"]
    assert (tmp_path / "copy.backup").stat().st_mode & 0o777 == 0o600


def test_nothing_that_is_there_is_overwritten(processes: Processes, data: Options, tmp_path: Path) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    (tmp_path / "mine").write_text("precious")

    refused = runs(processes, "backup", "mine", options=data, code=1)
    runs(processes, "backup", "copy", options=data)
    again = runs(processes, "backup", "copy", "--overwrite", options=data)
    not_empty = runs(processes, "restore", "copy", options=data, code=1)

    assert "is there already" in refused["error"]["error"]
    assert (tmp_path / "mine").read_text() == "precious"
    assert again["bytes"] > 0
    assert "There is a store already" in not_empty["error"]["error"]


@pytest.mark.parametrize("kind", ["absent", "rubbish", "foreign", "damaged", "newer"])
def test_a_bad_backup_is_refused_and_leaves_nothing_behind(
    processes: Processes, data: Options, tmp_path: Path, kind: str
) -> None:
    runs(processes, "sessions", "create", "--session-id", "review", options=data)
    runs(processes, "backup", "copy", options=data)
    copy = tmp_path / "copy"
    if kind == "absent":
        copy.unlink()
    elif kind == "rubbish":
        copy.write_bytes(b"rubbish" * 1000)
    elif kind == "damaged":
        whole = bytearray(copy.read_bytes())
        whole[8192:40960] = bytes(32768)
        copy.write_bytes(whole)
    else:
        with sqlite3.connect(copy) as store:
            store.execute("PRAGMA application_id = 7" if kind == "foreign" else "PRAGMA user_version = 9999")
        store.close()
    other = tmp_path / "other"

    refused = runs(processes, "restore", "copy", options={"data_dir": str(other)}, code=1)

    assert str(copy.name) in refused["error"]["error"]
    assert not other.exists() or list(other.iterdir()) == []


async def test_scheduled_backups_are_made_and_old_ones_go(processes: Processes, data: Options, tmp_path: Path) -> None:
    server = processes.serve({**data, "backup_every": "1s", "backup_keep": "2"})
    folder = tmp_path / "data" / "backups"
    seen: set[str] = set()
    async with asyncio.timeout(60):
        while len(seen) < 4:
            seen |= {path.name for path in folder.glob("scheduled-*.db")}
            await asyncio.sleep(0.05)
    server.stop()

    kept = sorted(path.name for path in folder.glob("scheduled-*.db"))
    assert len(kept) in (2, 3)
    assert kept[-1] == max(seen | set(kept))


def test_a_store_that_is_no_file_names_what_copies_it(processes: Processes) -> None:
    refused = processes.run("restore", "copy", options={"store": "postgresql://nobody@127.0.0.1:9/none"})

    assert refused.returncode == 1
    assert "pg_dump" in refused.stderr
