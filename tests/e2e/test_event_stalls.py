"""Listeners that take nothing in: they cost a bounded amount, hold up nobody, and can catch up without a loss."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.log.feed import QUEUED, Subscription
from longtable.log.reader import EventFilter
from tests.e2e.event_wire import EventWire, event_wire
from tests.e2e.servers import Processes, Server
from tests.e2e.wire import Wire, wire_to
from tests.sse import Stream, listens
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow
SOON = 60.0
SUBSCRIPTIONS = 480
STREAMS = 20
SOCKETS = 10
ALLOWED_BYTES = 64 * 2**20
EVENTS = "/sessions/sess_one/events"
LONG = [{"description": "𝄞" * 200}] * 8
"""Tasks whose event has 19 kilobytes as JSON in ASCII, so that the buffers of the system are full soon."""


def event_filter(name: str) -> EventFilter:
    return EventFilter(Caller("default", Role.LOCAL, name, "generic", Surface.HTTP, "sess_one"), "sess_one")


def memory_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@asynccontextmanager
async def stalled_at(table: Table) -> AsyncIterator[tuple[list[Subscription], list[Stream]]]:
    async with AsyncExitStack() as stack:
        feed = table.app.feed
        subscriptions = [
            await stack.enter_async_context(feed.subscribe(event_filter(f"stalled-{n // 10}"), None))
            for n in range(SUBSCRIPTIONS)
        ]
        streams = [
            await stack.enter_async_context(listens(table.http, EVENTS, x_caller_agent=f"deaf-{n // 10}"))
            for n in range(STREAMS)
        ]
        yield subscriptions, streams


@dataclass
class StalledReading:
    """A reader that takes in everything at once, beside writers: the notes in its order, and how both fared."""

    notes: list[str]
    seconds_a_write: float
    late: float
    """Seconds from the word to the writer to the word to the reader, which 95 in 100 events did not exceed."""


async def heard_by_a_healthy_reader(table: Table, alice: Agent, count: int) -> StalledReading:
    async with table.app.feed.subscribe(event_filter("healthy"), None) as subscription:
        taking = asyncio.create_task(_takes_notes(subscription, count))
        began = time.perf_counter()
        acknowledged: dict[str, float] = {}
        for _ in range(count // 8):
            await writes(alice, 8, acknowledged)
        seconds = (time.perf_counter() - began) / count
        heard = await taking
    late = sorted(moment - acknowledged[note] for note, moment in heard.items())
    return StalledReading(list(heard), seconds, late[int(0.95 * count)])


async def _takes_notes(subscription: Subscription, count: int) -> dict[str, float]:
    heard: dict[str, float] = {}
    async with asyncio.timeout(SOON):
        async for event in subscription:
            heard[event["note_id"]] = time.perf_counter()
            if len(heard) == count:
                break
    return heard


async def writes(alice: Agent, count: int, acknowledged: dict[str, float]) -> None:
    async def write() -> None:
        acknowledged[await alice.adds_note("news")] = time.perf_counter()

    await asyncio.gather(*(write() for _ in range(count)))


async def test_500_listeners_that_stall_hold_256_events_each_and_slow_down_neither_writers_nor_others(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session("sess_one"))
        alone = await heard_by_a_healthy_reader(table, alice, 200)
        async with stalled_at(table) as (stalled, _):
            before = memory_of(os.getpid())
            some = await heard_by_a_healthy_reader(table, alice, 200)
            held = {len(subscription._queue) for subscription in stalled}
            beside = await heard_by_a_healthy_reader(table, alice, 304)
            now_held = {len(subscription._queue) for subscription in stalled}
            grown = memory_of(os.getpid()) - before

    assert alone.notes + some.notes + beside.notes == [f"n{number}" for number in range(1, 705)]
    assert (held, now_held) == ({200}, {0}), "a queue that was full is dropped"
    assert grown < ALLOWED_BYTES
    assert beside.seconds_a_write < max(0.01, 3 * alone.seconds_a_write)
    assert beside.late < max(0.25, 3 * alone.late)


async def test_each_of_500_listeners_that_stalled_is_told_so_and_misses_nothing_that_it_reads_from_there(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session("sess_one"))
        async with stalled_at(table) as (stalled, streams):
            for _ in range((QUEUED + 40) // 8):
                await writes(alice, 8, {})
            events = (await alice.calls("read_events", limit=1000, max_chars=0))["events"]
            last = events[-1]["seq"]
            for subscription in stalled:
                async with asyncio.timeout(SOON):
                    assert await anext(aiter(subscription)) == {"lagged": True, "after": 1}
            heard = [await _until_lagging(stream) for stream in streams]

        for received, after in heard:
            missed = (await alice.calls("read_events", after=after, limit=1000, max_chars=0))["events"]
            assert [event["seq"] for event in received + missed] == list(range(2, last + 1))


async def _until_lagging(listener: Stream | EventWire) -> tuple[list[dict[str, Any]], int]:
    """What it finds when it looks at last, and from where on it has to ask."""
    received: list[dict[str, Any]] = []
    async with asyncio.timeout(SOON):
        while heard := await listener.hears():
            name, event = heard
            if name == "lagged":
                assert event == {"lagged": True, "after": received[-1]["seq"]}
                return received, int(event["after"])
            received.append(event)
    raise AssertionError("the stream ended before it lagged")


async def _write_over(server: Server, count: int) -> None:
    async def write(wire: Wire, numbers: range) -> None:
        for _ in numbers:
            await wire.calls("add_tasks", tasks=LONG)

    async with AsyncExitStack() as stack:
        named = ("X-Caller-Agent", "alice"), ("X-Session-ID", "sess_one")
        wires = [await stack.enter_async_context(wire_to(server.address, *named)) for _ in range(8)]
        await asyncio.gather(*(write(wire, range(count // 8)) for wire in wires))


async def test_sockets_that_nobody_reads_cost_the_server_little_and_catch_up_without_a_loss(
    processes: Processes, embedded: dict[str, str]
) -> None:
    count = 640
    server = processes.serve({**embedded, "max_tasks": "100000"})
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id="sess_one")
    async with AsyncExitStack() as stack:
        await _write_over(server, 80)
        deaf = [
            await stack.enter_async_context(
                event_wire(server.address, EVENTS, {"X-Caller-Agent": f"deaf-{n // 10}"}, receive_buffer=2**17)
            )
            for n in range(SOCKETS)
        ]
        healthy = await stack.enter_async_context(event_wire(server.address, EVENTS, {}))
        before = memory_of(server.worker)
        everything: list[int] = []
        while len(everything) < count:
            await _write_over(server, 80)
            everything += await _takes(healthy, 80)
        grown = memory_of(server.worker) - before
        heard = [await _until_lagging(listener) for listener in deaf]

    assert everything == list(range(everything[0], everything[0] + count))
    assert grown < ALLOWED_BYTES
    for n, (received, after) in enumerate(heard):
        headers = {"X-Caller-Agent": f"late-{n}", "Last-Event-ID": str(after)}
        async with event_wire(server.address, EVENTS, headers) as again:
            missed = await _takes(again, count - len(received))
        assert [event["seq"] for event in received] + missed == everything


async def _takes(listener: EventWire, count: int) -> list[int]:
    seqs: list[int] = []
    async with asyncio.timeout(SOON):
        while len(seqs) < count:
            received = await listener.hears()
            assert received is not None
            seqs.append(received[1]["seq"])
    return seqs
