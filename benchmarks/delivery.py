"""How soon 500 subscribers have an event after its commit: in one process, on one SQLite file, and on PostgreSQL."""

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path

from benchmarks.commits import postgres_address
from benchmarks.measure import Effort, Goal, Measure, Timings
from benchmarks.preload import call_in, call_tool, local_caller
from benchmarks.processes import Child, child
from benchmarks.serve_longtable import settings_for
from longtable.app import App, open_app
from longtable.log.feed import Subscription
from longtable.log.kinds import KindFilter
from longtable.log.reader import EventFilter
from longtable.server.serve import DEFAULT_PROJECT
from longtable.settings.options import Settings

GOAL = Goal(50)
LATEST_SECONDS = 5.0
"""What has not arrived so long after the last write counts as so late."""

Committed = dict[str, float]
"""When its writer knew that a note was durable (`time.perf_counter`, one clock for all processes)."""


@dataclass(frozen=True, slots=True)
class DeliveryLoad:
    sessions: int = 50
    subscribers: int = 10
    writes_per_second: int = 100
    seconds: float = 5.0


Write = Callable[[App, list[str]], Awaitable[Committed]]


@dataclass
class ListenerCrowd:
    """All subscribers of a process, and when each of them had which note."""

    load: DeliveryLoad
    heard: list[tuple[str, float]] = field(default_factory=list)

    @asynccontextmanager
    async def listening(self, app: App, sessions: list[str]) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            tasks = []
            for session_id in sessions:
                for number in range(self.load.subscribers):
                    caller = local_caller(f"subscriber-{number}").inside(session_id)
                    interest = EventFilter(caller, session_id, KindFilter(("scratchpad/*",)))
                    subscription = await stack.enter_async_context(app.feed.subscribe(interest, None))
                    tasks.append(asyncio.create_task(self._listen(subscription)))
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def all_heard(self, committed: Committed) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LATEST_SECONDS):
                while len(self.heard) < len(committed) * self.load.subscribers:  # noqa: ASYNC110 - a count
                    await asyncio.sleep(0.005)

    def latencies(self, committed: Committed) -> list[float]:
        """Milliseconds. A subscriber may have an event before its writer knows: then it took no time."""
        arrived = [max(0.0, moment - committed[key]) * 1000 for key, moment in self.heard if key in committed]
        missing = len(committed) * self.load.subscribers - len(arrived)
        return arrived + [LATEST_SECONDS * 1000] * missing

    async def _listen(self, subscription: Subscription) -> None:
        async for event in subscription:
            self.heard.append((_key(event), time.perf_counter()))


def measure_delivery(folder: Path, effort: Effort) -> list[Measure]:
    load = DeliveryLoad(sessions=effort.part_of(50), seconds=effort.subscriber_seconds)
    taken = {"within a process": asyncio.run(_within_a_process(folder / "delivery", load))}
    settings = settings_for(folder / "delivery-file")
    taken["between two processes, SQLite"] = asyncio.run(_between_processes(folder, settings, load))
    between = asyncio.run(_between_replicas(folder, load))
    if between is not None:
        taken["between two replicas, PostgreSQL"] = between
    group = (
        f"Delivery after a commit, {load.sessions} sessions x {load.subscribers} subscribers,"
        f" {load.writes_per_second} writes/s"
    )
    return [row for name, one in taken.items() for row in one.rows(group, name, GOAL)]


async def within_a_process(data_dir: Path, load: DeliveryLoad) -> list[float]:
    return (await _within_a_process(data_dir, load)).latencies


async def _within_a_process(data_dir: Path, load: DeliveryLoad) -> Timings:
    async def write(app: App, sessions: list[str]) -> Committed:
        return await _write_steadily(app, sessions, load)

    return await _take(settings_for(data_dir), load, write)


async def _between_processes(folder: Path, settings: Settings, load: DeliveryLoad) -> Timings:
    """One process has the subscribers, the other writes."""
    with child(["-m", "benchmarks.delivery", str(settings.data_dir), settings.store], folder) as other:

        async def write(app: App, sessions: list[str]) -> Committed:
            return await asyncio.to_thread(_ask_to_write, other, sessions, load)

        return await _take(settings, load, write)


async def _between_replicas(folder: Path, load: DeliveryLoad) -> Timings | None:
    """None where there is no PostgreSQL to start."""
    async with postgres_address() as address:
        if address is None:
            return None
        settings = replace(settings_for(folder / "delivery-replicas"), store=address)
        return await _between_processes(folder, settings, load)


async def _take(settings: Settings, load: DeliveryLoad, write: Write) -> Timings:
    async with open_app(settings, DEFAULT_PROJECT) as app:
        sessions = [
            str((await call_tool(app, "create_session", purpose="crowd"))["session_id"]) for _ in range(load.sessions)
        ]
        crowd = ListenerCrowd(load)
        taken = Timings()
        async with crowd.listening(app, sessions):
            with taken.counting():
                committed = await write(app, sessions)
                await crowd.all_heard(committed)
    taken.latencies += crowd.latencies(committed)
    return taken


async def _write_steadily(app: App, sessions: list[str], load: DeliveryLoad) -> Committed:
    committed: Committed = {}

    async def write(session_id: str) -> None:
        added = await call_in(app, session_id, "add_note", {"content": "Something new."})
        committed[_key({"session_id": session_id, "note_id": added["note"]["id"]})] = time.perf_counter()

    begin, writing = time.perf_counter(), []
    count = int(load.seconds * load.writes_per_second)
    for number, session_id in zip(range(count), cycle(sessions), strict=False):
        await asyncio.sleep(max(0.0, begin + number / load.writes_per_second - time.perf_counter()))
        writing.append(asyncio.create_task(write(session_id)))
    await asyncio.gather(*writing)
    return committed


def _ask_to_write(other: Child, sessions: list[str], load: DeliveryLoad) -> Committed:
    request = json.dumps([sessions, load.writes_per_second, load.seconds])
    committed: Committed = json.loads(other.request(request.encode()))
    return committed


def _key(event: Mapping[str, object]) -> str:
    return f"{event['session_id']}/{event['note_id']}"


async def _write_when_asked(settings: Settings) -> None:
    """The other process: for each request it writes for a while, then reports when each note was durable."""
    request = await asyncio.to_thread(sys.stdin.readline)
    if not request:
        return
    sessions, writes_per_second, seconds = json.loads(request)
    async with open_app(settings, DEFAULT_PROJECT) as app:
        load = DeliveryLoad(writes_per_second=writes_per_second, seconds=seconds)
        print(json.dumps(await _write_steadily(app, sessions, load)), flush=True)


if __name__ == "__main__":
    asyncio.run(_write_when_asked(replace(settings_for(Path(sys.argv[1])), store=sys.argv[2])))
