"""A disk that takes no more under a running server: it says so, loses nothing that it acknowledged, and goes on when
there is room again."""

import asyncio
import resource
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Processes, Server
from tests.table import Agent

pytestmark = pytest.mark.slow
HONEST = ("STORE_UNAVAILABLE", "OUTCOME_UNKNOWN")
LITTLE = 4096


@pytest.fixture
def server(processes: Processes, embedded: dict[str, str]) -> Server:
    return processes.serve({**embedded, "enable_semantic_search": "false"})


@pytest.fixture
async def ann(server: Server) -> AsyncIterator[Agent]:
    agent = server.agent("ann")
    yield agent
    await agent.client.aclose()


@pytest.fixture
async def on_disk(processes: Processes, small_disk: Path) -> AsyncIterator[Agent]:
    """An agent of a server whose store lies on the small disk."""
    server = processes.serve({"data_dir": str(small_disk), "enable_semantic_search": "false"})
    agent = server.agent("ann")
    yield agent
    await agent.client.aclose()
    server.kill()


@pytest.fixture
def file(embedded: dict[str, str]) -> Path:
    return Path(embedded["data_dir"]) / "longtable.db"


async def test_a_store_that_cannot_grow_says_so_and_loses_nothing_that_it_acknowledged(
    processes: Processes, server: Server, ann: Agent, file: Path, embedded: dict[str, str]
) -> None:
    pid = (await ann.client.get("/status")).json()["pid"]
    await ann.adds_note("first")
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (LITTLE, resource.RLIM_INFINITY))

    answers = [await ann.tries("add_note", content=f"note {n} " + "x" * 4000) for n in range(5)]
    await until_ready(ann, 503)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    answers.append(await ann.tries("add_note", content="last"))
    await until_ready(ann, 200)
    server.kill()
    notes = await notes_after_restart(processes, embedded)

    refused = {body["error"]["code"] for body in answers if not body["ok"]}
    assert refused <= set(HONEST)
    assert "STORE_UNAVAILABLE" in refused
    kept = [body["note"]["id"] for body in answers if body["ok"]]
    assert [note["id"] for note in notes] == ["n1", *kept]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, that can be filled up or made read-only."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if mount("-t", "tmpfs", "-o", "size=40m", "tmpfs", str(disk)):
        pytest.skip("mounting a file system is not allowed here")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


async def test_a_disk_that_is_full_is_told_of_until_there_is_room_again(
    processes: Processes, small_disk: Path, on_disk: Agent
) -> None:
    ann = on_disk
    await ann.adds_note("before")
    filling = small_disk / "filling"
    fill_up(filling)

    answers = [await ann.tries("add_note", content="x" * 60_000) for _ in range(3)]
    await until_ready(ann, 503)
    filling.unlink()
    await until_ready(ann, 200)
    await ann.adds_note("after")
    notes = await notes_after_restart(processes, {"data_dir": str(small_disk)})

    assert {body["error"]["code"] for body in answers} == {"STORE_UNAVAILABLE"}
    assert [note["content"] for note in notes] == ["before", "after"]


async def notes_after_restart(processes: Processes, options: dict[str, str]) -> list[dict[str, Any]]:
    """What a new server finds, once those before it were killed."""
    for process in processes.started:
        process.kill()
    agent = processes.serve(options).agent("ann")
    try:
        return await agent.reads_notes()
    finally:
        await agent.client.aclose()


def mount(*words: str) -> int:
    return subprocess.run(["mount", *words], capture_output=True, check=False).returncode


def fill_up(filling: Path) -> None:
    with suppress(OSError), filling.open("wb", buffering=0) as much:
        while much.write(b"x" * 65_536):
            pass


async def until_ready(agent: Agent, status: int) -> None:
    async with asyncio.timeout(20):
        while (await agent.client.get("/ready")).status_code != status:
            pass
