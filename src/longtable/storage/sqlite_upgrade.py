"""Brings a SQLite store to the latest schema: a copy first, then all pending migrations in one transaction."""

import contextlib
import sqlite3
import time
from pathlib import Path

from longtable.kernel.errors import StoreUnavailable
from longtable.storage import sqlite_file
from longtable.storage.file_lock import FileLock
from longtable.storage.migrate import Migrations, define_functions, split_statements


def prepare(
    path: Path, file_lock: FileLock, migrations: Migrations, synchronous: sqlite_file.Synchronous
) -> sqlite3.Connection:
    """The writer's connection to a store that is undamaged, ours and up to date."""
    with file_lock.held(sqlite_file.BUSY_SECONDS):
        if sqlite_file.refuse_foreign(path):
            sqlite_file.create(path)
        else:
            sqlite_file.refuse_damaged_or_newer(path, migrations)
        connection = sqlite_file.connect(path, synchronous)
        try:
            # A restored copy has no log yet, nor has a file whose creation was interrupted.
            connection.execute("PRAGMA journal_mode = WAL")
            _upgrade(connection, path, migrations)
        except BaseException:
            connection.close()
            raise
        return connection


def _upgrade(connection: sqlite3.Connection, path: Path, migrations: Migrations) -> None:
    version = sqlite_file.read_version(connection)
    if version >= migrations.latest:
        return
    if version > 0:
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        name = f"{path.stem}-schema-{version}-{moment}{path.suffix}"
        sqlite_file.copy_store(connection, path.parent / "backups" / name)
    try:
        _apply(connection, migrations)
    except sqlite3.Error as error:
        raise StoreUnavailable(
            f"The store could not be brought from schema {version} to {migrations.latest}; it is as it was before.",
            hint="Run the former version of Longtable and report this. A copy is in the 'backups' folder.",
        ) from error


def _apply(connection: sqlite3.Connection, migrations: Migrations) -> None:
    define_functions(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again: where the system has no file locks, another process may have been first.
        for migration in migrations.after(sqlite_file.read_version(connection)):
            for statement in split_statements(migration.script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {migration.number}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
