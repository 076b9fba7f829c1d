"""Three tenants who use the same names for everything, all at once: nobody is told a word of another."""

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from longtable.storage.sqlite_transaction import SqliteTransaction
from tests.mixed.crowd import KEEP, SECRETS, mixed_table, mixed_table_and_server
from tests.mixed.streams import KINDS
from tests.stores import Store
from tests.walls.mutants import without
from tests.walls.recorder import unwatched

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
OPERATIONS = {"sqlite": 20_000, "postgresql": 6_000}


async def test_thousands_of_mixed_operations_show_no_foreign_byte(store: Store, tmp_path: Path) -> None:
    async with mixed_table_and_server(store, tmp_path, log_level="info") as mixed:
        with capture_logs() as lines:
            await mixed.run(OPERATIONS[store.kind], seed=20)
            # Also what the dice choose rarely, such as the end of a session.
            await mixed.write_all(seed=20)
        metrics = (await mixed.owners["acme"].get("/metrics")).text
    logged = json.dumps(lines, default=str)

    assert (mixed.leaks, mixed.faults) == ([], [])
    assert not [secret for secret in SECRETS.values() if secret in metrics + logged]
    assert mixed.table.app.dispatcher.tools.keys() <= mixed.done.keys()
    # They were really there to be seen.
    assert all(mixed.own[kind] > 10 for kind in (*KINDS, KEEP))
    assert mixed.own.total() > OPERATIONS[store.kind] / 20
    assert "tool_called" in logged
    assert "longtable_" in metrics


def _notes_and_messages(sql: str) -> str:
    """Of a SELECT of notes or messages, the first condition on the tenant is taken away."""
    if not re.match(r"\s*SELECT\b", sql) or not re.search(r"\bFROM (notes|messages)\b", sql):
        return sql
    return without(sql, {0})


def _events(sql: str) -> str:
    """Of a SELECT of the events that come next, theirs is taken away."""
    return sql.replace("FROM events WHERE tenant = :tenant AND seq >", "FROM events WHERE :tenant = :tenant AND seq >")


@pytest.mark.parametrize(("forgetting", "told_by"), [(_notes_and_messages, ""), (_events, "by tenant events:")])
async def test_without_the_condition_on_the_tenant_the_others_are_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgetting: Callable[[str], str], told_by: str
) -> None:
    """The control: the same calls and streams notice when statements forget the tenant."""
    run = unwatched(SqliteTransaction._run)

    def forgetful(tx: SqliteTransaction, sql: str, parameters: Mapping[str, Any]) -> sqlite3.Cursor:
        cursor: sqlite3.Cursor = run(tx, forgetting(sql), parameters)
        return cursor

    async with mixed_table(Store("sqlite", str(tmp_path / "longtable.db")), tmp_path) as mixed:
        await mixed.run(400, seed=20)
        monkeypatch.setattr(SqliteTransaction, "_run", forgetful)
        await mixed.run(400, seed=21)

    assert [leak for leak in mixed.leaks if told_by in leak]


async def test_of_a_server_that_is_shared_the_others_are_heard(tmp_path: Path) -> None:
    """The control: the same calls notice when tenants have one process."""
    place = Store("sqlite", str(tmp_path / "longtable.db"))
    async with mixed_table_and_server(place, tmp_path, scope="shared") as mixed:
        await mixed.run(400, seed=20)

    assert any(f"by {KEEP}:" in leak for leak in mixed.leaks)
