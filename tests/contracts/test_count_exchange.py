"""Counts that processes on one store exchange: what each has under way counts for all of them, and what a process that
died had under way for a moment only."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from longtable.kernel.call_limits import CallLimitOptions, CallLimits, SharedCounts
from longtable.kernel.refusals import Refusals
from longtable.log.count_exchange import ALIVE_SECONDS, FRESH_SECONDS, HEARTBEAT_SECONDS, CountExchange
from longtable.storage.database import SYSTEM, Database
from tests.stores import Store

pytestmark = pytest.mark.anyio


class SteppedClock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class CountingProcess:
    """Its counts of calls and waits, by tenant, as all processes on the store together have them."""

    def __init__(self, database: Database, clock: SteppedClock) -> None:
        self._database = database
        limits = CallLimits(CallLimitOptions(), Refusals(), clock)
        self.calls, self.waits = limits.tenant_calls, SharedCounts()
        self.exchange = CountExchange(database, limits, {"waits": self.waits}, clock)

    @property
    def totals(self) -> tuple[int, int]:
        return self.calls.total("acme"), self.waits.total("acme")

    async def published(self) -> list[int]:
        """How often each process has written its counts."""
        rows = await self._database.read(SYSTEM, lambda tx: tx.all("SELECT version FROM process_counts"))
        return sorted(int(row["version"]) for row in rows)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
async def processes(store: Store, clock: SteppedClock) -> tuple[CountingProcess, CountingProcess]:
    return CountingProcess(await store.open(), clock), CountingProcess(await store.open(), clock)


async def exchanged(*processes: CountingProcess) -> None:
    """Each has published its counts, and has read those of the others."""
    for process in (*processes, *processes):
        await process.exchange.exchange()


async def test_what_a_process_that_died_had_under_way_counts_for_a_moment(
    processes: tuple[CountingProcess, CountingProcess], clock: SteppedClock
) -> None:
    dying, other = processes
    await exchanged(dying, other)
    dying.calls.add("acme")
    dying.waits.add("acme")
    await exchanged(dying, other)
    found = {0.0: other.totals}

    for age in (FRESH_SECONDS, FRESH_SECONDS + 0.1, ALIVE_SECONDS, ALIVE_SECONDS + 0.1):
        clock.now = age
        await other.exchange.exchange()
        found[age] = other.totals

    assert list(found.values()) == [(1, 1), (1, 1), (0, 1), (0, 1), (0, 0)]
    assert len(await other.published()) == 1, "the row of the process is gone with it"


async def test_calls_of_processes_that_were_killed_before_a_process_began_do_not_count_for_it(
    store: Store, clock: SteppedClock
) -> None:
    for _ in range(3):
        killed = CountingProcess(await store.open(), clock)
        killed.calls.add("acme")
        await killed.exchange.exchange()
    alive, newcomer = [CountingProcess(await store.open(), clock) for _ in range(2)]
    alive.calls.add("acme")
    await alive.exchange.exchange()

    await newcomer.exchange.exchange()
    first = newcomer.totals
    await exchanged(alive, newcomer)

    assert (first, newcomer.totals) == ((0, 0), (1, 0))


async def test_calls_that_last_are_published_again_so_that_they_go_on_counting(
    processes: tuple[CountingProcess, CountingProcess], clock: SteppedClock
) -> None:
    busy, other = processes
    await exchanged(busy, other)
    busy.calls.add("acme")
    await exchanged(busy, other)

    for _ in range(10):
        clock.now += 2.0
        await busy.exchange.exchange()
        await other.exchange.exchange()

    assert other.totals == (1, 0)


async def test_counts_are_those_of_now_and_of_all_others_together(store: Store, clock: SteppedClock) -> None:
    one, two, three = [CountingProcess(await store.open(), clock) for _ in range(3)]
    for process in (one, two):
        process.calls.add("acme")
    await exchanged(one, two, three)
    before = three.totals
    one.calls.remove("acme")
    await exchanged(one, two, three)

    assert (before, three.totals, one.totals, two.totals) == ((2, 0), (1, 0), (1, 0), (1, 0))


async def test_of_very_many_counts_the_largest_are_published(
    processes: tuple[CountingProcess, CountingProcess],
) -> None:
    busy, other = processes
    for number in range(1_001):
        busy.waits.add(f"tenant-{number}")
    busy.waits.add("acme")
    busy.waits.add("acme")

    await exchanged(busy, other)

    assert (len(other.waits.others), other.totals) == (1_000, (0, 2))


async def test_a_process_alone_writes_nothing_but_a_heartbeat(
    processes: tuple[CountingProcess, CountingProcess], clock: SteppedClock
) -> None:
    alone, _ = processes
    versions = []

    for moment in (0.0, 1.0, HEARTBEAT_SECONDS - 0.1, HEARTBEAT_SECONDS):
        clock.now = moment
        alone.calls.add("acme")
        await alone.exchange.exchange()
        versions += await alone.published()

    assert versions == [1, 1, 1, 2]


async def test_a_process_that_only_waits_hears_of_others_and_one_that_does_nothing_forgets_them(
    processes: tuple[CountingProcess, CountingProcess], clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtable.log.count_exchange.EVERY_SECONDS", 0.0)
    other, waiting = processes
    await exchanged(other, waiting)
    async with running(waiting.exchange):
        waiting.waits.add("rival")
        other.waits.add("acme")
        await other.exchange.exchange()

        await until(lambda: waiting.totals == (0, 1))
        waiting.waits.remove("rival")
        async with asyncio.timeout(40):
            # Not at one leap: an exchange may be under way, and count as later than that.
            while waiting.totals != (0, 0):
                clock.now += 1.0
                await asyncio.sleep(0.005)
        assert clock.now > FRESH_SECONDS


@asynccontextmanager
async def running(exchange: CountExchange) -> AsyncIterator[None]:
    task = asyncio.create_task(exchange.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(40):
        while not holds():  # noqa: ASYNC110 - what it waits for tells nobody
            await asyncio.sleep(0.005)
