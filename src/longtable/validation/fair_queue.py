"""A fair queue of jobs: parties take turns, and one that keeps every worker busy does not block the others."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Job:
    """`parts` encodes the request for a worker that has so many seconds; `stop` ends the worker that runs it."""

    party: object
    key: bytes
    parts: Callable[[float], list[bytes]]
    deadline: float
    answer: asyncio.Future[bytes] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    stop: Callable[[], None] | None = None


class FairQueue:
    """Besides `workers` there is a reserve: for parties without a worker, when all others are busy."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: OrderedDict[object, deque[Job]] = OrderedDict()
        self._running: Counter[object] = Counter()
        self._changed = asyncio.Event()

    def add(self, job: Job) -> None:
        self._waiting.setdefault(job.party, deque()).append(job)
        self._changed.set()

    async def next(self) -> Job:
        return await self._next(lambda party: True)

    async def next_in_reserve(self) -> Job:
        return await self._next(lambda party: self._running.total() >= self._workers and party not in self._running)

    async def _next(self, may_take: Callable[[object], bool]) -> Job:
        while (job := self._pick(may_take)) is None:
            self._changed.clear()
            await self._changed.wait()
        if self._waiting:
            self._changed.set()
        return job

    def done(self, job: Job) -> None:
        self._running[job.party] -= 1
        if not self._running[job.party]:
            del self._running[job.party]
        self._changed.set()

    def drop(self, jobs: Sequence[Job]) -> None:
        dropped = set(jobs)
        for party in {job.party for job in jobs} & set(self._waiting):
            left = deque(job for job in self._waiting[party] if job not in dropped)
            if left:
                self._waiting[party] = left
            else:
                del self._waiting[party]

    def drain(self) -> list[Job]:
        left = [job for jobs in self._waiting.values() for job in jobs]
        self._waiting.clear()
        return left

    def _pick(self, may_take: Callable[[object], bool]) -> Job | None:
        """The party goes to the end of the queue."""
        for party, jobs in self._waiting.items():
            if may_take(party):
                job = jobs.popleft()
                self._waiting.move_to_end(party)
                if not jobs:
                    del self._waiting[party]
                self._running[party] += 1
                return job
        return None
