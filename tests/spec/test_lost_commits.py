"""PostgreSQL lost in the middle of a commit: what an agent is told is true, and nothing is done twice."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.postgres_proxy import Proxy, proxy_to
from tests.stores import Store, replicated
from tests.table import Agent, Table, open_table

__all__ = ["replicated"]

ANSWERED_WITHIN = 10.0
READY_WITHIN = 2.0
SLACK = 5.0
"""For a machine that is busy with other tests."""

pytestmark = [pytest.mark.slow, pytest.mark.in_process("cuts the next commit, whichever server makes it")]


@pytest.fixture
async def proxy(replicated: Store) -> AsyncIterator[Proxy]:
    async with proxy_to(replicated.address) as opened:
        yield opened


@pytest.fixture
async def table(proxy: Proxy, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(Store("postgresql", proxy.address), tmp_path) as opened:
        yield opened


@pytest.fixture
async def ann(table: Table) -> Agent:
    agent = table.agent("ann", await table.session("sess_one"))
    # With its first call an agent may write more than its note.
    await agent.adds_note("before")
    return agent


async def contents(agent: Agent) -> list[str]:
    return [note["content"] for note in await agent.reads_notes()]


async def test_a_commit_whose_reply_was_lost_is_a_success_once_the_store_has_said_so(ann: Agent, proxy: Proxy) -> None:
    for n in range(5):
        proxy.cut_next = "after the commit is done"
        await ann.adds_note(f"note {n}")

    assert proxy.cuts == 5
    assert await contents(ann) == ["before", *(f"note {n}" for n in range(5))]


async def test_all_callers_of_one_commit_hear_the_same(ann: Agent, proxy: Proxy) -> None:
    proxy.cut_next = "after the commit is done"

    await asyncio.gather(*(ann.adds_note(f"note {n}") for n in range(20)))

    assert proxy.cuts == 1
    assert sorted(await contents(ann)) == sorted(["before", *(f"note {n}" for n in range(20))])


@pytest.mark.parametrize("keeps_half_open", [False, True])
async def test_a_commit_that_never_arrived_has_changed_nothing(ann: Agent, proxy: Proxy, keeps_half_open: bool) -> None:
    proxy.keeps_half_open = keeps_half_open
    proxy.cut_next = "before the commit arrives"

    body = await ann.tries("add_note", content="lost")
    await ann.adds_note("after")

    assert body["error"]["code"] == "STORE_UNAVAILABLE"
    assert await contents(ann) == ["before", "after"]


async def test_a_store_that_cannot_be_asked_leaves_the_outcome_unknown_and_a_key_makes_it_once(
    ann: Agent, proxy: Proxy
) -> None:
    proxy.cut_next, proxy.goes_down_with_cut = "after the commit is done", True
    began = time.monotonic()

    first = await ann.tries("add_note", content="once", idempotency_key="key-1")
    took = time.monotonic() - began
    proxy.is_down = False
    second = await ann.calls("add_note", content="once", idempotency_key="key-1")

    assert first["error"]["code"] == "OUTCOME_UNKNOWN"
    assert "idempotency_key" in first["error"]["error"]
    assert took < ANSWERED_WITHIN + SLACK
    assert second["note"]["id"] == "n2"
    assert await contents(ann) == ["before", "once"]


async def test_a_network_that_stalls_gives_an_error_in_time_and_goes_on_when_it_moves_again(
    table: Table, ann: Agent, proxy: Proxy
) -> None:
    proxy.stall()
    began = time.monotonic()
    calls = [ann.tries("add_note", content=f"late {n}") for n in range(5)] + [ann.tries("read_notes")]

    async def asks() -> tuple[int, float]:
        await asyncio.sleep(1.1)  # What /ready was told a second ago counts no more.
        begun = time.monotonic()
        answer = await ann.client.get("/ready")
        return answer.status_code, time.monotonic() - begun

    (status, waited), *answers = await asyncio.gather(asks(), *calls)
    took = time.monotonic() - began
    proxy.resume()
    await ann.adds_note("after")

    assert {body["error"]["code"] for body in answers} == {"STORE_UNAVAILABLE"}
    assert took < ANSWERED_WITHIN + SLACK
    assert (status, waited < READY_WITHIN + SLACK) == (503, True)
    assert await contents(ann) == ["before", "after"]


async def test_a_network_that_stalls_at_a_commit_gives_an_error_in_time(ann: Agent, proxy: Proxy) -> None:
    proxy.cut_next, proxy.goes_down_with_cut, proxy.stalls_with_cut = "after the commit is done", False, True
    began = time.monotonic()

    body = await ann.tries("add_note", content="in doubt", idempotency_key="key-1")
    took = time.monotonic() - began
    proxy.resume()
    await ann.calls("add_note", content="in doubt", idempotency_key="key-1")

    assert body["error"]["code"] == "OUTCOME_UNKNOWN"
    assert took < ANSWERED_WITHIN + SLACK
    assert await contents(ann) == ["before", "in doubt"]


async def test_a_half_open_connection_that_holds_the_lock_of_a_tenant_blocks_it_for_seconds_only(
    table: Table, ann: Agent, proxy: Proxy, replicated: Store, tmp_path: Path
) -> None:
    async with open_table(replicated, tmp_path) as other:
        bob = other.agent("bob", "sess_one")
        await bob.adds_note("another")
        proxy.stalls_at_commit = True
        lost = asyncio.create_task(ann.tries("add_note", content="lost"))
        await proxy.has_stalled.wait()
        began = time.monotonic()

        await bob.adds_note("after")
        took = time.monotonic() - began
        await lost
        proxy.resume()

        assert took < ANSWERED_WITHIN + SLACK
        assert "after" in await contents(bob)
