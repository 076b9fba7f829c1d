"""Writes to PostgreSQL: a queue for each tenant, drained into shared transactions that are serial on all replicas."""

import asyncio
import hashlib
import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import asyncpg

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.storage.database import Body, CommitHooks
from longtable.storage.group import (
    BATCH_LIMIT,
    BATCH_SECONDS,
    QUEUE_LIMIT,
    Batch,
    QueuedWrite,
    outcome_unknown,
    too_many_waiting,
)
from longtable.storage.postgres_attempt import WAIT_SECONDS, Attempt
from longtable.storage.postgres_outcome import InDoubt, Outcomes
from longtable.storage.postgres_transaction import DRIVER_ERRORS, Collision, translate, translated

_ATTEMPTS: Final = 4


@dataclass(frozen=True, slots=True)
class WriterParts:
    """`parallel` is how many tenants may be written to at once."""

    parallel: int
    background: BackgroundTasks
    outcomes: Outcomes


class PostgresWriter:
    def __init__(
        self,
        pool: "asyncpg.Pool[asyncpg.Record]",
        hooks: CommitHooks,
        schema: str,
        parts: WriterParts,
    ) -> None:
        self._background = parts.background
        self._outcomes = parts.outcomes
        self._pool = pool
        self._hooks = hooks
        self._schema = schema
        self._slots = asyncio.Semaphore(parts.parallel)
        self._queues: dict[str, deque[QueuedWrite]] = {}
        self._tasks: set[BackgroundTask] = set()
        self._closing = False
        self.committed_at = -math.inf

    async def write(self, scope: str, body: Body[Any]) -> Any:
        return await self._submit(QueuedWrite(scope, body, asyncio.get_running_loop().create_future()))

    async def append(self, scope: str, body: Body[Any]) -> Any:
        return await self._submit(QueuedWrite(scope, body, asyncio.get_running_loop().create_future(), only_adds=True))

    async def _submit(self, operation: QueuedWrite) -> Any:
        if self._closing:
            raise StoreUnavailable("The store is closed.", hint="Nothing was changed.")
        scope = operation.scope
        queue = self._queues.get(scope)
        if queue is None:
            self._queues[scope] = deque([operation])
            task = self._background.start("store_writer", partial(self._drain, scope))
            self._tasks.add(task)
            task.when_done(partial(self._tasks.discard, task))
        else:
            if len(queue) >= QUEUE_LIMIT:
                raise too_many_waiting()
            queue.append(operation)
        return await operation.future

    async def close(self) -> None:
        self._closing = True
        while self._tasks:
            await next(iter(self._tasks)).wait()

    async def _drain(self, scope: str) -> None:
        queue = self._queues[scope]
        while queue:
            began = time.monotonic()
            async with self._slots:
                await self._commit(scope, queue, began + WAIT_SECONDS)
        del self._queues[scope]

    async def _commit(self, scope: str, queue: deque[QueuedWrite], deadline: float) -> None:
        batch = Batch()
        try:
            await self._commit_batch(scope, queue, batch, deadline)
        except BaseException as error:
            # Waiting callers get the error; the task is started again for later ones.
            if not batch.is_committed:
                batch.fail_all(outcome_unknown(error))
            batch.complete(self._hooks)
            raise
        batch.complete(self._hooks)

    async def _commit_batch(self, scope: str, queue: deque[QueuedWrite], batch: Batch, deadline: float) -> None:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                await self._attempt(scope, queue, batch, deadline)
                self.committed_at = time.monotonic()
                break
            except Collision as error:
                batch.reset()
                batch.is_careful = True
                if attempt == _ATTEMPTS:
                    batch.fail_all(error)
            except InDoubt as doubt:
                failure = await self._outcomes.failure_of(doubt)
                if failure is not None:
                    batch.fail_all(failure)
                break
            except Exception as error:
                if batch.is_committed:
                    raise
                _fail_all(batch, queue, error, deadline)
                break

    async def _attempt(self, scope: str, queue: deque[QueuedWrite], batch: Batch, deadline: float) -> None:
        with translated():
            async with self._pool.acquire(timeout=_left(deadline)) as connection:
                attempt = Attempt(connection, scope, self._lock_key(scope), batch)
                try:
                    await attempt.begin(_left(deadline))
                    for operations in _runs(batch, queue):
                        await attempt.run(operations)
                    await attempt.finish(self._hooks)
                    batch.is_committed = True
                except BaseException as error:
                    await attempt.abort(error)
                    raise

    def _lock_key(self, scope: str) -> int:
        digest = hashlib.blake2b(f"{self._schema}\0{scope}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


def _fail_all(batch: Batch, queue: deque[QueuedWrite], error: Exception, deadline: float) -> None:
    if not batch.taken or time.monotonic() > deadline - WAIT_SECONDS / 2:
        # Queued writes have waited as long: no second timeout for each of them.
        batch.taken += queue
        queue.clear()
    batch.fail_all(_commit_error(error))


def _left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.1)


def _runs(batch: Batch, queue: deque[QueuedWrite]) -> Iterator[list[QueuedWrite]]:
    """The operations of earlier attempts, then queued ones, including those that arrive meanwhile. One at a time, or
    several in a row that only add."""
    deadline = time.monotonic() + BATCH_SECONDS
    again = deque(batch.taken)
    while again:
        yield _next_run(again, BATCH_LIMIT)
    while queue and len(batch.taken) < BATCH_LIMIT and (not batch.taken or time.monotonic() < deadline):
        run = _next_run(queue, BATCH_LIMIT - len(batch.taken))
        batch.taken += run
        yield run


def _next_run(queue: deque[QueuedWrite], limit: int) -> list[QueuedWrite]:
    run = [queue.popleft()]
    while run[0].only_adds and queue and queue[0].only_adds and len(run) < limit:
        run.append(queue.popleft())
    return run


def _commit_error(error: Exception) -> LongtableError:
    if isinstance(error, DRIVER_ERRORS):
        error = translate(error)
    if isinstance(error, StoreUnavailable | OutcomeUnknown):
        return error
    failure = StoreUnavailable("The store did not commit. Nothing was changed.")
    failure.__cause__ = error
    return failure
