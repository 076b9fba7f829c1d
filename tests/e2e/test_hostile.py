"""Callers who mean harm cost little, are answered plainly, and disturb nobody. The volume is in `tests/proof`."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from tests.e2e.attackers import attackers
from tests.e2e.hostile import (
    BEARER,
    HALF_POST,
    KINDS,
    TOKENS,
    WatchedServer,
    calls,
    code_of,
    log_lines,
    silent,
    watched,
)
from tests.e2e.servers import Processes, until
from tests.e2e.wire import modern_headers, modern_request, wire_to

pytestmark = pytest.mark.slow
CPU = 0.3
"""Seconds for one request. What else happens at that moment may be in it, so that the dear ones are sent again."""
GROWN = 64 * 2**20
LATE = 10.0


@pytest.fixture
async def target(processes: Processes, embedded: dict[str, str]) -> WatchedServer:
    return await watched(processes, embedded)


async def test_no_hostile_request_costs_much_or_is_answered_wrongly(target: WatchedServer) -> None:
    await target.attacked("as wide as allowed")
    before = target.memory

    costs = {kind: await target.attacked(kind) for kind in KINDS}

    dear = {kind: await target.attacked(kind) for kind, cost in costs.items() if cost > CPU}
    assert {kind: cost for kind, cost in dear.items() if cost > CPU} == {}
    await until(lambda: target.memory < before + GROWN)
    assert target.server.tracebacks == []


async def test_another_tenant_goes_on_under_attack(target: WatchedServer) -> None:
    with attackers(target.server, clients=4, processes=1):
        took = await calls(target.server, 10)

    assert took[-1] < LATE
    assert target.server.tracebacks == []


async def test_large_requests_of_one_tenant_wait_while_another_calls_and_the_last_are_told_when_to_come_back(
    processes: Processes, embedded: dict[str, str]
) -> None:
    target = await watched(processes, {**embedded, "large_request_share": "1"})
    took = await calls(target.server, 1)
    async with AsyncExitStack() as stack:
        wires = await silent(stack, target.server, 100)
        sending = [asyncio.ensure_future(KINDS["as wide as allowed"].send(wire)) for wire in wires]
        took += await calls(target.server, 5)
        first = await asyncio.gather(*sending)
        took += await calls(target.server, 1)
        others = await silent(stack, target.server, 60)
        last = await asyncio.gather(*[KINDS["as wide as allowed"].send(wire) for wire in others])

    refused = [reply for reply in last if reply is not None and code_of(reply) == "RATE_LIMITED"]
    assert "CAPACITY_LIMIT_REACHED" in {code_of(reply) for reply in first}
    # How many of them the share is enough for depends on how fast the machine is.
    assert len(refused) >= 10
    assert {reply.headers.get("retry-after") for reply in refused} == {"5"}
    assert max(took) < LATE
    assert target.server.event("limit_reached")["limit"] == "large_request_share"


async def test_large_requests_of_the_only_caller_do_not_wait(processes: Processes, embedded: dict[str, str]) -> None:
    server = processes.serve({**embedded, "auth_tokens": TOKENS, "large_request_share": "1"})
    async with wire_to(server.address, BEARER) as wire:
        await wire.calls("create_session", session_id="acme_one")
    async with AsyncExitStack() as stack:
        wires = await silent(stack, server, 100)
        replies = await asyncio.gather(*[KINDS["as wide as allowed"].send(wire) for wire in wires])

    assert {code_of(reply) for reply in replies} == {"CAPACITY_LIMIT_REACHED"}


async def test_small_requests_that_do_not_say_their_size_do_not_wait_while_another_calls(
    processes: Processes, embedded: dict[str, str]
) -> None:
    target = await watched(processes, {**embedded, "large_request_share": "1"})
    await calls(target.server, 1)
    body = modern_request("ping", {}, 1)
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    headers = [*modern_headers("ping", {}), BEARER, ("Transfer-Encoding", "chunked")]

    # Less than the ten seconds after which the tenant would be the only caller.
    async with asyncio.timeout(9), wire_to(target.server.address) as wire:
        statuses = {(await wire.sends("POST", "/mcp", headers, chunked)).status for _ in range(100)}

    assert 429 not in statuses
    assert len(statuses) == 1


async def test_silent_connections_half_sent_bodies_and_made_up_ids_lock_nobody_out(target: WatchedServer) -> None:
    before = target.memory
    made_up = ("Mcp-Session-Id", "lt1.bm9uZQ.bm9uZQ")
    async with AsyncExitStack() as stack:
        await silent(stack, target.server, 100)
        for wire in await silent(stack, target.server, 50):
            await wire.writes(HALF_POST + b"a" * 60_000)
        async with wire_to(target.server.address) as wire:
            statuses = {(await wire.sends("GET", "/mcp", [made_up])).status for _ in range(200)}
        took = await calls(target.server, 5)
        grown = target.memory - before

    assert statuses == {401}
    assert took[-1] < LATE
    assert grown < GROWN
    assert len(log_lines(target.server, "limit_reached")) <= 1
