"""The Python client, async and sync, does what every client must do, at a server of its own process."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest

from longtable_client import sync
from tests.clients.harness import Harness
from tests.clients.player import SCENARIOS, AsyncPlayers, Play, SyncPlayers

pytestmark = pytest.mark.slow

each_scenario = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: str(scenario["name"]))


@each_scenario
async def test_with_async(harness: Harness, scenario: dict[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        await Play(AsyncPlayers(harness.address, stack), harness).run(scenario)


@each_scenario
async def test_without_async(harness: Harness, scenario: dict[str, Any]) -> None:
    with ExitStack() as stack:
        await Play(SyncPlayers(harness.address, stack), harness).run(scenario)


def test_one_workspace_serves_many_threads(harness: Harness) -> None:
    with sync.Orchestrator.open(harness.address) as boss:
        session = boss.create_session("threads").session_id
        with boss.workspace(session, "ada") as table, ThreadPoolExecutor(8) as threads:
            added = list(threads.map(table.add_note, map(str, range(40))))
            notes = list(table.all_notes())

    assert sorted(one.note.id for one in added) == sorted(note.id for note in notes)
    assert sorted(note.content for note in notes) == sorted(map(str, range(40)))
