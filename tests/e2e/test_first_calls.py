"""The first calls of many at the same moment: all of them sit down at one table."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, Stdio, place_of
from tests.e2e.wire import wire_to
from tests.stores import Store

pytestmark = pytest.mark.slow
CONNECTIONS = 100
LOCAL_CLIENTS = 5


async def opened(processes: Processes, options: dict[str, str], cwd: Path | None = None) -> list[Stdio]:
    clients = [processes.stdio(options, cwd) for _ in range(LOCAL_CLIENTS)]
    await asyncio.gather(*(client.opens() for client in clients))
    return clients


async def sessions_of(processes: Processes, options: dict[str, str]) -> list[str]:
    server = processes.serve(options)
    async with wire_to(server.address) as wire:
        return [session["session_id"] for session in (await wire.calls("list_sessions"))["sessions"]]


async def test_a_hundred_first_calls_over_http_create_one_session(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    server = processes.serve(place_of(store, tmp_path))
    async with AsyncExitStack() as connections:
        wires = [await connections.enter_async_context(wire_to(server.address)) for _ in range(CONNECTIONS)]

        added = await asyncio.gather(*(wire.calls("add_note", content="hello") for wire in wires))

        assert len({answer["session_id"] for answer in added}) == 1
        assert len({answer["note"]["id"] for answer in added}) == CONNECTIONS
        assert len((await wires[0].calls("list_sessions"))["sessions"]) == 1


async def test_local_clients_in_one_git_checkout_share_one_session_from_their_first_call(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    place = place_of(store, tmp_path)
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    (folder / "deep" / "down").mkdir(parents=True)
    clients = [processes.stdio(place, folder / where) for where in ("", "deep", "deep/down", "", "deep")]
    await asyncio.gather(*(client.opens() for client in clients))

    added = await asyncio.gather(*(client.calls("add_note", content="hello") for client in clients))

    assert len({answer["session_id"] for answer in added}) == 1
    assert sorted(answer["note"]["id"] for answer in added) == [f"n{number}" for number in range(1, 6)]
    assert await sessions_of(processes, place) == [added[0]["session_id"]]


async def test_local_clients_of_other_folders_get_a_session_of_their_own(
    processes: Processes, embedded: dict[str, str], tmp_path: Path
) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    clients = [processes.stdio(embedded, folder) for folder in folders]
    await asyncio.gather(*(client.opens() for client in clients))

    added = await asyncio.gather(*(client.calls("add_note", content="hello") for client in clients))

    assert len({answer["session_id"] for answer in added}) == 2


async def test_a_session_that_five_processes_name_in_their_environment_is_created_once(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    place = place_of(store, tmp_path)
    clients = await opened(processes, {**place, "session_id": "named_by_all"})

    added = await asyncio.gather(*(client.calls("add_note", content="hello") for client in clients))

    assert sorted(answer["note"]["id"] for answer in added) == [f"n{number}" for number in range(1, 6)]
    assert await sessions_of(processes, place) == ["named_by_all"]


async def test_a_server_and_local_clients_of_one_project_share_one_session(
    processes: Processes, embedded: dict[str, str]
) -> None:
    project = {**embedded, "project": "atlas"}
    server = processes.serve(project)
    clients = await opened(processes, project)

    async with wire_to(server.address) as wire:
        added = await asyncio.gather(
            wire.calls("add_note", content="hello"), *(client.calls("add_note", content="hello") for client in clients)
        )

        assert len({answer["session_id"] for answer in added}) == 1
        assert len((await wire.calls("list_sessions"))["sessions"]) == 1


async def test_a_local_client_that_has_no_session_is_told_a_way_that_it_has(
    processes: Processes, embedded: dict[str, str]
) -> None:
    client = processes.stdio({**embedded, "session_mode": "strict"})
    await client.opens()

    refused = await client.calls("add_note", content="hello")

    assert refused["error"]["code"] == "MISSING_SESSION_ID"
    assert "create_session" in refused["error"]["error"]
    assert "X-Session-ID" not in refused["error"]["error"]
