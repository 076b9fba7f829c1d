"""The feed: events pushed to listeners in order, each once, none skipped, nobody held up by the slow."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import CapacityLimitReached
from longtable.log.feed import NOTHING_YET, QUEUED, Subscription
from longtable.log.kinds import ALL_KINDS, KindFilter
from longtable.log.reader import EventFilter
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow


def listener(name: str = "listener", session: str | None = "sess_one", **more: Any) -> EventFilter:
    caller = Caller("default", Role.LOCAL, name, more.pop("kind", "generic"), Surface.HTTP, session)
    return EventFilter(caller, session, more.pop("kinds", ALL_KINDS))


async def take(subscription: Subscription, count: int) -> list[dict[str, Any]]:
    taken: list[dict[str, Any]] = []
    async with asyncio.timeout(40):
        async for event in subscription:
            taken.append(event)
            if len(taken) == count:
                break
    return taken


async def test_a_listener_gets_what_happens_from_now_on(table: Table, alice: Agent) -> None:
    await alice.adds_note("before")

    async with table.app.feed.subscribe(listener(), None) as subscription:
        await alice.adds_note("after")
        events = await take(subscription, 1)

    assert [event["note_id"] for event in events] == ["n2"]


async def test_a_listener_goes_on_from_its_cursor_and_then_live_without_a_gap(table: Table, alice: Agent) -> None:
    for n in range(300):
        await alice.adds_note(str(n))

    async with table.app.feed.subscribe(listener(), 0) as subscription:
        writing = asyncio.gather(*(alice.adds_note(f"live {n}") for n in range(50)))
        events = await take(subscription, 351)
        await writing

    assert [event["kind"] for event in events[:2]] == ["session/created", "scratchpad/note_added"]
    assert [event["note_id"] for event in events[1:]] == [f"n{n}" for n in range(1, 351)]


async def test_a_listener_hears_what_happens_after_a_long_silence(table: Table, alice: Agent) -> None:
    table.app.feed.poll_seconds = 0.01

    async with table.app.feed.subscribe(listener(), None) as subscription:
        silence = await subscription.next(0.2)
        await alice.adds_note("at last")
        events = await take(subscription, 1)

    assert silence is NOTHING_YET
    assert [event["note_id"] for event in events] == ["n1"]


async def test_kinds_visibility_and_session_are_checked_for_each_event(table: Table, alice: Agent) -> None:
    other = table.agent("alice", await table.session("sess_two"))
    only_messages = listener(kinds=KindFilter.parse("kinds", ["message/*"]))

    async with table.app.feed.subscribe(only_messages, None) as subscription:
        await alice.adds_note("a note")
        await other.calls("add_message", content="elsewhere")
        await alice.calls("add_message", content="private", visibility="private")
        await alice.calls("add_message", content="public")
        events = await take(subscription, 1)

    assert [event["content_preview"] for event in events] == ["public"]


async def test_a_listener_that_falls_behind_is_told_and_nobody_else_notices(table: Table, alice: Agent) -> None:
    async with (
        table.app.feed.subscribe(listener("slow"), None) as slow,
        table.app.feed.subscribe(listener("quick"), None) as quick,
    ):
        healthy = asyncio.create_task(take(quick, QUEUED + 50))
        for n in range(QUEUED + 50):
            await alice.adds_note(str(n))
        assert len(await healthy) == QUEUED + 50
        received = (await take(slow, 1))[0]
        await alice.adds_note("one more")
        resumed = (await take(slow, 1))[0]

    assert set(received) == {"lagged", "after"}
    assert received["lagged"] is True
    missed = await alice.calls("read_events", after=received["after"], limit=1000, max_chars=0)
    assert [event["note_id"] for event in missed["events"] if "note_id" in event][-1] == f"n{QUEUED + 51}"
    assert resumed["note_id"] == f"n{QUEUED + 51}"


async def test_the_eleventh_subscription_of_a_caller_to_a_session_is_refused(table: Table, session: str) -> None:
    from contextlib import AsyncExitStack

    async with AsyncExitStack() as stack:
        for _ in range(10):
            await stack.enter_async_context(table.app.feed.subscribe(listener(), None))
        with pytest.raises(CapacityLimitReached):
            await stack.enter_async_context(table.app.feed.subscribe(listener(), None))
        await stack.enter_async_context(table.app.feed.subscribe(listener("another"), None))
        assert table.app.feed.subscribers == 11
    assert sum(table.app.refusals.totals.values()) == 1

    assert table.app.feed.subscribers == 0


async def test_a_subscription_ends_with_its_session(table: Table, alice: Agent) -> None:
    async with table.app.feed.subscribe(listener(), None) as subscription:
        await alice.calls("close_session")
        async with asyncio.timeout(40):
            kinds = [event["kind"] async for event in subscription]

    assert kinds == ["session/closed"]


async def test_what_another_process_writes_arrives_as_well(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        writer = there.agent("writer", await there.session("sess_one"))
        async with here.app.feed.subscribe(listener(), None) as subscription:
            await asyncio.gather(*(writer.adds_note(str(n)) for n in range(20)))
            events = await take(subscription, 20)

    assert [event["note_id"] for event in events] == [f"n{n}" for n in range(1, 21)]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)


async def test_a_mere_read_reaches_listeners_but_ends_no_wait(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("write_draft_section", section_id="intro", content="text")
    after = (await bob.calls("read_events"))["next_after"]

    async with table.app.feed.subscribe(listener(), None) as subscription:
        waiting = asyncio.create_task(bob.calls("read_events", after=after, wait_seconds=20))
        await alice.calls("read_section", section_name="intro")
        received = await take(subscription, 1)
        await alice.adds_note("real news")
        woken = await asyncio.wait_for(waiting, 40)

    assert (received[0]["kind"], received[0]["reader_agent"]) == ("scratchpad/section_read", "alice")
    assert woken["events"][-1]["kind"] == "scratchpad/note_added"
