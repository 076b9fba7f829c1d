"""Events in the Python client: each once and in order, over broken lines, restarts and a reader that is too slow."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import httpx2
import pytest

from longtable.client import ConnectionLost, Link, Orchestrator, Workspace
from longtable.kernel import errors
from longtable.log.feed import QUEUED
from tests.client_transport import LossyTransport, link, opened, take
from tests.e2e.servers import until
from tests.stores import Store
from tests.table import ADDRESS, Table, open_table

pytestmark = pytest.mark.slow


async def test_events_come_as_they_happen_and_end_with_the_session(table: Table, session: str) -> None:
    async with opened(table) as ada, opened(table, "bob") as bob:
        heard = asyncio.create_task(take(bob.events(after=0), 99))
        await ada.add_note("hello")
        await table.agent("boss", "sess_one").calls("close_session")
        events = await heard

    assert [event.kind for event in events] == ["session/created", "scratchpad/note_added", "session/closed"]
    assert events[1].actor == "ada"
    assert events[1].payload["note_id"] == "n1"
    assert events[1].flat()["content_preview"] == "hello"


async def test_a_listener_of_some_kinds_is_told_of_the_end_as_well(table: Table, session: str) -> None:
    async with opened(table) as ada:
        heard = asyncio.create_task(take(ada.events(after=0, kinds=["scratchpad/*"]), 99))
        await ada.add_note("hello")
        await ada.add_message("not asked for")
        await table.agent("boss", "sess_one").calls("close_session")

        assert [event.kind for event in await heard] == ["scratchpad/note_added"]
        assert await take(ada.events(), 99) == []


@pytest.mark.in_process("cuts a stream between two pieces as the server sent them")
@pytest.mark.parametrize("cuts", [[0, 1, 2, 3, 1], [1] * 8, [4, 0, 0, 0]])
async def test_events_go_on_over_connections_that_break_without_gap_or_repetition(
    table: Table, session: str, cuts: list[int]
) -> None:
    line = LossyTransport(table.http, cuts=list(cuts))
    lost: list[ConnectionLost] = []
    async with opened(table) as ada, opened(table, "bob", transport=line) as bob:
        heard = asyncio.create_task(take(bob.events(after=0, on_lost=lost.append), 31))
        for n in range(30):
            await ada.add_note(str(n))
        events = await heard

    assert [event.payload["note_id"] for event in events[1:]] == [f"n{n}" for n in range(1, 31)]
    assert len(lost) == len(cuts)


@pytest.mark.in_process("cuts a stream between two pieces as the server sent them")
async def test_a_listener_from_now_on_that_is_cut_off_at_once_misses_nothing(table: Table, session: str) -> None:
    line = LossyTransport(table.http, cuts=[1])
    away = asyncio.Event()
    async with opened(table) as ada, opened(table, "bob", transport=line, first_wait=0.3) as bob:
        await ada.add_note("before")
        heard = asyncio.create_task(take(bob.events(on_lost=lambda lost: away.set()), 2))
        await until(lambda: table.app.feed.subscribers == 1)
        # The cut comes with the second piece, which is the first event.
        await ada.add_note("later")
        await asyncio.wait_for(away.wait(), 40)
        await ada.add_note("while away")
        events = await heard

    assert [event.payload["note_id"] for event in events] == ["n2", "n3"]


async def test_a_listener_that_lags_catches_up_by_itself(table: Table, session: str) -> None:
    count = QUEUED + 100
    async with opened(table) as ada, opened(table, "bob") as bob, aclosing(bob.events(after=0)) as events:
        first = await anext(events)
        # Nobody takes anything in meanwhile, so the server has to let events go.
        for _ in range(count // 4):
            await asyncio.gather(*(ada.add_note("news") for _ in range(4)))
        heard = [await anext(events) for _ in range(count)]

    assert first.kind == "session/created"
    assert [event.payload["note_id"] for event in heard] == [f"n{n}" for n in range(1, count + 1)]


async def test_the_whole_tenant_can_be_followed(company: Table) -> None:
    async with Orchestrator.open(ADDRESS, "acme-secret", link=link(company.http)) as boss:
        for session_id in ("sess_one", "sess_two"):
            await boss.create_session(session_id=session_id)
        await boss.close("sess_one")
        events = await take(boss.events(after=0), 3)

    assert [(event.kind, event.session_id) for event in events] == [
        ("session/created", "sess_one"),
        ("session/created", "sess_two"),
        ("session/closed", "sess_one"),
    ]


async def test_listening_where_one_may_not_raises_and_a_server_that_stays_away_does_too(table: Table) -> None:
    async with opened(table, session="nowhere") as ada:
        with pytest.raises(errors.SessionNotFound):
            await take(ada.events(), 1)

    def away(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("nobody there")

    way = Link(reconnects=3, first_wait=0, transport=httpx2.MockTransport(away))
    async with Workspace.open(ADDRESS, session="sess_one", link=way) as ada:
        with pytest.raises(ConnectionLost):
            await take(ada.events(), 1)


@pytest.mark.in_process("stops the server from inside")
async def test_a_listener_moves_on_to_the_next_server_without_loss(store: Store, tmp_path: Path) -> None:
    """Two servers on one store: the first stops while somebody listens."""
    async with open_table(store, tmp_path) as first, open_table(store, tmp_path) as second:
        await first.session("sess_one")
        line = LossyTransport(first.http)
        async with opened(first, "bob", transport=line) as bob, opened(second) as ada:
            heard = asyncio.create_task(take(bob.events(after=0), 41))
            for n in range(40):
                if n == 20:
                    line.app = second.http
                    await first.http.end_streams()
                    await first.http.drain(5)
                await ada.add_note(str(n))
            events = await heard

    assert [event.payload["note_id"] for event in events[1:]] == [f"n{n}" for n in range(1, 41)]
