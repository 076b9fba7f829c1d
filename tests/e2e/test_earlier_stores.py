"""A store of every earlier schema is opened by today's program: copied, migrated, complete, and searched."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Processes
from tests.earlier_stores import NUMBERS, SESSION, TEXTS, make_store

pytestmark = pytest.mark.slow


def version_of(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as store:
        return int(store.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("schema", NUMBERS)
def test_it_is_migrated_with_a_copy_and_has_everything(tmp_path: Path, schema: int) -> None:
    program = Program(tmp_path / "data")
    make_store(program.store, schema)

    shown = program.does("sessions", "show", SESSION)

    copies = list((tmp_path / "data" / "backups").glob("*.db"))
    assert shown["session"]["purpose"] == "Of earlier"
    assert program.rows("SELECT content FROM notes ORDER BY number") == [(text,) for text in TEXTS]
    assert version_of(program.store) == NUMBERS[-1]
    assert [version_of(copy) for copy in copies] == ([schema] if schema < NUMBERS[-1] else [])


@pytest.mark.parametrize("schema", [1, 11, 17, 18])
async def test_while_the_index_is_filled_a_search_finds_or_says_so(
    processes: Processes, tmp_path: Path, schema: int
) -> None:
    make_store(tmp_path / "data" / "longtable.db", schema)
    server = processes.serve({"data_dir": str(tmp_path / "data")})
    ada = server.agent("ada", SESSION)

    answers: list[dict[str, Any]] = []
    while not answers or not answers[-1]["notes"]:
        answers.append(await ada.calls("read_notes", query="heron"))
    await ada.client.aclose()

    assert [note["content"] for note in answers[-1]["notes"]] == [TEXTS[0]]
    assert all(answer.get("indexing") for answer in answers[:-1])


def test_a_newer_store_is_refused_at_once_in_words(processes: Processes, tmp_path: Path) -> None:
    program = Program(tmp_path / "data")
    make_store(program.store, NUMBERS[-1])
    program.edit("PRAGMA user_version = 9999")
    before = program.store.read_bytes()

    refused = program.run("sessions", "list")
    server = processes.fails_to_serve({"data_dir": str(program.data_dir)})
    stdio = program.run("stdio")

    for status, words in (
        (refused.status, refused.err),
        (server.wait(), "\n".join(server.lines)),
        (stdio.status, stdio.err),
    ):
        assert status == 1
        assert "schema 9999" in words
        assert "newer Longtable" in words
    assert program.store.read_bytes() == before
