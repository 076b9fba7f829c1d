"""`longtable migrate`: SQLite to PostgreSQL and back, equal in every table, whenever it is interrupted."""

import asyncio
import contextlib
import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Process, Processes, until
from tests.schemas import PostgresLogin

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

NOT_COPIED = ("documents", "vectors", "waiting_texts", "embedders", "embedding_turns", "sqlite_")
ROWS = 3


@pytest.fixture
async def url(postgres: PostgresLogin) -> AsyncIterator[str]:
    """Of a schema that no server has seen."""
    async with postgres.schemas.new() as schema:
        yield postgres.url(schema)


@pytest.fixture
def source(tmp_path: Path) -> Program:
    program = Program(tmp_path / "data")
    program.does("sessions", "create", "--session-id", "review", "--purpose", "Größe, 大きさ and \N{PARTY POPPER}")
    program.does("token", "create", "--tenant", "acme", "--role", "owner")
    return program


def tables_of(path: Path) -> dict[str, set[str]]:
    """Every table that is copied, with its rows as texts."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        names = [name for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        kept = [name for name in names if not name.startswith(NOT_COPIED)]
        rows = {name: {repr(row) for row in store.execute(f"SELECT * FROM {name}")} for name in kept}
    rows["facts"] = {row for row in rows["facts"] if "'search_index" not in row}
    return rows


def fill_every_table(path: Path) -> None:
    """A few rows in each that commands have left empty, whatever its columns; in the log there are rows already."""
    with contextlib.closing(sqlite3.connect(path)) as store, store:
        for name in tables_of(path):
            if store.execute(f"SELECT count(*) FROM {name}").fetchone()[0]:
                continue
            columns = store.execute(f"PRAGMA table_info({name})").fetchall()
            marks = ", ".join("?" * len(columns))
            for number in range(1, ROWS + 1):
                row = [_value(kind, number) for _, _, kind, _, _, _ in columns]
                store.execute(f"INSERT INTO {name} VALUES ({marks})", row)


def _value(kind: str, number: int) -> Any:
    if kind.upper() in ("BIGINT", "INTEGER"):
        return number * 2**33 if kind.upper() == "BIGINT" else number
    return bytes([0, 255, number]) if kind.upper() == "BLOB" else f"{number} 'quoted' \u00e4 \U0001f389\n"


def add_notes(path: Path, count: int) -> None:
    with contextlib.closing(sqlite3.connect(path)) as store, store:
        store.executemany(
            "INSERT INTO notes (tenant, session_id, number, content, tags, author, created_at)"
            " VALUES ('acme', 'sess', ?, 'text', '[]', 'alice', 1)",
            [(number,) for number in range(1, count + 1)],
        )


async def count_of(url: str, sql: str) -> Any:
    connection = await asyncpg.connect(url, server_settings={"longtable.tenant": "*"})
    try:
        return await connection.fetchval(sql)
    except asyncpg.UndefinedTableError:
        return None
    finally:
        await connection.close()


async def copies_notes(copying: Process, url: str) -> None:
    """Returns when some are in PostgreSQL."""
    while not await count_of(url, "SELECT count(*) FROM notes"):
        assert copying.popen.poll() is None, copying.lines


async def test_there_and_back_every_table_is_equal_and_the_audit_log_holds(
    source: Program, url: str, tmp_path: Path
) -> None:
    fill_every_table(source.store)
    before = tables_of(source.store)

    there = source.does("migrate", "--to", url)
    back = source.does("migrate", "--to", str(tmp_path / "back"), store=url)

    assert min(len(rows) for rows in before.values()) > 0
    assert tables_of(source.store) == before
    assert tables_of(tmp_path / "back" / "longtable.db") == before
    assert there["rows"] == back["rows"] == sum(map(len, before.values()))
    assert there["tables"] == back["tables"]
    assert there["resumed"] is False
    assert there["audit_records"] == back["audit_records"] > 0
    assert "password" not in json.dumps(there)
    assert [each.name for each in (tmp_path / "back").iterdir() if "unfinished" in each.name] == []


async def test_what_was_copied_is_found_by_a_server_on_it(source: Program, url: str, processes: Processes) -> None:
    server = processes.serve({"data_dir": str(source.data_dir)})
    before = server.agent("ada", "review")
    await before.calls("add_note", content="The heron waits by the river.")
    await before.client.aclose()
    server.stop()

    source.does("migrate", "--to", url)
    moved = processes.serve({"data_dir": str(source.data_dir), "store": url})
    ada = moved.agent("ada", "review")
    found: dict[str, Any] = {"notes": []}
    async with asyncio.timeout(60):
        while not found["notes"]:
            found = await ada.calls("read_notes", query="heron")

    assert [note["content"] for note in found["notes"]] == ["The heron waits by the river."]
    await ada.client.aclose()


@pytest.mark.parametrize("way", ["to PostgreSQL", "to SQLite"])
async def test_killed_in_the_middle_it_goes_on_and_doubles_nothing(
    source: Program, url: str, processes: Processes, tmp_path: Path, way: str
) -> None:
    add_notes(source.store, 20_000)
    expected = tables_of(source.store)
    options, target, back = {"data_dir": str(source.data_dir)}, url, tmp_path / "back"
    if way == "to SQLite":
        source.does("migrate", "--to", url)
        options["store"], target = url, str(back)
    unfinished = back / "longtable.db.unfinished"
    copying = Process(processes.start(["migrate", "--to", target], options))
    processes.started.append(copying)
    if way == "to PostgreSQL":
        await copies_notes(copying, url)
    else:
        await until(lambda: unfinished.exists() and unfinished.stat().st_size > 2**20)
    copying.signal(signal.SIGKILL)
    copying.wait()

    if way == "to PostgreSQL":
        refused = source.run("sessions", "list", store=url)
        assert (refused.status, "longtable migrate" in refused.err) == (1, True)
    else:
        assert not (back / "longtable.db").exists()
    again = source.does("migrate", "--to", target, **({} if way == "to PostgreSQL" else {"store": url}))

    assert again["resumed"] is True
    if way == "to PostgreSQL":
        source.does("migrate", "--to", str(back), store=url)
    assert tables_of(back / "longtable.db") == expected


async def test_what_changed_between_two_runs_is_copied_as_it_is_now(
    source: Program, url: str, processes: Processes, tmp_path: Path
) -> None:
    add_notes(source.store, 20_000)
    copying = Process(processes.start(["migrate", "--to", url], {"data_dir": str(source.data_dir)}))
    processes.started.append(copying)
    await copies_notes(copying, url)
    copying.signal(signal.SIGKILL)
    copying.wait()
    source.edit("UPDATE notes SET content = 'changed' WHERE number = 1; DELETE FROM notes WHERE number = 2;")

    source.does("migrate", "--to", url)

    assert await count_of(url, "SELECT count(*) FROM notes WHERE content = 'changed'") == 1
    assert await count_of(url, "SELECT count(*) FROM notes") == 19_999


async def test_a_target_with_anything_in_it_is_refused(source: Program, url: str, tmp_path: Path) -> None:
    source.does("migrate", "--to", url)
    full = source.run("migrate", "--to", url, "--json")
    to_itself = source.run("migrate", "--to", str(source.data_dir), "--json")
    rows = tables_of(source.store)

    assert (full.status, full.json["error"]["code"]) == (1, "CONFIG_ERROR")
    assert "has data already" in full.json["error"]["error"]
    assert (to_itself.status, "There is a store already" in to_itself.json["error"]["error"]) == (1, True)
    assert tables_of(source.store) == rows


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("CREATE TABLE invoices (id INTEGER)", "another program"),
        ("CREATE TABLE schema_migrations (version TEXT)", "another program"),
    ],
)
async def test_a_schema_of_another_program_is_refused(source: Program, url: str, statement: str, words: str) -> None:
    await count_of(url, statement)

    refused = source.run("migrate", "--to", url, "--json")

    assert (refused.status, words in refused.json["error"]["error"]) == (1, True)
    assert await count_of(url, "SELECT count(*) FROM audit_heads") is None


async def test_another_version_of_the_schema_is_refused(source: Program, url: str, tmp_path: Path) -> None:
    source.does("migrate", "--to", url)
    await count_of(url, "INSERT INTO schema_migrations (number, name) VALUES (9999, 'future')")

    target = source.run("migrate", "--to", url, "--json")
    from_there = source.run("migrate", "--to", str(tmp_path / "back"), "--json", store=url)

    assert "schema 9999" in target.json["error"]["error"]
    assert "schema 9999" in from_there.json["error"]["error"]


async def test_a_store_that_a_server_has_open_is_refused(source: Program, url: str, processes: Processes) -> None:
    processes.serve({"data_dir": str(source.data_dir)})

    refused = source.run("migrate", "--to", url, "--json")

    assert refused.status == 1
    assert "in use by another process" in refused.json["error"]["error"]
    assert "Stop the servers" in refused.json["error"]["error"]


async def test_a_target_that_cannot_be_is_refused(source: Program, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    unreachable = source.refuses("migrate", "--to", "postgresql://nobody@127.0.0.1:9/none")
    unknown = source.refuses("migrate", "--to", "mysql://nobody@127.0.0.1/none")
    no_folder = source.refuses("migrate", "--to", str(tmp_path / "file"))

    assert unreachable == (1, "STORE_UNAVAILABLE")
    assert unknown == (2, "INVALID_ARGUMENT")
    assert no_folder == (1, "CONFIG_ERROR")
