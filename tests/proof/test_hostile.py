"""Callers who mean harm, in full: each kind three times, 16 of them at once, 500 silent, 300 half-sent bodies, 10,000
made-up ids."""

from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest

from tests.e2e.attackers import attackers
from tests.e2e.hostile import BEARER, HALF_POST, KINDS, RIVAL, WatchedServer, calls, log_lines, silent, watched
from tests.e2e.servers import Processes, Server, until
from tests.e2e.wire import Header, wire_to

pytestmark = pytest.mark.timeout(600)
CPU = 0.3
GROWN = 1.2
SLOWER = 3.0
BUSY = 5
"""How much slower a machine may be that has other things to do."""


@pytest.fixture
async def target(processes: Processes, embedded: dict[str, str]) -> WatchedServer:
    return await watched(processes, embedded)


def p95(took: Sequence[float]) -> float:
    return sorted(took)[int(0.95 * (len(took) - 1))]


async def test_no_hostile_request_costs_more_than_it_may(target: WatchedServer) -> None:
    for kind in KINDS:
        await target.attacked(kind)
    before = target.memory

    costs = {kind: min([await target.attacked(kind) for _ in range(3)]) for kind in KINDS}

    assert {kind: cost for kind, cost in costs.items() if cost > CPU} == {}
    await until(lambda: target.memory < before * GROWN)


async def test_sixteen_hostile_clients_hardly_slow_another_tenant_down(target: WatchedServer) -> None:
    """They run in four processes with a low priority: on two cores the server and whoever measures would otherwise
    wait for a core, whatever the server does. Their pace is their own: each sends as soon as it was answered. Quiet
    and hostile spells take turns, so that whatever else the machine does is in both."""
    quiet: list[float] = []
    attacked: list[float] = []
    await calls(target.server, 50)
    before = target.memory

    with attackers(target.server, clients=16, processes=4) as hostile:
        for _ in range(5):
            hostile.pause()
            await calls(target.server, 20)
            quiet += await calls(target.server, 100, seconds=3)
            hostile.go_on()
            attacked += await calls(target.server, 100, seconds=6)
        sent = hostile.end()

    print(f"p95 quiet {p95(quiet):.4f} s of {len(quiet)}, attacked {p95(attacked):.4f} s of {len(attacked)}, {sent}")
    assert {kind for kind, _ in sent} == set(KINDS)
    assert sum(sent.values()) >= 100
    assert p95(attacked) < SLOWER * p95(quiet), (p95(quiet), p95(attacked), sent)
    await until(lambda: target.memory < before * GROWN, 30)
    assert target.server.tracebacks == []


MADE_UP: dict[str, Sequence[Header]] = {"of strangers": (), "with a credential": (BEARER,)}


@pytest.mark.parametrize("whose", MADE_UP)
async def test_ten_thousand_connects_with_made_up_ids_move_nobody_and_leave_nothing(
    target: WatchedServer, whose: str
) -> None:
    owner = await connected(target.server)
    await connects(target.server, MADE_UP[whose], 500)
    before = target.memory

    statuses = await connects(target.server, MADE_UP[whose], 10_000)
    took = await calls(target.server, 20)

    assert statuses == ({404} if MADE_UP[whose] else {401})
    assert await session_of(target.server, owner) == "rival_two"
    assert p95(took) < 1.0 * BUSY
    await until(lambda: target.memory < before * GROWN)
    assert len(log_lines(target.server, "limit_reached")) <= 2


async def connects(server: Server, headers: Sequence[Header], count: int) -> set[int]:
    """A connection each, with an id that nobody was given; half of them open a stream, the others call."""
    statuses = set()
    call = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add_note", "arguments": {}}}'
    for number in range(count):
        made_up = ("Mcp-Session-Id", f"lt1.{number:032x}.{number:043x}")
        async with wire_to(server.address) as wire:
            if number % 2:
                accept = ("Accept", "text/event-stream")
                reply = await wire.sends("GET", "/mcp", [*headers, made_up, accept])
            else:
                both = ("Accept", "application/json, text/event-stream")
                kind = ("Content-Type", "application/json")
                reply = await wire.sends("POST", "/mcp", [*headers, made_up, both, kind], call)
            statuses.add(reply.status)
    return statuses


LEGACY: Sequence[Header] = [
    RIVAL,
    ("Accept", "application/json, text/event-stream"),
    ("Content-Type", "application/json"),
    ("MCP-Protocol-Version", "2025-11-25"),
]


async def connected(server: Server) -> str:
    """The id of a connection whose current session is one that it made."""
    hello = (
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",'
        b' "capabilities": {}, "clientInfo": {"name": "owner", "version": "1"}}}'
    )
    create = (
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params":'
        b' {"name": "create_session", "arguments": {"session_id": "rival_two"}}}'
    )
    async with wire_to(server.address) as wire:
        opened = await wire.sends("POST", "/mcp", LEGACY, hello)
        given = opened.headers["mcp-session-id"]
        made = await wire.sends("POST", "/mcp", [*LEGACY, ("Mcp-Session-Id", given)], create)
    assert made.json["result"]["isError"] is False, made.body
    return given


async def session_of(server: Server, connection: str) -> str:
    call = b'{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "get_session", "arguments": {}}}'
    async with wire_to(server.address) as wire:
        reply = await wire.sends("POST", "/mcp", [*LEGACY, ("Mcp-Session-Id", connection)], call)
    session: str = reply.json["result"]["structuredContent"]["session"]["session_id"]
    return session


async def test_silent_connections_and_half_sent_bodies_lock_nobody_out_and_leave_nothing(target: WatchedServer) -> None:
    await calls(target.server, 20)
    before = target.memory
    async with AsyncExitStack() as stack:
        await silent(stack, target.server, 500)
        for wire in await silent(stack, target.server, 300):
            await wire.writes(HALF_POST + b"a" * 60_000)
        took = await calls(target.server, 20)
        grown = target.memory - before

    print(f"memory before {before}, grown by {grown}, p95 {p95(took):.4f} s")
    assert p95(took) < 1.0 * BUSY
    assert grown < 100 * 2**20
    await until(lambda: target.memory < before * GROWN, 30)
    assert len(log_lines(target.server, "limit_reached")) <= 2
