"""Looks up single rows of SQLite on the event loop: a thread switch would cost more than the lookup itself."""

import sqlite3
from typing import Any

from longtable.kernel.errors import StoreUnavailable
from longtable.storage.database import Body
from longtable.storage.sqlite_file import connect_reader
from longtable.storage.sqlite_identity import StoreFiles
from longtable.storage.sqlite_transaction import SqliteTransaction, drive, translate

_BUSY_MILLISECONDS = 50
"""Readers of a write-ahead log wait only for a recovery; the event loop must not wait long for that."""


class Lookups:
    def __init__(self, files: StoreFiles) -> None:
        self._files = files
        self._connection: sqlite3.Connection | None = None
        self._closed = False

    def look_up(self, scope: str, body: Body[Any]) -> Any:
        """Raises StoreUnavailable."""
        try:
            return drive(body(SqliteTransaction(self._opened(), scope)))
        except sqlite3.Error as error:
            raise translate(error) from error

    def revision(self) -> int:
        try:
            return int(self._opened().execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error as error:
            raise translate(error) from error

    def close(self) -> None:
        self._closed = True
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        if self._connection is None:
            self._files.require_same_path()
            self._files.require_header()
            self._connection = connect_reader(self._files.path)
            self._connection.execute(f"PRAGMA busy_timeout = {_BUSY_MILLISECONDS}")
        return self._connection
