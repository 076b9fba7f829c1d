"""Moments in which a listener could miss an event for good, or hear what nobody should hear any more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from longtable.background import FOREIGN_POLL
from longtable.identity.model import Credential
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.light_event import LightEvent
from longtable.log.feed import Feed, Subscription
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.storage import group
from longtable.storage.database import Body, Database, Dialect, Snapshot, StoreState, T
from tests.stores import Store
from tests.table import Agent, Table, open_table

SOON = 40.0
LISTENER = EventFilter(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP, "sess_one"), "sess_one")


@dataclass
class LateAnswers(Database):
    """A store whose first answer to a reader is true but comes late."""

    real: Database
    was_read: asyncio.Event = field(default_factory=asyncio.Event)
    arrives: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def dialect(self) -> Dialect:
        return self.real.dialect

    async def write(self, scope: str, body: Body[T]) -> T:
        return await self.real.write(scope, body)

    async def read(self, scope: str, body: Body[T]) -> T:
        is_first = not self.was_read.is_set()
        found = await self.real.read(scope, body)
        self.was_read.set()
        if is_first:
            await self.arrives.wait()
        return found

    async def look_up(self, scope: str, body: Body[T]) -> T:
        return await self.real.look_up(scope, body)

    def snapshot(self) -> AbstractAsyncContextManager[Snapshot]:
        return self.real.snapshot()

    def revision(self) -> int | None:
        return self.real.revision()

    async def check(self) -> StoreState:
        return await self.real.check()

    async def erase_traces(self) -> bool:
        return await self.real.erase_traces()

    async def close(self) -> None:
        await self.real.close()


async def test_of_two_who_join_at_once_neither_misses_what_follows_its_cursor(table: Table, alice: Agent) -> None:
    store = LateAnswers(table.app.database)
    feed = Feed(store, table.app.wakeups, 10)
    late, quick = feed.subscribe(LISTENER, None), feed.subscribe(LISTENER, None)

    joining = asyncio.create_task(late.__aenter__())
    await store.was_read.wait()
    await alice.adds_note("while the first still joins")
    async with quick:
        store.arrives.set()
        subscription = await joining
        cursor = subscription.delivered
        await alice.adds_note("after both have joined")
        async with asyncio.timeout(SOON):
            event = await anext(aiter(subscription))
    await late.__aexit__(None, None, None)
    await feed.close()

    assert event["seq"] == cursor + 1


@pytest.mark.in_process("takes the wake-ups between processes away")
async def test_what_a_process_wrote_that_died_before_it_could_tell_is_heard_soon(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        writer = there.agent("writer", await there.session("sess_one"))
        there.app.wakeups.notify_others = lambda place: None
        here.app.feed.poll_seconds = 0.1

        async with here.app.feed.subscribe(LISTENER, None) as subscription:
            await writer.adds_note("my last words")
            async with asyncio.timeout(SOON):
                event = await anext(aiter(subscription))

    assert event["content_preview"] == "my last words"


@pytest.mark.in_process("stops the server from inside")
@pytest.mark.slow
async def test_a_listener_that_still_catches_up_when_the_server_stops_is_left_without_a_gap(
    table: Table, alice: Agent
) -> None:
    for _ in range(8):
        await asyncio.gather(*(alice.adds_note("old") for _ in range(80)))

    async with table.app.feed.subscribe(LISTENER, 0) as subscription, asyncio.timeout(SOON):
        deliveries = aiter(subscription)
        first = await anext(deliveries)
        await alice.adds_note("new")
        await until(lambda: bool(subscription._queue))
        table.app.feed.end()
        seqs = [first["seq"]] + [event["seq"] async for event in deliveries]

    assert seqs == list(range(1, subscription.delivered + 1))


@pytest.mark.parametrize("after", [None, 0])
async def test_a_slow_listener_is_not_told_a_text_that_was_redacted_meanwhile(
    company: Table, after: int | None
) -> None:
    orchestrator = company.agent("alice", token="acme-secret")
    await orchestrator.calls("create_session", session_id="sess_one")
    boss = (await company.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)).secret
    listener = EventFilter(Caller("acme", Role.ORCHESTRATOR, "slow", "generic", Surface.HTTP, "sess_one"), "sess_one")

    async with company.app.feed.subscribe(listener, after) as slow, asyncio.timeout(SOON):
        await company.agent("alice", "sess_one", "acme-secret").adds_note("a secret")
        await until(lambda: len(slow._queue) == 1)
        wish = {"kind": "note", "id": "n1"}
        await company.agent(token=boss).client.post("/sessions/sess_one/redact", json=wish)
        await until(lambda: all(event.kind != "scratchpad/note_added" for event in slow._queue))
        received = [event async for event in first_of(slow, 2 if after is None else 3)]

    assert [event["kind"] for event in received[-2:]] == ["scratchpad/note_added", "scratchpad/redacted"]
    assert received[-2]["content_preview"] == "[redacted by the owner]"


async def test_nor_is_one_that_is_reading_an_old_part_of_the_log(company: Table) -> None:
    orchestrator = company.agent("alice", token="acme-secret")
    await orchestrator.calls("create_session", session_id="sess_one")
    await company.agent("alice", "sess_one", "acme-secret").adds_note("a secret")
    boss = (await company.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)).secret
    listener = EventFilter(Caller("acme", Role.ORCHESTRATOR, "slow", "generic", Surface.HTTP, "sess_one"), "sess_one")

    async with company.app.feed.subscribe(listener, 0) as slow, asyncio.timeout(SOON):
        first = [event async for event in first_of(slow, 1)]
        wish = {"kind": "note", "id": "n1"}
        await company.agent(token=boss).client.post("/sessions/sess_one/redact", json=wish)
        await until(lambda: not slow._page)
        received = first + [event async for event in first_of(slow, 2)]

    kinds = ["session/created", "scratchpad/note_added", "scratchpad/redacted"]
    assert [event["kind"] for event in received] == kinds
    assert received[1]["content_preview"] == "[redacted by the owner]"


async def test_nor_is_one_whose_page_of_the_log_was_read_before_and_came_after(table: Table, alice: Agent) -> None:
    await alice.adds_note("a secret")
    events = await table.app.database.read("default", lambda tx: LISTENER.page_after(tx, 0, 10))
    redacted = events[-1]._replace(kind="scratchpad/redacted", seq=events[-1].seq + 1)
    answers = [events, [redacted], []]

    async def read(after: int) -> list[LoggedEvent]:
        if len(answers) == 3:
            slow.offer(redacted)
        return answers.pop(0)

    slow = Subscription(LISTENER, read, 0, 0, LightEvent())

    assert await slow.take() is redacted


async def first_of(subscription: Subscription, count: int) -> AsyncIterator[dict[str, Any]]:
    deliveries = aiter(subscription)
    for _ in range(count):
        yield await anext(deliveries)


@pytest.mark.in_process("takes the wake-ups between processes away")
async def test_a_wait_that_runs_out_answers_what_is_there_by_then(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        writer, reader = there.agent("writer", await there.session("sess_one")), here.agent("reader", "sess_one")
        there.app.wakeups.notify_others = lambda place: None
        after = (await reader.calls("read_events"))["next_after"]

        waiting = asyncio.create_task(reader.calls("read_events", after=after, wait_seconds=1))
        await until(lambda: here.app.wakeups.anyone_waiting)
        note = await writer.adds_note("nobody was told")

        assert [event["note_id"] for event in (await waiting)["events"]] == [note]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.005)


@pytest.mark.in_process("changes the program where it runs")
async def test_a_store_that_was_too_busy_for_a_moment_does_not_make_a_process_deaf(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        session = await there.session("sess_one")
        bob, alice = here.agent("bob", session), there.agent("alice", session)
        after = (await bob.calls("read_events"))["next_after"]
        # Once before, so that nothing of what happened so far makes it look again in the wrong moment.
        hearing = asyncio.create_task(bob.calls("read_events", after=after, wait_seconds=20))
        await alice.adds_note("heard")
        after = (await hearing)["next_after"]
        waiting = asyncio.create_task(bob.calls("read_events", after=after, wait_seconds=20))
        for _ in range(1_000):
            if here.app.wakeups.anyone_waiting:
                break
            await asyncio.sleep(0.005)
        with monkeypatch.context() as busy:
            busy.setattr(group, "QUEUE_LIMIT", 0)
            await asyncio.sleep(5 * FOREIGN_POLL)

        await alice.adds_note("heard all the same")

        assert (await asyncio.wait_for(waiting, 40))["events"]
