"""Writes to PostgreSQL: a queue for each tenant, drained into shared transactions that are serial on all replicas."""

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import asyncpg

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.storage.database import SYSTEM, Body, CommitHooks
from longtable.storage.group import BATCH_LIMIT, BATCH_SECONDS, Batch, Operation, require_room
from longtable.storage.postgres_transaction import DRIVER_ERRORS, Collision, PostgresTransaction, translate, translated

if TYPE_CHECKING:
    from longtable.storage.postgres_transaction import Link

WAIT_SECONDS: Final = 30
_ATTEMPTS: Final = 4


class PostgresWriter:
    def __init__(
        self,
        pool: "asyncpg.Pool[asyncpg.Record]",
        hooks: CommitHooks,
        schema: str,
        parallel: int,
        background: BackgroundTasks,
    ) -> None:
        self._background = background
        self._pool = pool
        self._hooks = hooks
        self._schema = schema
        self._slots = asyncio.Semaphore(parallel)
        self._queues: dict[str, deque[Operation]] = {}
        self._tasks: set[BackgroundTask] = set()
        self._closing = False

    async def write(self, scope: str, body: Body[Any]) -> Any:
        if self._closing:
            raise StoreUnavailable("The store is closed.", hint="Nothing was changed.")
        operation = Operation(scope, body, asyncio.get_running_loop().create_future())
        queue = self._queues.get(scope)
        if queue is None:
            self._queues[scope] = deque([operation])
            task = self._background.start("store_writer", partial(self._drain, scope))
            self._tasks.add(task)
            task.when_done(partial(self._tasks.discard, task))
        else:
            require_room(len(queue))
            queue.append(operation)
        return await operation.future

    async def close(self) -> None:
        self._closing = True
        while self._tasks:
            await next(iter(self._tasks)).wait()

    async def _drain(self, scope: str) -> None:
        queue = self._queues[scope]
        while queue:
            async with self._slots:
                await self._commit(scope, queue)
        del self._queues[scope]

    async def _commit(self, scope: str, queue: deque[Operation]) -> None:
        batch = Batch()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                await self._attempt(scope, queue, batch)
                break
            except Collision as error:
                batch.forget()
                if attempt == _ATTEMPTS:
                    batch.spoil(error)
            except Exception as error:  # noqa: BLE001  the queue must go on, and its callers must hear of it
                if not batch.taken:
                    # Who waits behind has waited as long: no second timeout for each of them.
                    batch.taken += queue
                    queue.clear()
                batch.spoil(_verdict(error))
                break
        batch.settle(self._hooks)

    async def _attempt(self, scope: str, queue: deque[Operation], batch: Batch) -> None:
        with translated():
            async with self._pool.acquire(timeout=WAIT_SECONDS) as connection:
                attempt = _Attempt(connection, scope, self._lock_key(scope), batch)
                try:
                    await attempt.begin()
                    for operation in _operations(batch, queue):
                        await attempt.run(operation)
                    await attempt.finish(self._hooks)
                except BaseException:
                    await attempt.roll_back()
                    raise

    def _lock_key(self, scope: str) -> int:
        digest = hashlib.blake2b(f"{self._schema}\0{scope}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


class _Attempt:
    """One transaction for one batch, on one connection."""

    def __init__(self, connection: "Link", scope: str, lock_key: int, batch: Batch) -> None:
        self._connection = connection
        self._scope = scope
        self._batch = batch
        self._has_savepoint = False
        # One message, one round trip. The lock comes before the first statement that reads, so that
        # every snapshot holds what the former holder committed.
        self._begin = (
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
            f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s';"
            f"SET LOCAL longtable.tenant = {quoted(scope)};"
            f"SELECT pg_advisory_xact_lock({lock_key})"
        )

    async def begin(self) -> None:
        await self._connection.execute(self._begin)

    async def run(self, operation: Operation) -> None:
        if operation.future.cancelled():
            return
        if not self._connection.is_in_transaction():
            await self.begin()
        await self._protect()
        tx = PostgresTransaction(self._connection, operation.scope)
        try:
            result = await operation.body(tx)
            tx.require_sound()
        except Exception as error:
            if isinstance(tx.failure, Collision):
                raise tx.failure from error
            await self._undo()
            self._batch.fail(operation, error)
        else:
            self._batch.succeed(operation, result, tx.entries)

    async def finish(self, hooks: CommitHooks) -> None:
        if self._batch.entries:
            if self._scope != SYSTEM:
                await self._connection.execute(f"SET LOCAL longtable.tenant = {quoted(SYSTEM)}")
            tx = PostgresTransaction(self._connection, SYSTEM)
            await hooks.before_commit(tx, self._batch.entries)
            tx.require_sound()
        if self._connection.is_in_transaction() and await self._connection.execute("COMMIT") != "COMMIT":
            raise StoreUnavailable("The store did not commit.", hint="Nothing was changed.")

    async def roll_back(self) -> None:
        # A connection that is lost has rolled back by itself.
        with suppress(*DRIVER_ERRORS):
            if not self._connection.is_closed() and self._connection.is_in_transaction():
                await self._connection.execute("ROLLBACK")

    async def _protect(self) -> None:
        """With nothing before it to protect, an operation needs no savepoint."""
        if not self._batch.done:
            return
        release = "RELEASE SAVEPOINT operation;" if self._has_savepoint else ""
        await self._connection.execute(f"{release}SAVEPOINT operation")
        self._has_savepoint = True

    async def _undo(self) -> None:
        await self._connection.execute("ROLLBACK TO SAVEPOINT operation" if self._has_savepoint else "ROLLBACK")


def _operations(batch: Batch, queue: deque[Operation]) -> Iterator[Operation]:
    """What an attempt before this one took, then what waits and what comes while the others run."""
    deadline = time.monotonic() + BATCH_SECONDS
    yield from tuple(batch.taken)
    while queue and len(batch.taken) < BATCH_LIMIT and (not batch.taken or time.monotonic() < deadline):
        batch.taken.append(queue.popleft())
        yield batch.taken[-1]


def quoted(literal: str) -> str:
    """As an escape string, which means the same whatever `standard_conforming_strings` says."""
    return "E'" + literal.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _verdict(error: Exception) -> LongtableError:
    if isinstance(error, DRIVER_ERRORS):
        error = translate(error)
    if isinstance(error, StoreUnavailable | OutcomeUnknown):
        return error
    verdict = StoreUnavailable("The store did not commit. Nothing was changed.")
    verdict.__cause__ = error
    return verdict
