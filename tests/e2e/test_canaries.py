"""No secret that the server was given is ever shown, logged, exported, backed up or left in a command line."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.e2e.canaries import SESSION, Canaries, gathered, used
from tests.e2e.servers import Options, Processes, place_of
from tests.stores import Store

pytestmark = pytest.mark.slow


async def made(processes: Processes, options: Options, *words: str) -> str:
    done = await asyncio.to_thread(
        processes.run, "token", "create", "--tenant", "acme", *words, "--json", options=options
    )
    assert done.returncode == 0, done.stderr
    secret: str = json.loads(done.stdout)["secret"]
    return secret


async def test_no_secret_turns_up_anywhere(processes: Processes, store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "canaries"
    folder.mkdir()
    canaries = Canaries(folder)
    options = canaries.options(store, place_of(store, tmp_path))
    server = processes.serve(options)
    owner = await made(processes, options, "--role", "owner", "--name", "boss")
    agent = await made(processes, options, "--role", "agent", "--agent", "scout", "--session", SESSION)
    canaries.planted |= {"owner": owner, "agent": agent}

    await used(canaries, server, owner, agent)
    await gathered(canaries, processes, server, options, owner)

    assert canaries.found() == []
    assert len(canaries.planted) >= 18
    assert all(name in canaries.places["GET /upstreams"] for name in ("shop", "away", "more"))
    assert "ran list_posts" in canaries.places["mindscape_tool_shop_list_posts"]
    assert "upstream" in canaries.places["log"]
    # The control: what is no secret is found where it belongs.
    places = list(canaries.holding(canaries.open))
    assert {"GET /sessions", f"GET /sessions/{SESSION}/export", "audit export"} & set(places)
    assert len(places) >= 4
