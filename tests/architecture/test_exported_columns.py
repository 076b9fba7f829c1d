"""Nothing that is added to an exported table is forgotten by the export: it is a field of it, or stands here."""

import sqlite3
from pathlib import Path

import pytest

from longtable.storage.migrate import MIGRATIONS, Migrations, define_functions, split_statements
from longtable.transfer.history_records import HISTORY
from longtable.transfer.notebook_records import IN_SCRATCHPAD, NAMESPACE, SCRATCHPAD
from longtable.transfer.record_type import RecordType
from longtable.transfer.session_records import IN_SESSION, SESSION

RECORDS = [SESSION, *IN_SESSION, SCRATCHPAD, *IN_SCRATCHPAD, NAMESPACE, *HISTORY]
_MADE = "made of the other columns"
_HERE = "says something about this store only"

LEFT_OUT = {
    "sessions": {
        **dict.fromkeys(("provision_key", "imported_at", "imported_by"), _HERE),
        **dict.fromkeys(("forked_from", "fork_seq"), "names a session and an event of this store"),
    },
    "events": {"undo": "goes back behind what the export has"},
    "sections": {name: "that of the newest version" for name in ("title", "bytes", "author", "updated_at", "origin")},
    "tasks": {"lease": "a secret of who holds it", "open_dependencies": _MADE},
    "questions": {"by_human": "part of the field by_human"},
    "scratchpads": {
        "pad": _HERE,
        "accessed_at": _HERE,
        "imported_at": _HERE,
        "indexed": _HERE,
        **dict.fromkeys(("trashed_at", "trashed_by", "trash_reason"), "what is in the trash is not exported"),
    },
    "scratchpad_schemas": {"pad": _HERE},
    "cells": {"pad": _HERE, "has_schema": _MADE, "preview": _MADE},
    "namespaces": {"scratchpads": _MADE},
    "decisions": {
        "handle": "a secret of the agent that asked",
        "call_digest": _HERE,
        "definition_digest": _HERE,
        "trace": _HERE,
    },
}


@pytest.fixture(scope="module")
def schema() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    define_functions(connection)
    for migration in Migrations(MIGRATIONS, "sqlite").after(0):
        for statement in split_statements(migration.script):
            connection.execute(statement)
    return connection


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_every_column_is_exported_or_left_out_for_a_reason(schema: sqlite3.Connection, record: RecordType) -> None:
    for table in record.table.replace("JOIN", "").replace("USING (tenant, cell_id)", "").split():
        columns = {row[1] for row in schema.execute(f"PRAGMA table_info({table})")}
        known = {*record.by_column, *LEFT_OUT.get(table, {}), "tenant", "session_id", "origin", "cell_id"}

        assert columns - known == set(), f"{table}: add a field to transfer/, or a reason here"


def test_no_reason_is_out_of_date(schema: sqlite3.Connection) -> None:
    for table, reasons in LEFT_OUT.items():
        columns = {row[1] for row in schema.execute(f"PRAGMA table_info({table})")}

        assert set(reasons) - columns == set(), table


def test_the_page_names_every_type_of_record() -> None:
    page = Path("docs/howto/export-and-import.md").read_text(encoding="utf-8")

    assert [record.name for record in RECORDS if f"`{record.name}`" not in page] == []
