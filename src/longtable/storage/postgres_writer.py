"""Writes to PostgreSQL: a queue for each tenant, drained into shared transactions that are serial on all replicas."""

import asyncio
import hashlib
import math
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

import asyncpg

from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.storage.database import SYSTEM, Body, CommitHooks
from longtable.storage.group import (
    BATCH_LIMIT,
    BATCH_SECONDS,
    QUEUE_LIMIT,
    Batch,
    QueuedWrite,
    outcome_unknown,
    too_many_waiting,
)
from longtable.storage.postgres_connection import (
    COMMAND_SECONDS,
    NAME_TRANSACTION,
    TenantConnection,
    transaction_number,
)
from longtable.storage.postgres_outcome import InDoubt, LostTransaction, Outcomes
from longtable.storage.postgres_transaction import (
    DRIVER_ERRORS,
    Collision,
    PostgresTransaction,
    Unreachable,
    is_open,
    terminate,
    translate,
    translated,
)

if TYPE_CHECKING:
    from longtable.storage.postgres_transaction import PostgresConnection

WAIT_SECONDS: Final = COMMAND_SECONDS
COMMIT_SECONDS: Final = 4
"""For the reply to a commit. After that the outcome is queried, which may take as long again."""
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
        if self._closing:
            raise StoreUnavailable("The store is closed.", hint="Nothing was changed.")
        operation = QueuedWrite(scope, body, asyncio.get_running_loop().create_future())
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
                attempt = _Attempt(connection, scope, self._lock_key(scope), batch)
                try:
                    await attempt.begin(_left(deadline))
                    for operation in _operations(batch, queue):
                        await attempt.run(operation)
                    await attempt.finish(self._hooks)
                    batch.is_committed = True
                except BaseException as error:
                    await attempt.abort(error)
                    raise

    def _lock_key(self, scope: str) -> int:
        digest = hashlib.blake2b(f"{self._schema}\0{scope}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)


class _Attempt:
    """One transaction for one batch, on one connection."""

    def __init__(self, connection: "PostgresConnection", scope: str, lock_key: int, batch: Batch) -> None:
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
            f"SELECT pg_advisory_xact_lock({lock_key}), {NAME_TRANSACTION}"
        )

    async def begin(self, seconds: float = WAIT_SECONDS) -> None:
        await self._connection.execute(self._begin, timeout=seconds)

    async def run(self, operation: QueuedWrite) -> None:
        if operation.future.cancelled():
            return
        if not self._connection.is_in_transaction():
            await self.begin()
        await self._set_savepoint()
        tx = PostgresTransaction(self._connection, operation.scope)
        try:
            result = await operation.body(tx)
            tx.require_sound()
        except Exception as error:
            if isinstance(tx.failure, Collision | Unreachable):
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
        if self._connection.is_in_transaction() and await self._commit() != "COMMIT":
            raise StoreUnavailable("The store did not commit.", hint="Nothing was changed.")

    async def abort(self, error: BaseException) -> None:
        """A lost connection has rolled back by itself. One that does not respond is terminated, as a rollback would
        take as long again; so is one with a response that was not awaited, as after an error of our own."""
        has_answered = isinstance(error, LongtableError | asyncpg.PostgresError) and not isinstance(error, Unreachable)
        if not has_answered:
            terminate(self._connection)
            return
        with suppress(*DRIVER_ERRORS):
            if is_open(self._connection) and self._connection.is_in_transaction():
                await self._connection.execute("ROLLBACK")

    async def _commit(self) -> str:
        """Raises InDoubt when the connection is lost in between."""
        connection = cast(TenantConnection, self._connection)
        lost = LostTransaction(transaction_number(connection), connection.get_server_pid(), connection.timeline)
        try:
            return await self._connection.execute("COMMIT", timeout=COMMIT_SECONDS)
        except Exception as error:
            # An error from a server that stays connected is its reply: it has rolled back.
            if isinstance(error, asyncpg.PostgresError) and is_open(self._connection):
                raise
            raise InDoubt(lost) from error

    async def _set_savepoint(self) -> None:
        """With nothing before it to protect, an operation needs no savepoint."""
        if not self._batch.done:
            return
        release = "RELEASE SAVEPOINT operation;" if self._has_savepoint else ""
        await self._connection.execute(f"{release}SAVEPOINT operation")
        self._has_savepoint = True

    async def _undo(self) -> None:
        await self._connection.execute("ROLLBACK TO SAVEPOINT operation" if self._has_savepoint else "ROLLBACK")


def _fail_all(batch: Batch, queue: deque[QueuedWrite], error: Exception, deadline: float) -> None:
    if not batch.taken or time.monotonic() > deadline - WAIT_SECONDS / 2:
        # Queued writes have waited as long: no second timeout for each of them.
        batch.taken += queue
        queue.clear()
    batch.fail_all(_commit_error(error))


def _left(deadline: float) -> float:
    return max(deadline - time.monotonic(), 0.1)


def _operations(batch: Batch, queue: deque[QueuedWrite]) -> Iterator[QueuedWrite]:
    """The operations of earlier attempts, then queued ones, including those that arrive meanwhile."""
    deadline = time.monotonic() + BATCH_SECONDS
    yield from tuple(batch.taken)
    while queue and len(batch.taken) < BATCH_LIMIT and (not batch.taken or time.monotonic() < deadline):
        batch.taken.append(queue.popleft())
        yield batch.taken[-1]


def quoted(literal: str) -> str:
    """As an escape string, which means the same whatever `standard_conforming_strings` says."""
    return "E'" + literal.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _commit_error(error: Exception) -> LongtableError:
    if isinstance(error, DRIVER_ERRORS):
        error = translate(error)
    if isinstance(error, StoreUnavailable | OutcomeUnknown):
        return error
    failure = StoreUnavailable("The store did not commit. Nothing was changed.")
    failure.__cause__ = error
    return failure
