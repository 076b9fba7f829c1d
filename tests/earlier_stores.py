"""Embedded stores as earlier versions of the program have left them, made from the migrations of then."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any, Final

from longtable.storage.migrate import MIGRATIONS, Migrations, define_functions, split_statements
from longtable.storage.sqlite_file import APPLICATION_ID

ALL: Final = Migrations(MIGRATIONS, "sqlite")
NUMBERS: Final = [migration.number for migration in ALL.after(0)]
SESSION: Final = "review"
TEXTS: Final = ("The heron waits by the river.", "The otter swims.")
FAR: Final = 4_000_000_000_000_000
SCOPED_WORDS: Final = 18
"""From this schema on terms begin with their scope: documents alone would never be found."""


def make_store(path: Path, schema: int) -> None:
    """A session with two notes in it, which are in the search index where a server of then had put them."""
    path.parent.mkdir(mode=0o700, parents=True)
    path.touch(0o600)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as store:
        store.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        store.execute("PRAGMA journal_mode = WAL")
        define_functions(store)
        for migration in ALL.after(0):
            if migration.number <= schema:
                for statement in split_statements(migration.script):
                    store.execute(statement)
        store.execute(f"PRAGMA user_version = {schema}")
        _fill(store, schema)


def _fill(store: sqlite3.Connection, schema: int) -> None:
    times = {"created_at": 1, "expires_at": FAR}
    _insert(
        store,
        "sessions",
        session_id=SESSION,
        purpose="Of earlier",
        metadata="{}",
        created_by="ada",
        status="active",
        **times,
    )
    for number, text in enumerate(TEXTS, 1):
        note = {"session_id": SESSION, "number": number, "content": text, "tags": "[]", "author": "ada"}
        _insert(store, "notes", **note, created_at=number)
        _insert(store, "documents", kind="note", session_id=SESSION, ref=f"n{number}")
    _insert(store, "counters", scope=SESSION, name="note", value=len(TEXTS))
    if schema >= SCOPED_WORDS:
        # As a rebuild that was interrupted leaves it.
        store.execute("INSERT INTO facts (name, value) VALUES ('search_index default', '2')")


def _insert(store: sqlite3.Connection, table: str, **row: Any) -> None:
    values = {"tenant": "default", **row}
    marks = ", ".join(f":{name}" for name in values)
    store.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", values)
