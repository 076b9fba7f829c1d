"""Whether something of another tenant exists is told by no answer, by none of its headers either."""

import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longtable.storage.sqlite_transaction import SqliteTransaction
from tests.gateway.slice.gateway import AUTH_ON, opened
from tests.mixed.existence import with_a_rival
from tests.stores import Store
from tests.walls.mutants import without
from tests.walls.recorder import unwatched

pytestmark = pytest.mark.slow


async def test_a_foreign_id_and_one_that_never_was_are_answered_with_the_same_bytes_and_headers(
    store: Store, tmp_path: Path
) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        existence = await with_a_rival(gateway.table)

        await existence.compare_all()

    assert existence.different == []
    assert existence.compared > 200
    assert existence.refused > existence.compared / 2


@pytest.mark.in_process("changes the statements of the server")
async def test_without_the_condition_on_the_tenant_the_answers_differ(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: sessions are looked for in all tenants."""
    run = unwatched(SqliteTransaction._run)

    def forgetful(tx: SqliteTransaction, sql: str, parameters: Mapping[str, Any]) -> sqlite3.Cursor:
        is_open = re.match(r"\s*SELECT\b", sql) and re.search(r"\bFROM sessions\b", sql)
        cursor: sqlite3.Cursor = run(tx, without(sql, {0}) if is_open else sql, parameters)
        return cursor

    async with opened(Store("sqlite", str(tmp_path / "longtable.db")), tmp_path, AUTH_ON) as gateway:
        existence = await with_a_rival(gateway.table)
        monkeypatch.setattr(SqliteTransaction, "_run", forgetful)
        await existence.compare_arguments()

    assert existence.different
