"""Every statement keeps to its tenant: those in the source are read here, those that tests run by `tests/table.py`."""

from pathlib import Path

import pytest

from longtable.storage.database import Dialect
from tests.stores import Store, anyio_backend
from tests.walls.recorder import Ran, check_new_statements, watch
from tests.walls.source_statements import source_functions, source_statements
from tests.walls.system_statements import SYSTEM_STATEMENTS
from tests.walls.tenant_check import NotSql, faults, tenant_tables

__all__ = ["anyio_backend"]

DIALECTS: tuple[Dialect, ...] = ("sqlite", "postgres")
RIGHT = [
    "SELECT content FROM notes WHERE tenant = :tenant AND number = :number",
    "SELECT content FROM notes JOIN note_tags USING (tenant, number) WHERE tenant = :tenant",
    "SELECT n.content FROM notes n JOIN note_tags t ON t.tenant = n.tenant WHERE n.tenant = :tenant",
    "SELECT n.content FROM notes n LEFT JOIN note_tags t ON t.tenant = n.tenant WHERE n.tenant = :tenant",
    "SELECT (SELECT purpose FROM sessions WHERE sessions.tenant = audit.tenant) FROM audit WHERE tenant = :tenant",
    "WITH own AS (SELECT number FROM notes WHERE tenant = :tenant) SELECT number FROM own",
    "SELECT value FROM facts WHERE name = :name",
    "INSERT INTO note_tags (tag, tenant) VALUES (:tag, :tenant) ON CONFLICT (tenant, tag) DO NOTHING",
    "UPDATE notes SET content = :content WHERE tenant = :tenant AND number IN (SELECT 1)",
    "DELETE FROM notes WHERE tenant = :tenant",
]
WRONG = [
    "SELECT content FROM notes",
    "SELECT content FROM notes WHERE :tenant = :tenant",
    "SELECT content FROM notes WHERE tenant = :tenant OR number = :number",
    "SELECT content FROM notes WHERE tenant <> :tenant",
    "SELECT content FROM notes WHERE tenant = :other",
    "SELECT content FROM notes JOIN note_tags USING (number) WHERE notes.tenant = :tenant",
    "SELECT n.content FROM notes n JOIN note_tags t ON t.number = n.number WHERE n.tenant = :tenant",
    "SELECT n.content FROM notes n LEFT JOIN note_tags t ON t.tenant = n.tenant AND t.tenant = :tenant",
    "SELECT n.content FROM notes n, note_tags t WHERE n.tenant = :tenant",
    "SELECT (SELECT 1 FROM sessions WHERE sessions.session_id = audit.session_id) FROM audit WHERE tenant = :tenant",
    "WITH own AS (SELECT tenant, number FROM notes) SELECT number FROM own WHERE tenant = :tenant",
    "SELECT number FROM notes WHERE tenant = :tenant UNION ALL SELECT number FROM messages",
    "INSERT INTO note_tags (tag) VALUES (:tag)",
    "INSERT INTO note_tags (tenant, tag) VALUES (:other, :tag)",
    "INSERT INTO note_tags (tenant, tag) VALUES (:tenant, :tag) ON CONFLICT (tag) DO UPDATE SET number = 1",
    "INSERT INTO note_tags (tenant, tag) SELECT :tenant, content FROM notes",
    "UPDATE notes SET content = :content WHERE number = :number",
    "UPDATE notes SET tenant = :other WHERE tenant = :tenant",
    "DELETE FROM notes WHERE number IN (SELECT number FROM note_tags WHERE tenant = :tenant)",
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", RIGHT)
def test_a_statement_that_keeps_to_its_tenant_is_accepted(sql: str, dialect: Dialect) -> None:
    assert faults(sql, dialect) == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("sql", WRONG)
def test_a_statement_that_reaches_beyond_its_tenant_is_refused(sql: str, dialect: Dialect) -> None:
    assert faults(sql, dialect) != []


def test_every_statement_in_the_source_keeps_to_its_tenant_or_says_why_not() -> None:
    statements = source_statements()
    wrong: list[str] = []
    for written in statements:
        found = [problems for problems in map(_faults, [written.sql] * 2, DIALECTS) if problems is not None]
        if not found:
            wrong.append(f"{written.function}: of neither dialect: {written.sql}")
        elif any(found) and written.function not in SYSTEM_STATEMENTS:
            wrong.append(f"{written.function}: {found[0]}: {written.sql}")

    assert wrong == []
    assert len(statements) >= 200


def test_every_exemption_is_of_a_function_that_is_there() -> None:
    assert SYSTEM_STATEMENTS.keys() - source_functions() == set()


def test_an_exemption_counts_for_the_program_itself_and_not_for_a_tenant() -> None:
    sql = "SELECT COUNT(*) AS n FROM connections"

    assert Ran("sqlite", sql, True, "connections.store.count").faults() == []
    assert Ran("sqlite", sql, True, "connections.store.find").faults() != []
    assert Ran("sqlite", sql, False, "connections.store.count").faults() != []


async def test_a_wrong_statement_fails_the_test_that_runs_it(tmp_path: Path) -> None:
    watch()
    database = await Store("sqlite", str(tmp_path / "longtable.db")).open()
    scope = {"__name__": "longtable.notes.store"}
    exec("async def peek(tx):\n    return await tx.all('SELECT 1 FROM notes WHERE :tenant <> 1')", scope)
    try:
        await database.read("acme", scope["peek"])  # type: ignore[arg-type]  # made of a text
    finally:
        await database.close()

    with pytest.raises(AssertionError, match=r"notes\.store\.peek: notes is not bound to :tenant"):
        check_new_statements()


def test_all_tables_with_content_have_a_tenant() -> None:
    assert {"notes", "messages", "cells", "tokens", "decisions", "vectors"} <= tenant_tables()


def _faults(sql: str, dialect: Dialect) -> list[str] | None:
    try:
        return faults(sql, dialect)
    except NotSql:
        return None
