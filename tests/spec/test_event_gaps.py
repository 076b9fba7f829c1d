"""Moments in which a listener could miss an event for good: two who join at once, and a wake-up that never came."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.feed import Feed
from longtable.log.reader import Interest
from longtable.storage.database import Body, Database, Dialect, T
from tests.stores import Store
from tests.table import Agent, Table, laid

SOON = 5.0
LISTENER = Interest(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP, "sess_one"), "sess_one")


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

    async def erase_traces(self) -> None:
        await self.real.erase_traces()

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


async def test_what_a_process_wrote_that_died_before_it_could_tell_is_heard_soon(store: Store, tmp_path: Path) -> None:
    async with laid(store, tmp_path) as here, laid(store, tmp_path) as there:
        writer = there.agent("writer", await there.session("sess_one"))
        there.app.wakeups.tell_others = lambda place: None
        here.app.feed.look_seconds = 0.1

        async with here.app.feed.subscribe(LISTENER, None) as subscription:
            await writer.adds_note("my last words")
            async with asyncio.timeout(SOON):
                event = await anext(aiter(subscription))

    assert event["content_preview"] == "my last words"
