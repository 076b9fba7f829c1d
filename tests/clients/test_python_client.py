"""The Python client, async and sync, does what every client must do, at a server of its own process."""

from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest

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
