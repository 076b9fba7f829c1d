"""Callers who mean harm, in full: each kind three times, 500 silent, 300 half-sent bodies, 10,000 made-up ids."""

from contextlib import AsyncExitStack

import pytest

from tests.e2e.hostile import HALF_POST, KINDS, Watched, calls, log_lines, silent, watched
from tests.e2e.servers import Processes, until
from tests.e2e.wire import wire_to

CPU = 0.3
GROWN = 1.2
BUSY = 5
"""How much slower a machine may be that has other things to do."""


@pytest.fixture
async def target(processes: Processes, embedded: dict[str, str]) -> Watched:
    return await watched(processes, embedded)


def p95(took: list[float]) -> float:
    return took[int(0.95 * (len(took) - 1))]


async def test_no_hostile_request_costs_more_than_it_may(target: Watched) -> None:
    for kind in KINDS:
        await target.attacked(kind)
    before = target.memory

    costs = {kind: min([await target.attacked(kind) for _ in range(3)]) for kind in KINDS}

    assert {kind: cost for kind, cost in costs.items() if cost > CPU} == {}
    await until(lambda: target.memory < before * GROWN)


async def test_thousands_of_strangers_move_and_lock_out_nobody(target: Watched) -> None:
    before = target.memory
    async with AsyncExitStack() as stack:
        await silent(stack, target.server, 500)
        for wire in await silent(stack, target.server, 300):
            await wire.writes(HALF_POST + b"a" * 60_000)
        async with wire_to(target.server.address) as wire:
            statuses = {
                (await wire.sends("GET", "/mcp", [("Mcp-Session-Id", f"lt1.{n:032x}.{n:043x}")])).status
                for n in range(10_000)
            }
        took = await calls(target.server, 20)
        grown = target.memory - before

    assert statuses == {401}
    assert p95(took) < 1.0 * BUSY
    assert grown < 100 * 2**20
    assert len(log_lines(target.server, "limit_reached")) <= 2
