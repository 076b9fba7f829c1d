"""One transaction for a batch of writes to PostgreSQL, in as few round trips as possible.

First it is run in the hope that nothing fails: without savepoints, operations that only add side by side, and what
nobody waits for in one message with the commit. When something fails that could be any operation's, the batch is run
again with care: one operation after the other, a savepoint before each, each statement by itself.
"""

from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

import asyncpg

from longtable.kernel.errors import LongtableError, StoreUnavailable
from longtable.storage.database import SYSTEM, CommitHooks
from longtable.storage.group import Batch, QueuedWrite
from longtable.storage.postgres_buffer import StatementBuffer, literal
from longtable.storage.postgres_connection import (
    COMMAND_SECONDS,
    NAME_TRANSACTION,
    TenantConnection,
    transaction_number,
)
from longtable.storage.postgres_outcome import InDoubt, LostTransaction
from longtable.storage.postgres_side_by_side import run_side_by_side
from longtable.storage.postgres_transaction import (
    DRIVER_ERRORS,
    Collision,
    PostgresTransaction,
    Unreachable,
    is_open,
    terminate,
    translate,
)

if TYPE_CHECKING:
    from longtable.storage.postgres_buffer import PostgresConnection

WAIT_SECONDS: Final = COMMAND_SECONDS
COMMIT_SECONDS: Final = 4
"""For the reply to a commit. After that the outcome is queried, which may take as long again."""


class Attempt:
    """One transaction for one batch, on one connection."""

    def __init__(self, connection: "PostgresConnection", scope: str, lock_key: int, batch: Batch) -> None:
        self._connection = connection
        self._scope = scope
        self._batch = batch
        self._has_savepoint = False
        self._buffer = None if batch.is_careful else StatementBuffer()
        # One message, one round trip. The lock comes before the first statement that reads, so that
        # every snapshot holds what the former holder committed.
        self._begin = (
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"
            f"{cast(TenantConnection, connection).local_settings}"
            f"SET LOCAL lock_timeout = '{WAIT_SECONDS}s';"
            f"SET LOCAL longtable.tenant = {literal(scope)};"
            f"SELECT pg_advisory_xact_lock({lock_key}), {NAME_TRANSACTION}"
        )

    async def begin(self, seconds: float = WAIT_SECONDS) -> None:
        await self._connection.execute(self._begin, timeout=seconds)

    async def run(self, operations: list[QueuedWrite]) -> None:
        waiting = [operation for operation in operations if not operation.future.cancelled()]
        if waiting and not self._connection.is_in_transaction():
            await self.begin()
        if self._buffer is not None and len(waiting) > 1:
            await self._run_side_by_side(waiting, self._buffer)
            return
        for operation in waiting:
            await self._run_alone(operation)

    async def _run_side_by_side(self, operations: list[QueuedWrite], buffer: StatementBuffer) -> None:
        try:
            runs = await run_side_by_side(self._connection, operations, buffer)
        except LongtableError as error:
            raise _again(error) from error
        for run in runs:
            if run.error is None:
                self._batch.succeed(run.operation, run.result, run.tx.entries)
            elif run.tx.has_written or run.tx.failure is not None:
                raise _again(run.error) from run.error
            else:
                self._batch.fail(run.operation, run.error)

    async def _run_alone(self, operation: QueuedWrite) -> None:
        if not self._connection.is_in_transaction():
            await self.begin()
        if self._batch.is_careful:
            await self._set_savepoint()
        tx = PostgresTransaction(self._connection, operation.scope, self._buffer)
        try:
            result = await operation.body(tx)
            tx.require_sound()
        except Exception as error:
            if isinstance(tx.failure, Collision | Unreachable):
                raise tx.failure from error
            if tx.has_written or tx.failure is not None:
                await self._undo(error)
            self._batch.fail(operation, error)
        else:
            self._batch.succeed(operation, result, tx.entries)

    async def finish(self, hooks: CommitHooks) -> None:
        rest = StatementBuffer() if self._buffer is not None else None
        if self._batch.entries:
            tx = PostgresTransaction(self._connection, SYSTEM, rest)
            await hooks.before_commit(tx, self._batch.entries)
            tx.require_sound()
        if self._connection.is_in_transaction() and await self._commit(await self._last_words(rest)) != "COMMIT":
            raise StoreUnavailable("The store did not commit.", hint="Nothing was changed.")

    async def _last_words(self, rest: StatementBuffer | None) -> str:
        """What is left to be sent with the commit."""
        if self._buffer is None or rest is None:
            return ""
        try:
            text = await self._buffer.send_large(self._connection)
            if rest.is_large and text:
                await self._connection.execute(text)
                text = ""
            return text + await rest.send_large(self._connection)
        except asyncpg.PostgresError as error:
            raise _again(translate(error)) from error

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

    async def _commit(self, statements: str) -> str:
        """Raises InDoubt when the connection is lost in between."""
        connection = cast(TenantConnection, self._connection)
        lost = LostTransaction(transaction_number(connection), connection.timeline)
        try:
            return await self._connection.execute(f"{statements}COMMIT", timeout=COMMIT_SECONDS)
        except Exception as error:
            # An error from a server that stays connected is its reply: it has rolled back.
            if not (isinstance(error, asyncpg.PostgresError) and is_open(self._connection)):
                raise InDoubt(lost) from error
            if statements:
                raise _again(translate(error)) from error
            raise

    async def _set_savepoint(self) -> None:
        """With nothing before it to protect, an operation needs no savepoint."""
        if not self._batch.done:
            return
        release = "RELEASE SAVEPOINT operation;" if self._has_savepoint else ""
        await self._connection.execute(f"{release}SAVEPOINT operation")
        self._has_savepoint = True

    async def _undo(self, error: Exception) -> None:
        if self._batch.done and self._buffer is not None:
            raise _again(error) from error
        if self._buffer is not None:
            self._buffer.clear()
        await self._connection.execute("ROLLBACK TO SAVEPOINT operation" if self._has_savepoint else "ROLLBACK")


def _again(error: Exception) -> Exception:
    """A failure that may be another operation's: all are run again, one after the other."""
    if isinstance(error, Collision | Unreachable):
        return error
    return Collision("An operation of the same commit failed.", hint="Nothing was changed; try again.")
