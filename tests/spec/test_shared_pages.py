"""What many wait for is read once for all of them, and each is shown what it would have read alone."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import pytest

from longtable.activity.store import newest_visible
from longtable.kernel.caller import Caller, Role, Surface
from longtable.log import reader
from longtable.log.reader import EventFilter, EventPage, PageRequest, head, read_page, read_pages
from longtable.messages import store
from longtable.messages.model import Message
from longtable.messages.store import MessageFilter, page, pages
from longtable.storage.database import Transaction
from tests.table import Table

pytestmark = pytest.mark.in_process("asks the store itself")
Found = TypeVar("Found")
SHARED = 6
"""Rows that are read for all at once, instead of hundreds."""
SAID = 10
"""What is said in the session: more than that."""
BEFORE = 4
"""What was said before the last `SHARED`."""


class CountedTransaction:
    """Of a real one the rows that each read has answered."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx
        self.rows: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    async def tuples(self, sql: str, **parameters: Any) -> Any:
        return self._counted(await self._tx.tuples(sql, **parameters))

    async def all(self, sql: str, **parameters: Any) -> Any:
        return self._counted(await self._tx.all(sql, **parameters))

    def _counted(self, rows: Sequence[Any]) -> Sequence[Any]:
        self.rows.append(len(rows))
        return rows


async def read(table: Table, ask: Callable[[Any], Awaitable[Found]]) -> tuple[Found, list[int]]:
    """What was found, and the rows of each read."""

    async def body(tx: Transaction) -> tuple[Found, list[int]]:
        counted = CountedTransaction(tx)
        return await ask(counted), counted.rows

    return await table.app.database.read("default", body)


def reader_of(session: str, agent: str = "cy") -> Caller:
    return Caller("default", Role.AGENT, agent, "worker", Surface.HTTP, session_id=session)


@pytest.fixture
async def talk(table: Table, session: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Ada says all but the last message, some of them to herself, and Bob the last."""
    monkeypatch.setattr(store, "_SHARED", SHARED)
    monkeypatch.setattr(reader, "_SHARED", SHARED)
    ada, bob = table.agent("ada", session), table.agent("bob", session)
    for number in range(1, SAID):
        kind = "private" if number % 3 == 0 else "public"
        await ada.calls("add_message", content=f"word {number}", visibility=kind)
    await bob.calls("add_message", content=f"word {SAID}")
    return session


@pytest.mark.parametrize("after", [0, BEFORE - 1, BEFORE, BEFORE + 1, BEFORE + 2, SAID - 1, SAID])
async def test_many_are_shown_the_messages_that_each_would_read_alone(table: Table, talk: str, after: int) -> None:
    readers = [
        (reader_of(talk), MessageFilter(limit=2, after_id=after)),
        (reader_of(talk, "ada"), MessageFilter(limit=SAID, after_id=after, not_sender="ada")),
        (reader_of(talk, "bob"), MessageFilter(limit=SAID, after_id=after + 1, not_sender="bob")),
    ]

    async def alone(tx: Transaction) -> list[list[Message]]:
        return [await page(tx, caller, where) for caller, where in readers]

    together, rows = await read(table, lambda tx: pages(tx, talk, readers))

    assert together == (await read(table, alone))[0]
    assert len(rows) == (1 if SAID - after < SHARED else 1 + len(readers))


async def test_two_share_a_read_of_messages_and_one_alone_reads_no_more_than_its_page(table: Table, talk: str) -> None:
    one = (reader_of(talk), MessageFilter(limit=2, after_id=BEFORE + 1))

    assert (await read(table, lambda tx: pages(tx, talk, [one])))[1] == [2]
    assert (await read(table, lambda tx: pages(tx, talk, [one, one])))[1] == [SHARED - 1]


@pytest.mark.parametrize("left", [0, 1, SHARED - 1, SHARED, SHARED + 1])
async def test_many_are_shown_the_events_that_each_would_read_alone(table: Table, talk: str, left: int) -> None:
    newest, _ = await read(table, head)
    after = newest - left
    requests = [
        PageRequest(EventFilter(reader_of(talk, agent), talk), start, limit)
        for agent, start, limit in (("cy", after, 2), ("ada", after, SAID), ("bob", after + 1, SAID))
    ]

    async def alone(tx: Transaction) -> list[EventPage]:
        return [await read_page(tx, each.event_filter, each.after, each.limit) for each in requests]

    together, rows = await read(table, lambda tx: read_pages(tx, talk, requests))

    assert together == (await read(table, alone))[0]
    assert len(rows) == (1 if left < SHARED else 1 + len(requests))


async def test_whoever_reads_on_from_a_page_of_events_misses_none(table: Table, talk: str) -> None:
    newest, _ = await read(table, head)
    everything = EventFilter(reader_of(talk), talk)
    found, after = [], 0
    while after < newest:
        (page,), _ = await read(
            table, partial(read_pages, session_id=talk, requests=[PageRequest(everything, after, 2)])
        )
        found += [event["seq"] for event in page.events]
        after = page.next_after

    whole, _ = await read(table, lambda tx: read_page(tx, everything, 0, newest))
    assert found == [event["seq"] for event in whole.events]
    assert whole.next_after == after == newest


async def test_two_share_a_read_of_events_and_one_alone_reads_no_more_than_its_page(table: Table, talk: str) -> None:
    newest, _ = await read(table, head)
    one = PageRequest(EventFilter(reader_of(talk), talk), newest - SHARED + 1, 2)

    assert (await read(table, lambda tx: read_pages(tx, talk, [one])))[1] == [2]
    assert (await read(table, lambda tx: read_pages(tx, talk, [one, one])))[1] == [SHARED - 1]


async def test_the_newest_event_is_found_by_one_row(table: Table, talk: str) -> None:
    newest, _ = await read(table, head)

    assert await read(table, lambda tx: newest_visible(tx, reader_of(talk))) == (newest, [1])


async def test_without_events_the_newest_has_the_number_nought(table: Table) -> None:
    async def of_nobody(tx: Transaction) -> tuple[int, int]:
        return await head(tx), await newest_visible(tx, reader_of("sess_none"))

    assert await table.app.database.read("nobody", of_nobody) == (0, 0)
