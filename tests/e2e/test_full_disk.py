"""A store that cannot grow under a running server: it says so, loses nothing that it acknowledged, and goes on when it
can."""

import asyncio
import resource
from collections.abc import AsyncIterator
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


async def notes_after_restart(processes: Processes, options: dict[str, str]) -> list[dict[str, Any]]:
    """What a new server finds, once those before it were killed."""
    for process in processes.started:
        process.kill()
    agent = processes.serve(options).agent("ann")
    try:
        return await agent.reads_notes()
    finally:
        await agent.client.aclose()


async def until_ready(agent: Agent, status: int) -> None:
    async with asyncio.timeout(40):
        while (await agent.client.get("/ready")).status_code != status:
            pass
