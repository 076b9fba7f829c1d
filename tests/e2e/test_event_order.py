"""PostgreSQL: events appear in the order of their numbers, whatever two replicas do; a plain sequence would skip."""

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.feed import Subscription
from longtable.log.reader import EventFilter, tail
from longtable.storage.database import Transaction
from tests.e2e.crashes import rows_of
from tests.schemas import PostgresLogin
from tests.stores import Store
from tests.table import Table, open_table

SOON = 60.0
EVERYTHING = EventFilter(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP), None)
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@dataclass
class ListeningReader:
    """Goes on from the highest number it has seen, as every listener does: what turns up below it is lost to it."""

    after: Callable[[int], Awaitable[list[int]]]
    seen: list[int] = field(default_factory=list)

    async def looks(self) -> None:
        self.seen += await self.after(self.seen[-1] if self.seen else 0)

    async def looks_until(self, last: int) -> None:
        async with asyncio.timeout(SOON):
            while not self.seen or self.seen[-1] < last:
                await self.looks()


@dataclass
class HeldTransaction:
    """Keeps a replica's transaction open once its events have their numbers, just before it commits."""

    numbered: asyncio.Event = field(default_factory=asyncio.Event)
    may_commit: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self) -> None:
        self.numbered.set()
        await self.may_commit.wait()


def dawdles(table: Table, pause: Callable[[], Awaitable[None]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes each transaction of this replica pause between its numbers and its commit."""
    append = table.app.hooks.before_commit

    async def before_commit(tx: Transaction, entries: Sequence[Any]) -> None:
        await append(tx, entries)
        await pause()

    monkeypatch.setattr(table.app.hooks, "before_commit", before_commit)


def reader_of(table: Table) -> ListeningReader:
    async def after(position: int) -> list[int]:
        found = await table.app.database.read("default", lambda tx: tail(tx, position, 500))
        return [event.seq for event in found]

    return ListeningReader(after)


async def seqs_of(subscription: Subscription, last: int) -> list[int]:
    seen: list[int] = []
    async with asyncio.timeout(SOON):
        async for event in subscription:
            seen.append(event["seq"])
            if event["seq"] == last:
                break
    return seen


async def somebody_waits(store: Store) -> None:
    """Until a transaction stands before the lock that the held one has."""
    async with rows_of(store) as rows, asyncio.timeout(SOON):
        while (await rows(WAITING))[0][0] == 0:  # noqa: ASYNC110 - what is waited for is in the server
            await asyncio.sleep(0.01)


@asynccontextmanager
async def two_replicas(store: Store, folder: Path) -> AsyncIterator[tuple[Table, Table, str]]:
    """With one session, whose creation is the first event."""
    async with open_table(store, folder) as here, open_table(store, folder) as there:
        yield here, there, await here.session("sess_one")


async def test_a_replica_waits_for_the_other_that_has_a_number_and_has_not_committed(
    replicated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with two_replicas(replicated, tmp_path) as (here, there, session):
        held = HeldTransaction()
        dawdles(here, held, monkeypatch)
        readers = [reader_of(here), reader_of(there)]

        slow = asyncio.create_task(here.agent("slow", session).adds_note("first"))
        await held.numbered.wait()
        quick = asyncio.create_task(there.agent("quick", session).adds_note("second"))
        try:
            await somebody_waits(replicated)
            for reader in readers:
                await reader.looks()
            assert not quick.done()
            assert [reader.seen for reader in readers] == [[1], [1]]
        finally:
            held.may_commit.set()
        assert [await slow, await quick] == ["n1", "n2"]
        for reader in readers:
            await reader.looks_until(3)

    assert [reader.seen for reader in readers] == [[1, 2, 3], [1, 2, 3]]


async def test_whoever_follows_two_replicas_that_dawdle_before_each_commit_sees_each_number_in_turn(
    replicated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice, last = random.Random(40), 1 + 2 * 4 * 15

    async def pause() -> None:
        for _ in range(dice.randrange(20)):
            await asyncio.sleep(0)

    async with two_replicas(replicated, tmp_path) as (here, there, session), AsyncExitStack() as listening:
        subscriptions = []
        for table in (here, there):
            dawdles(table, pause, monkeypatch)
            subscriptions.append(await listening.enter_async_context(table.app.feed.subscribe(EVERYTHING, 0)))
        readers = [reader_of(here), reader_of(there)]

        async def writes(table: Table, name: str) -> None:
            agent = table.agent(name, session)
            for n in range(15):
                await agent.adds_note(f"{name} {n}")

        writing = [writes(table, f"{name}-{n}") for name, table in (("a", here), ("b", there)) for n in range(4)]
        *heard, _, _, _ = await asyncio.gather(
            *(seqs_of(subscription, last) for subscription in subscriptions),
            *(reader.looks_until(last) for reader in readers),
            asyncio.gather(*writing),
        )

    assert [reader.seen for reader in readers] == [list(range(1, last + 1))] * 2
    assert heard == [list(range(1, last + 1))] * 2


async def test_the_same_reader_misses_an_event_that_a_plain_sequence_numbers(postgres: PostgresLogin) -> None:
    """Shows that the tests above could fail: the same interleaving, without the tenant's lock."""
    async with scratch_log(postgres) as (slow, quick, reader):
        append = "INSERT INTO events (seq) VALUES (nextval('numbers')) RETURNING seq"

        await slow.execute("BEGIN")
        assert await slow.fetchval(append) == 1
        assert await quick.fetchval(append) == 2
        await reader.looks()
        await slow.execute("COMMIT")
        await reader.looks()

        assert [row["seq"] for row in await quick.fetch("SELECT seq FROM events ORDER BY seq")] == [1, 2]
        assert reader.seen == [2]


Link = asyncpg.Connection


@asynccontextmanager
async def scratch_log(login: PostgresLogin) -> "AsyncIterator[tuple[Link[Any], Link[Any], ListeningReader]]":
    """A log as one might build it, in a schema of its own: two writers, and a reader beside them."""
    schema = f"scratch_{secrets.token_hex(6)}"
    links = [await asyncpg.connect(login.admin_url, server_settings={"search_path": schema}) for _ in range(3)]
    slow, quick, looking = links

    async def after(position: int) -> list[int]:
        return [row["seq"] for row in await looking.fetch("SELECT seq FROM events WHERE seq > $1 ORDER BY 1", position)]

    await looking.execute(f"CREATE SCHEMA {schema}")
    try:
        await looking.execute("CREATE SEQUENCE numbers; CREATE TABLE events (seq bigint PRIMARY KEY)")
        yield slow, quick, ListeningReader(after)
    finally:
        for link in (slow, quick):
            await link.close()
        await looking.execute(f"DROP SCHEMA {schema} CASCADE")
        await looking.close()
