"""Callers who mean harm cost little, are answered plainly, and disturb nobody. The volume is in `tests/proof`."""

from contextlib import AsyncExitStack

import pytest

from tests.e2e.hostile import HALF_POST, KINDS, Watched, calls, log_lines, silent, watched, while_under_attack
from tests.e2e.servers import Processes, until
from tests.e2e.wire import wire_to

pytestmark = pytest.mark.slow
CPU = 1.5
"""Seconds for one request: a fifth of it on a quiet machine."""
GROWN = 64 * 2**20
LATE = 10.0


@pytest.fixture
async def target(processes: Processes, embedded: dict[str, str]) -> Watched:
    return await watched(processes, embedded)


async def test_no_hostile_request_costs_much_or_is_answered_wrongly(target: Watched) -> None:
    await target.attacked("as wide as allowed")
    before = target.memory

    costs = {kind: await target.attacked(kind) for kind in KINDS}

    assert {kind: cost for kind, cost in costs.items() if cost > CPU} == {}
    await until(lambda: target.memory < before + GROWN)
    assert target.server.tracebacks == []


async def test_another_tenant_goes_on_under_attack(target: Watched) -> None:
    took = await while_under_attack(target.server, clients=4, count=10)

    assert took[-1] < LATE
    assert target.server.tracebacks == []


async def test_silent_connections_half_sent_bodies_and_made_up_ids_lock_nobody_out(target: Watched) -> None:
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
