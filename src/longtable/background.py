"""The background work of an application: its periodic jobs, its search index, and wake-ups from other processes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger, LogHooks
from longtable.log.waits import Waits
from longtable.log.wakeups import Wakeups
from longtable.parts import Parts
from longtable.sessions.jobs import PeriodicJob, SessionJobs
from longtable.storage.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from longtable.assembly import Slices

FOREIGN_POLL = 0.02
JOB_DELAY = 3.0


class Assembly:
    """The slices, joined when the first of them is needed. `index_turn` waits until this process may embed what was
    written."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.index_turn: Callable[[], Awaitable[None]] | None = None

    @property
    def waits(self) -> Waits:
        return self._parts.waits

    @cached_property
    def slices(self) -> "Slices":
        # Imported here: a third of the time to start, which a client that lists its tools need not spend.
        from longtable.assembly import join_slices

        return join_slices(self._parts)

    @cached_property
    def jobs(self) -> SessionJobs:
        retention = self._parts.settings.archive_retention
        return SessionJobs(self._parts.ledger, retention, self.slices.purges, self.slices.minute_jobs)

    @property
    def is_joined(self) -> bool:
        return "slices" in self.__dict__

    async def close(self) -> None:
        if self.is_joined:
            for close in self.slices.closers:
                await close()


class _PeriodicJobs:
    """Each job is a task of its own: one that fails or takes long keeps no other waiting."""

    def __init__(self, assembly: Assembly, background: BackgroundTasks, more: Sequence[PeriodicJob]) -> None:
        self._assembly = assembly
        self._background = background
        self._more = more
        self._tasks = [background.start("job_starter", self._start)]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            await task.wait()

    async def _start(self) -> None:
        # Not at once: the first client should not wait for slices that only the jobs need.
        await asyncio.sleep(JOB_DELAY)
        jobs = [*self._more, *self._assembly.jobs.rounds(), *self._assembly.slices.rounds]
        self._tasks += [self._background.start(each.name, partial(self._repeat, each)) for each in jobs]

    async def _repeat(self, each: PeriodicJob) -> None:
        while True:
            try:
                await each.run()
            except LongtableError as error:
                # Expected when the store is away, which is shown by itself: the next time may be soon enough.
                self._background.failed(each.name, error, about="", pause=each.every / SECOND, trace=False)
            await asyncio.sleep(each.every / SECOND)


@asynccontextmanager
async def background_work(
    assembly: Assembly,
    ledger: Ledger,
    hooks: LogHooks,
    wakeups: Wakeups,
    feed: Feed,
    jobs: Sequence[PeriodicJob] = (),
) -> AsyncIterator[None]:
    """Everything that a serving process does by itself, for as long as the application is open. `jobs` are periodic
    ones besides those of the slices."""
    index = ledger.background.start("search_index", partial(_index, assembly, hooks))
    periodic = _PeriodicJobs(assembly, ledger.background, jobs)
    try:
        async with hearing_others(ledger, wakeups, feed):
            yield
    finally:
        await periodic.stop()
        await index.stop()
        with contextlib.suppress(LongtableError):
            await assembly.close()
            await ledger.close()


@asynccontextmanager
async def hearing_others(ledger: Ledger, wakeups: Wakeups, feed: Feed) -> AsyncIterator[None]:
    """Wake-ups from other processes for whoever follows the log, until the end of the block ends them all."""
    hearing: BackgroundTask | None = None
    if isinstance(ledger.database, SqliteDatabase):
        hear = partial(_hear_others, ledger.database, wakeups)
        hearing = ledger.background.start("foreign_commits", hear)
    try:
        yield
    finally:
        wakeups.close()
        await feed.close()
        if hearing is not None:
            await hearing.stop()


async def _index(assembly: Assembly, hooks: LogHooks) -> None:
    """Later as well, unless somebody writes: who does has the slices already, and wants what is written to be found by
    its meaning."""
    written = asyncio.Event()
    hooks.on_commit = written.set
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(JOB_DELAY):
            await written.wait()
    if assembly.index_turn is not None:
        await assembly.index_turn()
    indexer = assembly.slices.indexer
    hooks.on_commit = indexer.wake
    await indexer.run()


async def _hear_others(database: SqliteDatabase, wakeups: Wakeups) -> None:
    """Wakes our waiting readers when another process has committed."""
    seen = 0
    while True:
        await asyncio.sleep(FOREIGN_POLL)
        if not wakeups.anyone_waiting:
            continue
        try:
            now = await database.foreign_commits()
        except LongtableError:
            # Too busy to say: look again in a moment, rather than never.
            continue
        if now != seen:
            seen = now
            wakeups.wake_all()
