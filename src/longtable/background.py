"""The background work of an application: its periodic jobs, its search index, and wake-ups from other processes."""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from longtable.core import Core
from longtable.kernel.background import BackgroundTask
from longtable.kernel.clock import MINUTE, SECOND
from longtable.kernel.errors import LongtableError
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger
from longtable.log.wakeups import Wakeups
from longtable.sessions.jobs import PeriodicJob
from longtable.storage import leases
from longtable.storage.database import SYSTEM
from longtable.storage.leases import BESIDE, ProcessLease
from longtable.storage.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from longtable.vectors.indexer import Indexer
    from longtable.vectors.word_indexer import WordIndexer

FOREIGN_POLL = 0.02
FOREIGN_POLL_QUIET = 0.1
"""Seconds between two looks for commits of other processes: just after one, and when there was none for long."""
_SLOWER = 1.01
"""From one to the other in about eight seconds."""
JOB_DELAY = 3.0
LEASE = 6 * SECOND
RENEWED_EVERY = 2.0
"""Seconds. Another server has the jobs at most so long after the end of a lease."""
AFTER_SERVER = 10 * MINUTE
"""A process beside a server leaves the jobs alone for so long after it was last there: who deletes what is old by other
options than a server that is only being started again would delete it for good."""


class _PeriodicJobs:
    """Each job is a task of its own: one that fails or takes long keeps no other waiting."""

    def __init__(self, core: Core, load: Callable[[], Sequence[PeriodicJob]]) -> None:
        self._core = core
        self._background = core.background
        self._load = load
        self._lease = ProcessLease("jobs", f"{BESIDE if core.server_runs else ''}{secrets.token_hex(8)}", LEASE)
        self._server_seen: int | None = None
        self._own: list[BackgroundTask] = []
        self._shared: list[BackgroundTask] = []
        self._starter = self._background.start("job_starter", self._start)

    async def stop(self) -> None:
        await self._starter.stop()
        await _stop(self._own)
        if self._shared and self._is_leased:
            with contextlib.suppress(LongtableError):
                await self._core.database.write(SYSTEM, lambda tx: leases.release(tx, self._lease))
        await _stop(self._shared)

    @property
    def _is_leased(self) -> bool:
        """Whether there may be other servers on the store, with which the jobs are shared."""
        return self._core.database.dialect == "postgres"

    async def _start(self) -> None:
        # Not at once: the first client should not wait for slices that only the jobs need.
        await asyncio.sleep(JOB_DELAY)
        jobs = self._load()
        self._own = self._own or self._begin([job for job in jobs if job.in_each_process])
        if self._core.index_turn is not None:
            await self._core.index_turn()
        shared = [job for job in jobs if not job.in_each_process]
        while self._is_leased or self._core.server_runs is not None:
            await self._share(shared)
            await asyncio.sleep(RENEWED_EVERY)
        self._shared = self._shared or self._begin(shared)

    async def _share(self, jobs: Sequence[PeriodicJob]) -> None:
        """Runs the jobs while it is the turn of this process. A new holder of the lease runs each of them at once: the
        one before may have died long after its last run."""
        try:
            is_ours = await self._is_our_turn(self._core.clock())
        except LongtableError:
            # The store is away, and nobody can do anything; it says whose jobs they are when it is back.
            return
        if is_ours and not self._shared:
            self._shared = self._begin(jobs)
        elif not is_ours:
            stopped, self._shared = self._shared, []
            await _stop(stopped)

    async def _is_our_turn(self, now: int) -> bool:
        if self._core.server_runs is not None:
            if await self._server_runs(self._core.server_runs, now):
                self._server_seen = now
            if self._server_seen is not None and 0 <= now - self._server_seen < AFTER_SERVER:
                return False
        if not self._is_leased:
            return True
        return await self._core.database.write(SYSTEM, lambda tx: leases.claim(tx, self._lease, now))

    async def _server_runs(self, runs_here: Callable[[], bool], now: int) -> bool:
        if self._is_leased:
            return await self._core.database.read(SYSTEM, lambda tx: leases.is_of_server(tx, self._lease.name, now))
        return await asyncio.to_thread(runs_here)

    def _begin(self, jobs: Sequence[PeriodicJob]) -> list[BackgroundTask]:
        return [self._background.start(each.name, partial(self._repeat, each)) for each in jobs]

    async def _repeat(self, each: PeriodicJob) -> None:
        while True:
            try:
                await each.run()
            except LongtableError as error:
                # Expected when the store is away, which is shown by itself: the next time may be soon enough.
                self._background.failed(each.name, error, about="", pause=each.every / SECOND, trace=False)
            await asyncio.sleep(each.every / SECOND)


async def _stop(tasks: Sequence[BackgroundTask]) -> None:
    for task in tasks:
        task.cancel()
    for task in tasks:
        await task.wait()


@asynccontextmanager
async def background_work(
    core: Core,
    jobs: Callable[[], Sequence[PeriodicJob]],
    words: "Callable[[], WordIndexer]",
    indexer: "Callable[[], Indexer]",
) -> AsyncIterator[None]:
    """Everything that a serving process does by itself, for as long as the application is open. `jobs`, `words` and
    `indexer` are called later: they need the slices."""
    written = asyncio.Event()
    core.hooks.on_commit = written.set
    index = [
        core.background.start("word_index", partial(_index_words, core, written, words)),
        core.background.start("search_index", partial(_index, core, written, indexer)),
    ]
    periodic = _PeriodicJobs(core, jobs)
    try:
        async with listening_to_others(core.ledger, core.wakeups, core.feed):
            yield
    finally:
        await periodic.stop()
        await _stop(index)


@asynccontextmanager
async def listening_to_others(ledger: Ledger, wakeups: Wakeups, feed: Feed) -> AsyncIterator[None]:
    """Wake-ups from other processes for readers that follow the log, until the end of the block ends them all."""
    polling: BackgroundTask | None = None
    if isinstance(ledger.database, SqliteDatabase):
        poll = partial(_poll_others, ledger.database, wakeups)
        polling = ledger.background.start("foreign_commits", poll)
    try:
        yield
    finally:
        wakeups.close()
        await feed.close()
        if polling is not None:
            await polling.stop()


async def _index_words(core: Core, written: asyncio.Event, load: "Callable[[], WordIndexer]") -> None:
    await _is_needed(written)
    words = load()
    core.hooks.on_commit = words.wake
    await words.run()


async def _index(core: Core, written: asyncio.Event, load: "Callable[[], Indexer]") -> None:
    await _is_needed(written)
    if core.index_turn is not None:
        await core.index_turn()
    await load().run()


async def _is_needed(written: asyncio.Event) -> None:
    """After the same delay as the jobs, or with the first write: that has loaded the slices already, and what was
    written should soon be found."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(JOB_DELAY):
            await written.wait()


async def _poll_others(database: SqliteDatabase, wakeups: Wakeups) -> None:
    """Wakes our waiting readers when another process has committed."""
    seen = 0
    revision: int | None = None
    pause = FOREIGN_POLL
    while True:
        await asyncio.sleep(pause)
        pause = min(pause * _SLOWER, FOREIGN_POLL_QUIET)
        if not wakeups.anyone_waiting:
            continue
        try:
            # Here it is seen that somebody has committed; only the writer's thread knows whether it was this process.
            latest = database.revision()
            if latest == revision:
                continue
            now = await database.foreign_commits()
        except LongtableError:
            # Too busy to say: look again in a moment, rather than never.
            continue
        revision = latest
        if now != seen:
            seen, pause = now, FOREIGN_POLL
            wakeups.wake_all()
