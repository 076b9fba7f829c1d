"""A client that goes away: its wait ends at once and frees its place, its upstream call is taken back, and what it
wrote is written all the same."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.callers import HANDSHAKE, SocketAgent
from tests.e2e.servers import Processes, Server, Stdio, until
from tests.e2e.test_shutdown import store_held
from tests.e2e.wire import modern_headers, modern_request, wire_to
from tests.gateway.hostile.entries import hostile_json
from tests.table import Agent

pytestmark = pytest.mark.slow
WAIT = "mindscape_tool_calm_wait"
COUNTS = "mindscape_tool_calm_counts"


@pytest.fixture
def waiting_room(processes: Processes, embedded: dict[str, str]) -> Server:
    """One call may wait at a time."""
    return processes.serve({**embedded, "max_waits": "1"})


@pytest.fixture
def gateway(tmp_path: Path, embedded: dict[str, str]) -> dict[str, str]:
    """The options of a store whose server passes calls on to a calm one."""
    file = tmp_path / "gateway.json"
    rules = [{"match": "calm.*", "layer": "tool"}]
    file.write_text(json.dumps({"mcpServers": {"calm": hostile_json("calm")}, "rules": rules}))
    return {**embedded, "gateway_config": str(file), "enable_semantic_search": "false"}


async def hangs_up(
    server: Server, tool: str, arguments: dict[str, Any], begun: Awaitable[None], token: str | None = None
) -> None:
    """Sends a call, waits until it has `begun`, and closes the connection."""
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    body = modern_request("tools/call", params)
    if token is not None:
        message = json.loads(body)
        message["params"]["_meta"]["progressToken"] = token
        body = json.dumps(message).encode()
    async with wire_to(server.address) as wire:
        head = "".join(f"{name}: {value!s}\r\n" for name, value in modern_headers("tools/call", params))
        sized = f"POST /mcp HTTP/1.1\r\nHost: {wire.host}\r\nContent-Length: {len(body)}\r\n{head}\r\n".encode()
        await wire.writes(sized + body)
        await begun


async def overtaken_by_nobody(server: Server) -> None:
    """A call over another connection cannot overtake one that was sent before."""
    async with wire_to(server.address) as other:
        for _ in range(3):
            await other.calls("read_notes")


@pytest.mark.parametrize("handshake", [False, True], ids=["2026-07-28", HANDSHAKE])
async def test_a_wait_whose_client_has_gone_frees_its_place(waiting_room: Server, handshake: bool) -> None:
    agent = waiting_room.agent("next")
    gone = SocketAgent(waiting_room, handshake=handshake)
    gone.sends("wait_for_messages", timeout_seconds=50)
    await waits(agent, "bob")
    assert (await agent.tries("wait_for_messages"))["code"] == "CAPACITY_LIMIT_REACHED"

    gone.hangs_up()

    page = await gets_its_turn(agent, "wait_for_messages", timeout_seconds=0.05)

    assert page["messages"] == []
    await agent.client.aclose()


async def test_a_wait_that_is_taken_back_over_stdio_frees_its_place(
    processes: Processes, embedded: dict[str, str]
) -> None:
    stdio = processes.stdio({**embedded, "max_waits": "1"})
    await stdio.opens()
    await stdio.sends(request(900, "wait_for_messages", {"timeout_seconds": 50}))
    for _ in range(3):
        await stdio.calls("read_notes")
    assert (await stdio.calls("wait_for_messages"))["code"] == "CAPACITY_LIMIT_REACHED"

    await stdio.sends(taken_back(900))

    async with asyncio.timeout(40):
        while (await stdio.calls("wait_for_messages", timeout_seconds=0.01))["code"] != "SUCCESS":
            continue


async def test_an_upstream_hears_that_a_caller_with_a_connection_has_gone(
    processes: Processes, gateway: dict[str, str]
) -> None:
    server = processes.serve(gateway)
    agent = server.agent("other")
    gone = SocketAgent(server, handshake=True)
    await asyncio.to_thread(gone.calls, COUNTS, inputs={})
    gone.sends(WAIT, inputs={"seconds": 3})
    await tells(agent.tries, "busiest")

    gone.hangs_up()

    await tells(agent.tries, "cancelled")
    assert await outcomes(agent, WAIT) == ["CANCELLED"]
    await agent.client.aclose()


@pytest.mark.parametrize("token", [None, "p"], ids=["answered in JSON", "answered by a stream"])
async def test_an_upstream_hears_that_its_caller_has_gone(
    processes: Processes, gateway: dict[str, str], token: str | None
) -> None:
    server = processes.serve(gateway)
    agent = server.agent("other")
    await agent.tries(COUNTS, inputs={})

    await hangs_up(server, WAIT, {"inputs": {"seconds": 3}}, tells(agent.tries, "busiest"), token)

    await tells(agent.tries, "cancelled")
    assert await outcomes(agent, WAIT) == ["CANCELLED"]
    await agent.client.aclose()


async def test_an_upstream_hears_that_a_call_over_stdio_was_taken_back(
    processes: Processes, gateway: dict[str, str]
) -> None:
    stdio = processes.stdio(gateway)
    await stdio.opens()
    await stdio.calls(COUNTS, inputs={})
    params = {"name": WAIT, "arguments": {"inputs": {"seconds": 3}}, "_meta": {"progressToken": "p"}}
    await stdio.sends({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": params})
    await hears_progress(stdio)

    await stdio.sends(taken_back(900))

    await tells(stdio.calls, "cancelled")


async def test_a_write_whose_client_has_gone_is_written(waiting_room: Server, embedded: dict[str, str]) -> None:
    agent = waiting_room.agent("other")
    await agent.calls("add_note", content="there is a table")
    async with wire_to(waiting_room.address) as wire:
        # A name that is new is written down first.
        await wire.calls("read_notes")

    with store_held(embedded):
        begun = overtaken_by_nobody(waiting_room)
        await hangs_up(waiting_room, "add_note", {"content": "written for nobody"}, begun)

    async with asyncio.timeout(40):
        while "written for nobody" not in [note["content"] for note in await agent.reads_notes()]:
            continue
    await agent.client.aclose()


async def tells(calls: Callable[..., Awaitable[dict[str, Any]]], what: str) -> None:
    """Waits until the calm server counts something; not so often that the gateway would refuse to ask."""
    for _ in range(150):
        if (await calls(COUNTS, inputs={})).get(what):
            return
        await asyncio.sleep(0.2)
    raise AssertionError(f"nothing was {what}")


async def waits(agent: Agent, name: str) -> None:
    """Until somebody's call waits."""
    async with asyncio.timeout(40):
        while not any(
            one["agent"] == name and "waits_for" in one for one in (await agent.client.get("/now")).json()["agents"]
        ):
            continue


async def gets_its_turn(agent: Agent, tool: str, **arguments: Any) -> dict[str, Any]:
    async with asyncio.timeout(40):
        while (answer := await agent.tries(tool, **arguments))["code"] == "CAPACITY_LIMIT_REACHED":
            continue
    return answer


async def outcomes(agent: Agent, tool: str) -> list[str]:
    """Of the calls of a tool that are on record."""
    async with asyncio.timeout(40):
        while True:
            entries = (await agent.calls("get_audit_log", event_type="gateway_called"))["entries"]
            found = [entry["outcome"] for entry in entries if entry["object"] == f"tool:{tool}"]
            if found:
                return found


async def hears_progress(stdio: Stdio) -> None:
    await until(lambda: any(one.get("method") == "notifications/progress" for one in stdio.unasked))


def request(number: int, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def taken_back(number: int) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
