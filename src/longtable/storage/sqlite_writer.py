"""The one thread that writes to SQLite: it drains its queue into shared transactions (group commit)."""

import asyncio
import contextlib
import math
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from longtable.kernel.errors import LongtableError, OutcomeUnknown, StoreUnavailable
from longtable.storage.database import SYSTEM, Body, CommitHooks
from longtable.storage.file_lock import FileLock
from longtable.storage.group import (
    BATCH_LIMIT,
    BATCH_SECONDS,
    QUEUE_LIMIT,
    Batch,
    QueuedWrite,
    outcome_unknown,
    post,
    reject,
    resolve,
    too_many_waiting,
)
from longtable.storage.sqlite_file import BUSY_SECONDS
from longtable.storage.sqlite_identity import StoreFiles
from longtable.storage.sqlite_transaction import SqliteTransaction, StoreDamaged, drive, translate

_CLOSING_SECONDS: Final = 2.0


class _OperationFailed(Exception):
    """It has changed something, and so have others before it: they are to be run again."""


@dataclass(frozen=True, slots=True)
class WriterQuery:
    """A query on the writer's connection that needs no transaction."""

    query: Callable[[sqlite3.Connection], Any]
    future: asyncio.Future[Any]


class Writer:
    def __init__(
        self, connection: sqlite3.Connection, file_lock: FileLock, hooks: CommitHooks, files: StoreFiles
    ) -> None:
        self._connection = connection
        self._files = files
        self.committed_at = -math.inf
        self.is_failing = False
        self._file_lock = file_lock
        self._hooks = hooks
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[QueuedWrite | WriterQuery | None] = queue.SimpleQueue()
        self._submitted: list[QueuedWrite] = []
        self._closing = False
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="longtable-writer", daemon=True)
        self._thread.start()

    def submit(self, scope: str, body: Body[Any]) -> asyncio.Future[Any]:
        """Queues a write. The future has its result once the commit is durable."""
        if self._closing or self._queue.qsize() + len(self._submitted) >= QUEUE_LIMIT:
            self._refuse()
        future = self._loop.create_future()
        if not self._submitted:
            # When the loop has done what it can do now: the thread would only wait for it, and all that is submitted
            # until then shares a commit.
            self._loop.call_soon(self._hand_over)
        self._submitted.append(QueuedWrite(scope, body, future))
        return future

    def _hand_over(self) -> None:
        submitted, self._submitted = self._submitted, []
        for operation in submitted:
            self._queue.put(operation)

    async def query(self, query: Callable[[sqlite3.Connection], Any]) -> Any:
        if self._closing or self._queue.qsize() >= QUEUE_LIMIT:
            self._refuse()
        future = self._loop.create_future()
        self._queue.put(WriterQuery(query, future))
        return await future

    async def query_locked(self, query: Callable[[sqlite3.Connection], Any]) -> Any:
        """The same while no other process writes, on the files that we know."""

        def locked(connection: sqlite3.Connection) -> Any:
            with self._file_lock.held(BUSY_SECONDS):
                self._files.require_same()
                result = query(connection)
                self._files.require_same_after_commit()
                return result

        return await self.query(locked)

    async def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._hand_over()
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _refuse(self) -> NoReturn:
        if self._closing:
            raise StoreUnavailable("The store is closed.", hint="Nothing was changed.")
        raise too_many_waiting()

    def _run(self) -> None:
        while not self._stopped:
            item = self._queue.get()
            if isinstance(item, QueuedWrite):
                self._commit(Batch([item]))
            else:
                self._run_query(item)
        self._close_connection()

    def _close_connection(self) -> None:
        # Best effort: the next process to open the store runs the checkpoint. Under the lock, as another process may be
        # checking whether the file is whole.
        with contextlib.suppress(sqlite3.Error, StoreUnavailable), self._file_lock.held(_CLOSING_SECONDS):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._files.require_same_after_commit()
            self._connection.close()
        self._connection.close()
        self._files.close()
        self._file_lock.close()

    def _run_query(self, item: WriterQuery | None) -> None:
        if item is None:
            self._stopped = True
            return
        try:
            result = item.query(self._connection)
        except sqlite3.Error as error:
            post(self._loop, reject, item.future, translate(error))
        except BaseException as error:  # noqa: BLE001  raised in the caller
            post(self._loop, reject, item.future, error)
        else:
            post(self._loop, resolve, item.future, result)

    def _commit(self, batch: Batch) -> None:
        try:
            with self._file_lock.held(BUSY_SECONDS):
                try:
                    self._files.require_same()
                    self._run_batch(batch)
                    self._finish(batch)
                except BaseException:
                    self._roll_back()
                    raise
        except BaseException as error:  # noqa: BLE001  the thread must live, and its callers get the error
            if not batch.has_run:
                # Queued writes have waited as long: no second busy timeout for each of them.
                batch.taken += self._waiting()
            self.is_failing = True
            batch.fail_all(self._commit_error(error))
        post(self._loop, batch.complete, self._hooks)

    def _run_batch(self, batch: Batch) -> None:
        deadline = time.monotonic() + BATCH_SECONDS
        try:
            self._run_operation(batch.taken[0], batch)
            while len(batch.taken) < BATCH_LIMIT and time.monotonic() < deadline:
                operation = self._next_waiting()
                if operation is None:
                    return
                batch.taken.append(operation)
                self._run_operation(operation, batch)
        except _OperationFailed:
            self._run_again(batch)

    def _run_again(self, batch: Batch) -> None:
        self._roll_back()
        batch.reset()
        batch.is_careful = True
        for operation in batch.taken:
            self._run_operation(operation, batch)

    def _next_waiting(self) -> QueuedWrite | None:
        while not self._stopped:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return None
            if isinstance(item, QueuedWrite):
                return item
            self._run_query(item)
        return None

    def _waiting(self) -> Iterator[QueuedWrite]:
        while operation := self._next_waiting():
            yield operation

    def _run_operation(self, operation: QueuedWrite, batch: Batch) -> None:
        if operation.future.cancelled():
            return
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        # For a savepoint SQLite copies each page that is changed. So operations go without, and are run again with one
        # each where one of them fails; the first needs none, with nothing before it to protect.
        has_savepoint = batch.is_careful and bool(batch.done)
        if has_savepoint:
            self._connection.execute("SAVEPOINT operation")
        tx = SqliteTransaction(self._connection, operation.scope)
        try:
            result = drive(operation.body(tx))
            if tx.failure is not None:
                tx.require_sound()
        except BaseException as error:  # noqa: BLE001  raised in the caller
            if isinstance(error, StoreDamaged):
                self._files.report_damage(error)
            self._undo(batch, tx)
            batch.fail(operation, error)
            return
        if has_savepoint:
            self._connection.execute("RELEASE operation")
        batch.succeed(operation, result, tx.entries)

    def _undo(self, batch: Batch, tx: SqliteTransaction) -> None:
        if not batch.done:
            self._roll_back()
            return
        if not batch.is_careful:
            if tx.has_written or tx.failure is not None:
                raise _OperationFailed
            return
        if not self._connection.in_transaction:
            raise StoreUnavailable("The store took back a whole transaction.", hint="Nothing was changed.")
        self._connection.execute("ROLLBACK TO operation")
        self._connection.execute("RELEASE operation")

    def _finish(self, batch: Batch) -> None:
        if batch.entries:
            tx = SqliteTransaction(self._connection, SYSTEM)
            drive(self._hooks.before_commit(tx, batch.entries))
            if tx.failure is not None:
                tx.require_sound()
        if self._connection.in_transaction:
            self._commit_durably()

    def _commit_durably(self) -> None:
        """Raises OutcomeUnknown where it is unknown what the file will hold after a restart."""
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            if _may_be_in_log(error) and not self._overwrites_last_frames():
                raise outcome_unknown(error) from error
            raise
        try:
            self._files.require_same_after_commit()
        except StoreUnavailable as error:
            raise outcome_unknown(error) from error
        self.committed_at = time.monotonic()
        self.is_failing = False

    def _overwrites_last_frames(self) -> bool:
        """A commit whose sync failed is undone for all current readers, but its frames are in the log, and a start
        after a crash would find them. The next commit overwrites them."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT OR REPLACE INTO facts (name, value) VALUES ('overwrite', random())")
            self._connection.execute("COMMIT")
        except sqlite3.Error:
            self._roll_back()
            return False
        return True

    def _commit_error(self, error: BaseException) -> LongtableError:
        if isinstance(error, sqlite3.Error):
            error = translate(error)
        if isinstance(error, StoreDamaged):
            self._files.report_damage(error)
        if isinstance(error, StoreUnavailable | OutcomeUnknown):
            return error
        failure = StoreUnavailable("The store did not commit. Nothing was changed.")
        failure.__cause__ = error
        return failure

    def _roll_back(self) -> None:
        # SQLite may have rolled back by itself, after an error of the disk for example.
        with contextlib.suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")


def _may_be_in_log(error: sqlite3.Error) -> bool:
    """Whether a start after a crash may find a commit that failed. A frame that could not be written is none; but what
    fails after that, as the sync does, fails when the last frame is in the log."""
    code = error.sqlite_errorcode
    return code == sqlite3.SQLITE_NOMEM or (code & 0xFF == sqlite3.SQLITE_IOERR and code != sqlite3.SQLITE_IOERR_WRITE)
