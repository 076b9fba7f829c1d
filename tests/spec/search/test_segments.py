"""A word is looked up in every segment of the index: a job joins them, and every search answers as before."""

from pathlib import Path

import pytest

from longtable.fulltext.segments import merge_segments
from longtable.storage.database import SYSTEM
from tests.stores import Store
from tests.table import Agent, Table

pytestmark = pytest.mark.slow
NOTES = 250


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The index of words of PostgreSQL has no segments."""
    return Store("sqlite", str(tmp_path / "data" / "longtable.db"))


async def segments(table: Table) -> int:
    counted = "SELECT COUNT(DISTINCT segid) AS segments FROM documents_fts_idx"
    row = await table.app.database.read(SYSTEM, lambda tx: tx.first(counted))
    assert row is not None
    return int(row["segments"])


async def test_a_job_joins_the_segments_of_the_index_once_there_are_many(table: Table) -> None:
    alice = table.agent("alice", await table.session("sess_one"))
    for number in range(NOTES):
        await alice.adds_note(f"importer {number}")
    before = [await found(alice, query) for query in ("importer", "importer 7", "imprter", "0")]
    many = await segments(table)

    await merge_segments(table.app.database)

    assert many > 4
    assert await segments(table) == 1
    assert [await found(alice, query) for query in ("importer", "importer 7", "imprter", "0")] == before


async def test_small_segments_are_joined_before_the_store_has_grown(table: Table) -> None:
    alice = table.agent("alice", await table.session("sess_one"))
    for number in range(30):
        await alice.adds_note(f"importer {number}")
        # Whoever searches has indexed what waits, so that each note is a segment.
        before = await found(alice, "importer")
    many = await segments(table)

    await merge_segments(table.app.database)

    assert many > 3
    assert await segments(table) <= 3
    assert await found(alice, "importer") == before


async def test_a_few_segments_are_left_for_later(table: Table) -> None:
    alice = table.agent("alice", await table.session("sess_one"))
    for number in range(2):
        await alice.adds_note(f"importer {number}")
        await found(alice, "importer")

    await merge_segments(table.app.database)

    assert await segments(table) == 2


async def found(agent: Agent, query: str) -> tuple[int, list[str]]:
    page = await agent.calls("read_notes", query=query, limit=50)
    return page["total"], [note["content"] for note in page["notes"]]
