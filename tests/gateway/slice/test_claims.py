"""A call with an idempotency key has one effect, in however many processes it is repeated and however they end."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateway.slice.shifting_upstream import DELETE, READ, ShiftingServer, shifting
from tests.stores import Store

pytestmark = pytest.mark.slow

LOST = 16_000_000
UNASKED = [{"match": "shift.delete_note", "layer": "governed", "confirm": "none"}]
Pair = tuple[ShiftingServer, ShiftingServer]


@pytest.fixture
async def pair(store: Store, tmp_path: Path) -> AsyncIterator[Pair]:
    """Two servers on one store."""
    async with shifting(store, tmp_path) as here, shifting(store, tmp_path) as there:
        yield here, there


def hold(server: ShiftingServer) -> None:
    """The next calls of the upstream stop in the middle, until `go`."""
    os.mkfifo(server.folder / "calling")
    os.mkfifo(server.folder / "go")


async def until_called(server: ShiftingServer) -> None:
    await asyncio.to_thread((server.folder / "calling").read_text)
    (server.folder / "calling").unlink()


async def go(server: ShiftingServer) -> None:
    await asyncio.to_thread((server.folder / "go").write_text, "go on")


async def test_twenty_repetitions_at_two_servers_run_once(pair: Pair) -> None:
    responses = await asyncio.gather(*(pair[number % 2].use(READ, idempotency_key="k") for number in range(20)))

    assert {each.code for each in responses} == {"SUCCESS"}
    assert pair[0].ran() == ["read_note"]


async def test_who_repeats_a_call_that_runs_elsewhere_waits_for_its_result(pair: Pair) -> None:
    here, there = pair
    await here.use(READ)
    await there.use(READ)
    hold(here)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(here.use(READ, idempotency_key="k"))
        await until_called(here)
        second = group.create_task(there.use(READ, idempotency_key="k"))
        other = await there.use(READ, inputs={"path": "other"}, idempotency_key="k")
        await go(here)

    assert (first.result().code, second.result().code, other.code) == ("SUCCESS", "SUCCESS", "IDEMPOTENCY_MISMATCH")
    assert here.ran() == ["read_note"] * 3


async def test_the_outcome_of_a_call_whose_process_ended_is_unknown_and_it_is_not_run_again(pair: Pair) -> None:
    here, there = pair
    await here.use(READ)
    await there.use(READ)
    hold(here)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(here.use(READ, idempotency_key="k"))
        await until_called(here)
        # To the other server it is as if nothing had been heard of this one for so long.
        there.gateway.table.clock.ahead += LOST

        unknown = [await there.use(READ, idempotency_key="k") for _ in range(2)]
        await go(here)

    late = await there.use(READ, idempotency_key="k")
    assert {each.code for each in unknown} == {"OUTCOME_UNKNOWN"}
    assert (first.result().code, late.code) == ("SUCCESS", "SUCCESS")
    assert here.ran() == ["read_note"] * 3


async def test_a_call_that_fails_before_it_runs_gives_its_key_back(store: Store, tmp_path: Path) -> None:
    async with shifting(store, tmp_path) as upstream:
        refused = [await upstream.use(DELETE, idempotency_key="k") for _ in range(2)]

    assert {each.code for each in refused} == {"CONFIRMATION_REQUIRED"}


async def test_a_governed_call_that_took_too_long_is_not_run_a_second_time(store: Store, tmp_path: Path) -> None:
    async with shifting(store, tmp_path, rules=UNASKED, timeout="2s") as upstream:
        before = await upstream.use(DELETE)
        hold(upstream)
        async with asyncio.TaskGroup() as group:
            first = group.create_task(upstream.use(DELETE, idempotency_key="k"))
            await until_called(upstream)
        again = await upstream.use(DELETE, idempotency_key="k")
        await go(upstream)

    assert (before.code, first.result().code, again.code) == ("SUCCESS", "UPSTREAM_TIMEOUT", "OUTCOME_UNKNOWN")
    assert upstream.ran() == ["delete_note"] * 2


async def test_a_key_of_one_tenant_is_nothing_to_another(store: Store, tmp_path: Path) -> None:
    async with shifting(store, tmp_path) as upstream:
        await upstream.use(READ)
        await upstream.use(READ, tenant="rival")
        hold(upstream)
        async with asyncio.TaskGroup() as group:
            theirs = group.create_task(upstream.use(READ, tenant="rival", idempotency_key="k"))
            await until_called(upstream)
            ours = [await upstream.use(READ, inputs={"path": path}, idempotency_key=path) for path in ("k", "l")]
            repeated = group.create_task(upstream.use(READ, tenant="rival", idempotency_key="k"))
            await go(upstream)

    assert {each.code for each in (*ours, theirs.result(), repeated.result())} == {"SUCCESS"}
    assert upstream.ran() == ["read_note"] * 5
