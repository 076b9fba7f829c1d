"""Copies of the embedded store: checked when they are made, and before one takes the place of a store."""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from longtable.kernel.clock import Clock
from longtable.kernel.errors import ConfigError
from longtable.storage.migrate import MIGRATIONS, Migrations
from longtable.storage.sqlite_file import APPLICATION_ID, copy_store, ensure_folder, read_version


@dataclass(frozen=True, slots=True)
class BackupFacts:
    schema: int
    events: int
    """The newest event of the log."""
    size: int


def check_backup(path: Path) -> BackupFacts:
    """Reads all of it. Raises ConfigError for a file that is damaged, of another program, or of a newer version."""
    if not path.is_file():
        raise ConfigError(f"{path} is no file.", hint="Name a file that 'longtable backup' has made.")
    try:
        with contextlib.closing(_open(path)) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise ConfigError(f"{path} is not a copy of a Longtable store.")
            schema, latest = read_version(connection), Migrations(MIGRATIONS, "sqlite").latest
            if schema > latest:
                raise ConfigError(
                    f"{path} has schema {schema}; this Longtable knows up to {latest}.",
                    hint="Install the newer Longtable that wrote it.",
                )
            if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                raise ConfigError(f"{path} is damaged.")
            events = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()[0]
    except sqlite3.Error:
        raise ConfigError(f"{path} is damaged, or not a copy of a Longtable store.") from None
    return BackupFacts(schema, int(events), path.stat().st_size)


def restore_backup(path: Path, store: Path) -> BackupFacts:
    """Makes the store from a copy; `store` appears only when it is complete. Raises ConfigError where one is there."""
    facts = check_backup(path)
    require_no_store(store)
    try:
        ensure_folder(store.parent)
        with contextlib.closing(_open(path)) as connection:
            copy_store(connection, store)
        _sync(store)
    except (OSError, sqlite3.Error) as error:
        raise ConfigError(f"The store cannot be written to {store.parent} ({error}).") from None
    return facts


def require_no_store(store: Path) -> None:
    others = [each for each in (store, *(Path(f"{store}{end}") for end in ("-wal", "-shm"))) if os.path.exists(each)]
    if others:
        raise ConfigError(
            f"There is a store already: {others[0]}.", hint="Nothing was changed. Name an empty folder with --data-dir."
        )


def finish_backup(path: Path) -> BackupFacts:
    """Once it is written: on disk for good, and checked."""
    _sync(path)
    return check_backup(path)


@dataclass(frozen=True, slots=True)
class ScheduledBackups:
    """Copies beside the store, made by themselves: the newest `keep` of them stay."""

    folder: Path
    every: int
    keep: int
    copy: Callable[[Path], Awaitable[None]]
    clock: Clock

    async def run(self) -> None:
        """Makes none where another process has made one not long ago."""
        now = self.clock()
        backups = self._existing()
        if backups and now - backups[-1][0] < self.every * 9 // 10:
            return
        path = self.folder / f"scheduled-{now}.db"
        await self.copy(path)
        try:
            await asyncio.to_thread(finish_backup, path)
        except ConfigError:
            path.unlink(missing_ok=True)
            raise
        for _, old in self._existing()[: -self.keep]:
            old.unlink(missing_ok=True)

    def _existing(self) -> list[tuple[int, Path]]:
        names = (path for path in self.folder.glob("scheduled-*.db"))
        return sorted((int(number), path) for path in names if (number := path.stem.partition("-")[2]).isdecimal())


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)


def _sync(path: Path) -> None:
    """The file and its name."""
    for each in (path, path.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
