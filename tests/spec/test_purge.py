"""When the time of a session's archive is over, nothing of it is left in the store."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from longtable.kernel.clock import DAY
from tests.walls.scene import prepared
from tests.walls.tenant_check import tenant_tables

pytestmark = pytest.mark.in_process("looks into the store")
KEPT = {
    "audit": "who did what is known for longer than what it was about",
    "connections": "they outlive the session that they are in, and end when nobody uses them",
    "usage_totals": "what models have cost is asked for months",
}
"""Tables that name sessions which are gone, and why."""


async def test_no_table_has_a_row_of_a_session_that_was_purged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = await prepared(tmp_path / "scene", monkeypatch)
    async with scene.opened(tmp_path / "purged") as room:
        sessions = _sessions(tmp_path / "purged")
        before = _rows_of(sessions, tmp_path / "purged")
        for days in (40, 80):
            room.table.clock.ahead = days * DAY
            for job in [*room.table.app.jobs.periodic_jobs(), *room.table.app.slices.periodic_jobs]:
                await job.run()

    after = _rows_of(sessions, tmp_path / "purged")
    assert {"messages", "message_counts", "inbox_cursors", "notes", "tasks", "questions", "sections"} <= before.keys()
    assert _sessions(tmp_path / "purged") == []
    assert after.keys() <= KEPT.keys()


def _sessions(folder: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(folder / "data" / "longtable.db")) as connection:
        return [session_id for (session_id,) in connection.execute("SELECT DISTINCT session_id FROM sessions")]


def _rows_of(sessions: list[str], folder: Path) -> dict[str, int]:
    """How many rows of each table name one of these sessions, where there are any."""
    counts = {}
    marks = ", ".join("?" for _ in sessions)
    with contextlib.closing(sqlite3.connect(folder / "data" / "longtable.db")) as connection:
        for table in sorted(tenant_tables()):
            if "session_id" in {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}:
                rows = connection.execute(f"SELECT COUNT(*) FROM {table} WHERE session_id IN ({marks})", sessions)
                counts[table] = int(rows.fetchone()[0])
    return {table: count for table, count in counts.items() if count}
