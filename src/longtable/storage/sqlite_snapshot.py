"""One moment of the SQLite file, for as long as somebody reads it."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from longtable.storage.database import Body, Snapshot
from longtable.storage.sqlite_file import connect_reader
from longtable.storage.sqlite_transaction import SqliteTransaction, drive, translate

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SqliteSnapshot(Snapshot):
    """A read transaction on a connection of its own: writers go on beside it, and their log grows until it ends."""

    connection: sqlite3.Connection

    async def read(self, scope: str, body: Body[T]) -> T:
        return await asyncio.to_thread(lambda: drive(body(SqliteTransaction(self.connection, scope))))


@asynccontextmanager
async def open_snapshot(path: Path) -> AsyncIterator[SqliteSnapshot]:
    with closing(await asyncio.to_thread(_begin, path)) as connection:
        yield SqliteSnapshot(connection)


def _begin(path: Path) -> sqlite3.Connection:
    try:
        connection = connect_reader(path)
        connection.execute("BEGIN")
        # The first read is the moment that all others see.
        connection.execute("SELECT name FROM facts LIMIT 1").fetchall()
    except sqlite3.Error as error:
        raise translate(error) from error
    return connection
