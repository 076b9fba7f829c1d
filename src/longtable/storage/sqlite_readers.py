"""Threads that read SQLite beside the writer, each with its own connection and one snapshot per body."""

import asyncio
import queue
import sqlite3
import threading
import time
from typing import Any

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Body
from longtable.storage.group import QUEUE_LIMIT, QueuedWrite, post, reject, resolve, too_many_waiting
from longtable.storage.sqlite_file import connect_reader
from longtable.storage.sqlite_identity import StoreFiles
from longtable.storage.sqlite_transaction import SqliteTransaction, StoreDamaged, drive, translate

READ_SECONDS = 10.0
_STEPS_BETWEEN_CHECKS = 50_000


class Readers:
    """At most `count` threads; another one starts only when all others are busy."""

    def __init__(self, files: StoreFiles, count: int) -> None:
        self._files = files
        self._count = count
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[QueuedWrite | None] = queue.SimpleQueue()
        self._closing = False
        self._threads: list[threading.Thread] = []
        self._reading = 0

    async def read(self, scope: str, body: Body[Any]) -> Any:
        if self._closing:
            raise StoreUnavailable("The store is closed.")
        if self._queue.qsize() >= QUEUE_LIMIT:
            raise too_many_waiting()
        if self._reading == len(self._threads) < self._count:
            self._start_thread()
        future = self._loop.create_future()
        self._reading += 1
        self._queue.put(QueuedWrite(scope, body, future))
        try:
            return await future
        finally:
            self._reading -= 1

    async def close(self) -> None:
        if not self._closing:
            self._closing = True
            for _ in self._threads:
                self._queue.put(None)
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _start_thread(self) -> None:
        name = f"longtable-reader-{len(self._threads)}"
        thread = threading.Thread(target=self._run, name=name, daemon=True)
        thread.start()
        self._threads.append(thread)

    def _run(self) -> None:
        connection: sqlite3.Connection | None = None
        while operation := self._queue.get():
            if operation.future.cancelled():
                continue
            try:
                # Opened late, so that a start does not pay for connections that are not used yet.
                connection = connection or self._connect()
                result = _read(connection, operation)
            except sqlite3.Error as error:
                post(self._loop, reject, operation.future, translate(error))
            except BaseException as error:  # noqa: BLE001  raised in the caller
                if isinstance(error, StoreDamaged):
                    self._files.report_damage(error)
                post(self._loop, reject, operation.future, error)
            else:
                post(self._loop, resolve, operation.future, result)
        if connection is not None:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        self._files.require_same_path()
        self._files.require_header()
        return connect_reader(self._files.path)


def _read(connection: sqlite3.Connection, operation: QueuedWrite) -> Any:
    deadline = time.monotonic() + READ_SECONDS

    def should_stop() -> bool:
        return time.monotonic() > deadline or operation.future.cancelled()

    # A read that takes too long, or was cancelled, must not block the others.
    connection.set_progress_handler(should_stop, _STEPS_BETWEEN_CHECKS)
    connection.execute("BEGIN")
    try:
        return drive(operation.body(SqliteTransaction(connection, operation.scope)))
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")
