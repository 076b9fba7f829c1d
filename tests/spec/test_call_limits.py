"""One credential, or one tenant, cannot take it all: calls at once, calls a second, subscriptions, stored bytes."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from longtable.app import App
from tests.sse import listens
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

TOKENS = "acme:acme-secret,acme2:acme2-secret,rival:rival-secret"
MANY = 40


@asynccontextmanager
async def guarded(store: Store, tmp_path: Path, **options: str) -> AsyncIterator[Table]:
    """Two tenants with a session each."""
    async with open_table(store, tmp_path, auth_tokens=TOKENS, **options) as table:
        for tenant in ("acme", "rival"):
            await table.agent(None, None, f"{tenant}-secret").calls("create_session", session_id=f"{tenant}_one")
        yield table


def agent(table: Table, tenant: str, name: str | None = None) -> Agent:
    return table.agent(name, f"{tenant}_one", f"{tenant}-secret")


async def codes(*calls: Any) -> Counter[str]:
    """How calls made at the same time ended."""

    async def code(call: Any) -> str:
        try:
            await call
        except Refused as refused:
            return refused.code if refused.code != "RATE_LIMITED" or refused.details["retry_after"] > 0 else "NEVER"
        return "SUCCESS"

    return Counter(await asyncio.gather(*(code(call) for call in calls)))


async def test_a_credential_with_too_many_calls_in_flight_is_refused_and_others_are_not(
    store: Store, tmp_path: Path
) -> None:
    async with guarded(store, tmp_path, max_calls_in_flight="5") as table:
        flood = [agent(table, "acme", f"a{n}").adds_note(f"note {n}") for n in range(MANY)]
        acme, rival = await asyncio.gather(
            codes(*flood), codes(*(agent(table, "rival").adds_note(f"note {n}") for n in range(5)))
        )
        after = await codes(agent(table, "acme").adds_note("later"))

    assert set(acme) == {"SUCCESS", "RATE_LIMITED"}
    assert acme["SUCCESS"] >= 5
    assert (rival, after) == (Counter(SUCCESS=5), Counter(SUCCESS=1))


async def test_a_tenant_has_a_limit_of_its_own(store: Store, tmp_path: Path) -> None:
    async with guarded(store, tmp_path, max_calls_in_flight="0", max_calls_in_flight_tenant="5") as table:
        acme = await codes(*(agent(table, "acme").adds_note(f"note {n}") for n in range(MANY)))

    assert set(acme) == {"SUCCESS", "RATE_LIMITED"}


async def test_nothing_is_refused_where_the_limits_are_switched_off(store: Store, tmp_path: Path) -> None:
    off = {"max_calls_in_flight": "0", "max_calls_in_flight_tenant": "0", "call_rate": "0"}
    async with guarded(store, tmp_path, **off) as table:
        acme = await codes(*(agent(table, "acme").adds_note(f"note {n}") for n in range(MANY)))

    assert acme == Counter(SUCCESS=MANY)


@pytest.mark.in_process("counts in the memory of the server")
async def test_calls_that_wait_do_not_count_as_calls_in_flight(store: Store, tmp_path: Path) -> None:
    async with guarded(store, tmp_path, max_calls_in_flight="2") as table:
        waiting = []
        for n in range(4):
            waits = agent(table, "acme", f"w{n}").calls("wait_for_messages", timeout_seconds=20)
            waiting.append(asyncio.create_task(waits))
            await until(lambda: under_way(table.app) == (len(waiting), 0))
        during = await codes(agent(table, "acme", "speaker").calls("add_message", content="Wake up."))
        await asyncio.gather(*waiting)
        left = under_way(table.app)

    assert (during, left) == (Counter(SUCCESS=1), (0, 0))


@pytest.mark.in_process("servers count together within a second, not at once")
async def test_a_credential_has_a_rate_with_a_burst_and_rest_tells_when_to_come_back(
    store: Store, tmp_path: Path
) -> None:
    async with guarded(store, tmp_path, call_rate="1") as table:
        first = [await codes(agent(table, "acme", f"a{n}").calls("read_notes")) for n in range(6)]
        over_rest = await agent(table, "acme").client.get("/sessions/acme_one/notes")
        rival = await codes(agent(table, "rival").calls("read_notes"))

    assert first[0] == Counter(SUCCESS=1)
    assert first[-1] == Counter(RATE_LIMITED=1)
    assert (over_rest.status_code, over_rest.json()["error"]["code"]) == (429, "RATE_LIMITED")
    assert int(over_rest.headers["retry-after"]) >= 1
    assert rival == Counter(SUCCESS=1)


async def test_with_auth_off_there_is_no_rate(table: Table, alice: Agent) -> None:
    assert await codes(*(alice.calls("read_notes") for _ in range(100))) == Counter(SUCCESS=100)


@pytest.mark.in_process("servers count together within a second, not at once")
async def test_subscriptions_count_by_credential_whatever_name_it_gives(store: Store, tmp_path: Path) -> None:
    async with guarded(store, tmp_path, max_subscriptions="2") as table, AsyncExitStack() as stack:
        bearer = {"authorization": "Bearer acme-secret"}
        streams = [
            await stack.enter_async_context(
                listens(table.http, "/sessions/acme_one/events", x_caller_agent=f"a{n}", **bearer)
            )
            for n in range(3)
        ]
        other = await stack.enter_async_context(
            listens(table.http, "/sessions/rival_one/events", authorization="Bearer rival-secret")
        )

    assert [stream.status for stream in streams] == [200, 200, 409]
    assert other.status == 200


@pytest.mark.in_process("servers count together within a second, not at once")
async def test_a_tenant_that_has_stored_its_share_may_only_delete_until_there_is_room(
    store: Store, tmp_path: Path
) -> None:
    async with guarded(store, tmp_path, max_tenant_bytes="60000") as table:
        usage = table.app.limit_sharing.usage
        usage.count_again_seconds, usage.pause_factor = 0.0, 0
        acme, rival = agent(table, "acme"), agent(table, "rival")
        await acme.calls("set_memory", key="large", value="x" * 50_000)
        await usage.check()
        await acme.adds_note("y" * 20_000)
        await usage.check()

        full = await codes(acme.adds_note("more"), rival.adds_note("mine"))
        reads = await codes(acme.calls("read_notes"), acme.calls("delete_memory", key="large"))
        await usage.check()
        after = await codes(acme.adds_note("more"))

    assert full == Counter(CAPACITY_LIMIT_REACHED=1, SUCCESS=1)
    assert (reads, after) == (Counter(SUCCESS=2), Counter(SUCCESS=1))


async def test_a_process_to_which_a_full_tenant_comes_first_knows_that_it_is_full(store: Store, tmp_path: Path) -> None:
    async with guarded(store, tmp_path, max_tenant_bytes="30000") as one:
        await agent(one, "acme").adds_note("y" * 40_000)
        await one.app.limit_sharing.usage.check()
        async with open_table(store, tmp_path, auth_tokens=TOKENS, max_tenant_bytes="30000") as two:
            await two.app.limit_sharing.usage.check()
            elsewhere = await codes(agent(two, "acme").adds_note("more"), agent(two, "rival").adds_note("mine"))

    assert elsewhere == Counter(CAPACITY_LIMIT_REACHED=1, SUCCESS=1)


@pytest.mark.in_process("counts in the memory of the server")
async def test_two_processes_on_one_store_count_together(store: Store, tmp_path: Path) -> None:
    options = {"max_waits": "3", "call_rate": "10"}
    async with (
        guarded(store, tmp_path, **options) as one,
        open_table(store, tmp_path, auth_tokens=TOKENS, **options) as two,
    ):
        waiting = [
            asyncio.create_task(agent(one, "acme", f"w{n}").calls("wait_for_messages", timeout_seconds=20))
            for n in range(3)
        ]
        await until(lambda: under_way(one.app) == (3, 0))
        await exchanged(one, two)
        elsewhere = await codes(agent(two, "acme", "w9").calls("wait_for_messages", timeout_seconds=20))
        used = Counter[str]()
        for n in range(40):
            used += await codes(agent(one, "acme", f"a{n}").calls("read_notes"))
        await exchanged(one, two)
        drained = await codes(*(agent(two, "acme", f"b{n}").calls("read_notes") for n in range(12)))
        await agent(one, "acme", "speaker").client.post(
            "/sessions/acme_one/messages", json={"content": "Wake up."}, headers={"X-Caller-Agent": "speaker"}
        )
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    assert elsewhere == Counter(CAPACITY_LIMIT_REACHED=1)
    assert used["SUCCESS"] >= 10
    assert drained["RATE_LIMITED"] > 0


@pytest.mark.in_process("counts in the memory of the server")
async def test_what_a_process_had_under_way_ends_with_it(store: Store, tmp_path: Path) -> None:
    async with guarded(store, tmp_path, max_waits="1") as one:
        async with open_table(store, tmp_path, auth_tokens=TOKENS, max_waits="1") as two:
            waiting = asyncio.create_task(agent(two, "acme").calls("wait_for_messages", timeout_seconds=20))
            await until(lambda: under_way(two.app) == (1, 0))
            await exchanged(one, two)
            during = await codes(agent(one, "acme").calls("wait_for_messages", timeout_seconds=1))
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await one.app.limit_sharing.counts.exchange()
        after = await codes(agent(one, "acme").calls("wait_for_messages", timeout_seconds=1))

    assert (during, after) == (Counter(CAPACITY_LIMIT_REACHED=1), Counter(SUCCESS=1))


def under_way(app: App) -> tuple[int, int]:
    """The calls that wait, and those that do not."""
    calls = app.dispatcher.limits.tenant_calls.own
    return sum(app.waits.waiting.own.values()), sum(calls.values())


async def exchanged(*tables: Table) -> None:
    """Each has told what it has under way, and has heard of the others."""
    for table in (*tables, *tables):
        await table.app.limit_sharing.counts.exchange()


async def until(holds: Any) -> None:
    async with asyncio.timeout(40):
        while not holds():  # noqa: ASYNC110 - what it waits for tells nobody
            await asyncio.sleep(0.005)
