"""How soon a waiting `read_events` answers after a commit: in the same process, from another, and among 500."""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import cycle
from pathlib import Path

from benchmarks.measure import Effort, Goal, Measure, Timings
from benchmarks.preload import call_in, call_tool
from benchmarks.processes import Child, child
from benchmarks.serve_longtable import settings_for
from longtable.app import App, open_app
from longtable.server.serve import DEFAULT_PROJECT

SESSIONS = 50
SUBSCRIBERS = 10
WRITES_PER_SECOND = 100
DELIVERY_GOAL = Goal(50)

Write = Callable[[], Awaitable[float]]
"""Commits something, and answers when it knew of the commit (`time.perf_counter`, one clock for all processes)."""


def measure_wakes(folder: Path, effort: Effort) -> list[Measure]:
    data_dir = folder / "wakes"
    with child(["-m", "benchmarks.wakes", str(data_dir)], folder) as other:
        own, foreign = asyncio.run(_take_wakes(data_dir, other, effort.wakes))
    sessions = effort.part_of(SESSIONS)
    crowd = asyncio.run(_take_crowd(folder / "crowd", sessions, effort.subscriber_seconds))
    group = "Event wake-up after a commit"
    many = f"{sessions} sessions x {SUBSCRIBERS} waiting, {WRITES_PER_SECOND} writes/s"
    return [
        *own.rows(group, "same process", None),
        *foreign.rows(group, "another process, same file", DELIVERY_GOAL),
        *crowd.rows(group, many, DELIVERY_GOAL),
    ]


async def _take_wakes(data_dir: Path, other: Child, times: int) -> tuple[Timings, Timings]:
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:

        async def write_here() -> float:
            await call_tool(app, "add_note", content="Something new.")
            return time.perf_counter()

        async def write_elsewhere() -> float:
            return float(await asyncio.to_thread(other.request, b"write"))

        await write_here()
        other.next_line()
        own, foreign = Timings(), Timings()
        for taken, write in ((own, write_here), (foreign, write_elsewhere)):
            with taken.counting():
                taken.latencies += [await _wake(app, write) for _ in range(times)]
    return own, foreign


async def _wake(app: App, write: Write) -> float:
    newest = (await call_tool(app, "read_events", after=0, limit=1000, max_chars=0))["next_after"]
    waiting = asyncio.create_task(_wait_for_event(app, newest))
    await _until(lambda: app.wakeups.anyone_waiting)
    # Not in step with the clock that looks for commits of other processes.
    await asyncio.sleep(0.005 + time.perf_counter() % 0.02)
    committed = await write()
    return (await waiting - committed) * 1000


async def _wait_for_event(app: App, after: object) -> float:
    page = await call_tool(app, "read_events", after=after, wait_seconds=10)
    if not page["events"]:
        raise RuntimeError("read_events waited in vain")
    return time.perf_counter()


async def _until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what is waited for sets no event
        await asyncio.sleep(0.001)


async def _take_crowd(data_dir: Path, count: int, seconds: float) -> Timings:
    """Every subscriber waits, reads, waits again; a note holds when it was committed."""
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:
        sessions = [str((await call_tool(app, "create_session", purpose="crowd"))["session_id"]) for _ in range(count)]
        committed: dict[str, float] = {}
        taken = Timings()
        crowd = [
            asyncio.create_task(_subscribe(app, session, committed, taken.latencies))
            for session in sessions
            for _ in range(SUBSCRIBERS)
        ]
        await asyncio.sleep(0.5)
        with taken.counting():
            await _write_steadily(app, sessions, committed, seconds)
            # Late ones count, too, up to a limit.
            with suppress(TimeoutError):
                async with asyncio.timeout(5):
                    await _until(lambda: len(taken.latencies) >= len(committed) * SUBSCRIBERS)
        for task in crowd:
            task.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
    return taken


async def _subscribe(app: App, session_id: str, committed: dict[str, float], latencies: list[float]) -> None:
    after: object = 0
    while True:
        arguments = {"after": after, "wait_seconds": 30, "kinds": ["scratchpad/*"]}
        page = await call_in(app, session_id, "read_events", arguments)
        now = time.perf_counter()
        after = page["next_after"]
        for event in page["events"]:
            key = f"{session_id}/{event['note_id']}"
            # A waiting reader may be woken before its writer returns: then it took no time.
            latencies.append(max(0.0, now - committed.get(key, now)) * 1000)


async def _write_steadily(app: App, sessions: list[str], committed: dict[str, float], seconds: float) -> None:
    async def write(session_id: str) -> None:
        added = await call_in(app, session_id, "add_note", {"content": "Something new."})
        committed[f"{session_id}/{added['note']['id']}"] = time.perf_counter()

    begin, writing = time.perf_counter(), []
    for number, session_id in zip(range(int(seconds * WRITES_PER_SECOND)), cycle(sessions), strict=False):
        await asyncio.sleep(max(0.0, begin + number / WRITES_PER_SECOND - time.perf_counter()))
        writing.append(asyncio.create_task(write(session_id)))
    await asyncio.gather(*writing)


async def _write_when_asked(data_dir: Path) -> None:
    """The other process: one note for each line."""
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:
        await call_tool(app, "add_note", content="Here I am.")
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            await call_tool(app, "add_note", content="Something new.")
            print(time.perf_counter(), flush=True)


if __name__ == "__main__":
    asyncio.run(_write_when_asked(Path(sys.argv[1])))
