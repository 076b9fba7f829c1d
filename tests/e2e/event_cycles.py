"""Listeners that come and go, over and over: in this process and over sockets, and what they must leave behind."""

import asyncio
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.reader import EventFilter
from tests.e2e.event_wire import StreamRefused, event_wire
from tests.e2e.servers import Server
from tests.e2e.wire import wire_to
from tests.table import Table

AT_ONCE = 10
CONNECTIONS = 8
"""To the store: it may open these when it is busy, and keeps them."""

SOON = 60.0
EVENTS = "/sessions/sess_one/events"
INTEREST = EventFilter(Caller("default", Role.LOCAL, "listener", "generic", Surface.HTTP, "sess_one"), "sess_one")


async def check_that_the_feed_keeps_nothing(table: Table, cycles: int) -> None:
    """Somebody writes all the while, so that every way to leave meets a feed at work."""
    alice = table.agent("alice", await table.session("sess_one"))
    await _cycles(table, AT_ONCE)
    tasks, files = _tasks(), _files(os.getpid())

    for begun in range(0, cycles, 100):
        await asyncio.gather(alice.adds_note(f"{begun}"), _cycles(table, min(100, cycles - begun)))

    assert table.app.feed.subscribers == 0
    await _soon(lambda: _tasks() <= tasks)
    assert not table.app.wakeups.anyone_waiting
    assert _files(os.getpid()) <= files + CONNECTIONS


def _tasks() -> int:
    """Without the background tasks of the server: some of them begin only after a while."""
    coroutines = [task.get_coro() for task in asyncio.all_tasks()]
    return sum(getattr(each, "__qualname__", "") != "BackgroundTask._supervise" for each in coroutines)


async def _cycles(table: Table, count: int) -> None:
    """Ten at a time, which is all that one caller may have."""
    numbers = iter(range(count))

    async def come_and_go() -> None:
        for number in numbers:
            await _WAYS[number % len(_WAYS)](table)

    await asyncio.gather(*(come_and_go() for _ in range(AT_ONCE)))


async def _leaves_at_once(table: Table) -> None:
    async with table.app.feed.subscribe(INTEREST, None):
        pass


async def _leaves_after_an_event(table: Table) -> None:
    async with table.app.feed.subscribe(INTEREST, 0) as subscription, asyncio.timeout(SOON):
        await anext(aiter(subscription))


async def _is_cut_off_while_it_waits(table: Table) -> None:
    async def listen() -> None:
        async with table.app.feed.subscribe(INTEREST, None) as subscription:
            async for _ in subscription:
                pass

    listening = asyncio.create_task(listen())
    for _ in range(3):
        await asyncio.sleep(0)
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening


_WAYS = (_leaves_at_once, _leaves_after_an_event, _is_cut_off_while_it_waits)


async def check_that_a_server_keeps_no_connection(server: Server, cycles: int) -> None:
    """All by one caller, who could not have an eleventh if one of the former were still counted."""
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id="sess_one")
        await _connect(server, AT_ONCE)
        before = await _settled_files(server)

        await _connect(server, cycles)

        await _soon(lambda: _files(server.worker) <= before + CONNECTIONS)
    assert not server.tracebacks


async def _connect(server: Server, count: int) -> None:
    numbers = iter(range(count))

    async def come_and_go() -> None:
        for number in numbers:
            await _listen_once(server, number % 2 == 0)

    await asyncio.gather(*(come_and_go() for _ in range(AT_ONCE // 2)))


async def _listen_once(server: Server, abruptly: bool) -> None:
    deadline = time.monotonic() + SOON
    while True:
        try:
            async with event_wire(server.address, f"{EVENTS}?after=0", {"X-Caller-Agent": "listener"}) as wire:
                received = await wire.hears()
                assert received is not None
                assert received[0] == "session/created"
                if abruptly:
                    wire.breaks_off()
                return
        except StreamRefused as refused:
            # The server has not yet heard that former ones have gone.
            if refused.status != 409 or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.01)


async def _settled_files(server: Server) -> int:
    """Open files once those of the connections before are closed: the number does not change for a while."""
    found, same = _files(server.worker), 0
    while same < 20:
        await asyncio.sleep(0.02)
        now = _files(server.worker)
        found, same = now, same + 1 if now == found else 0
    return found


async def _soon(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SOON
    while not holds():
        assert time.monotonic() < deadline, "something was left behind"
        await asyncio.sleep(0.01)


def _files(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))
