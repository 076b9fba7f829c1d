"""A search reads the part of the index that belongs to its own session, whatever its neighbours have written."""

import pytest

from benchmarks.preload import RARE_WORD, add_notes
from longtable.fulltext import index
from longtable.fulltext.words import parse_query
from longtable.kernel.page import COUNTED
from longtable.storage.database import Transaction
from tests.table import Agent, Table

pytestmark = pytest.mark.slow


async def entries(table: Table, session_id: str, query: str) -> int:
    """How many texts of the whole index a search for the words in a session comes upon."""

    async def body(tx: Transaction) -> int:
        match = index.match(tx, index.MatchRequest("note", [session_id], parse_query(query)))
        words = {"words": match.parameters["note_words"]}
        if tx.dialect == "postgres":
            sql = "SELECT 1 FROM documents WHERE words @@ to_tsquery('longtable', :words) AND :tenant <> ''"
        else:
            sql = "SELECT 1 FROM documents_fts WHERE documents_fts MATCH :words AND :tenant <> ''"
        return len(await tx.all(sql, **words))

    return await table.app.database.read("default", body)


async def test_a_common_word_comes_upon_the_texts_of_its_own_session_alone(table: Table, alice: Agent) -> None:
    neighbour = table.agent("bob", await table.session("sess_two"))
    for number in range(20):
        await neighbour.adds_note(f"importer {number}")
        await neighbour.calls("add_message", content=f"importer {number}")
    await alice.adds_note("The importer is slow.")
    await alice.calls("add_message", content="Which importer?")

    assert (await alice.calls("read_notes", query="importer"))["total"] == 1
    assert [await entries(table, "sess_one", query) for query in ("importer", "impo", "absent")] == [1, 1, 0]


@pytest.mark.in_process("fills the store by hand")
async def test_totals_are_counted_up_to_a_thousand(table: Table, alice: Agent) -> None:
    await add_notes(table.app, COUNTED + 20, "sess_one")
    await alice.adds_note("One wombat.", tags=["rare"])

    everything = await alice.calls("read_notes", limit=1)
    cut = [
        await alice.calls("read_notes", limit=1, **filters)
        for filters in ({"query": "importer"}, {"tag": "importer"}, {"author": "benchmark"}, {"query": "of the"})
    ]
    whole = [
        await alice.calls("read_notes", limit=1, **filters)
        for filters in ({"query": "wombat", "tag": "rare"}, {"tag": "rare"}, {"author": "alice"})
    ]

    assert (everything["total"] > COUNTED, "more" in everything) == (True, False)
    assert [(page["total"], page["more"]) for page in cut] == [(COUNTED, True)] * 4
    assert [page["total"] for page in whole] == [1] * 3
    assert not any("more" in page for page in whole)
    hits = (await alice.calls("read_notes", query="importer zebra quokka", limit=4))["notes"]
    assert all(RARE_WORD in note["content"] for note in hits), "a common word hides no rare one, however old"
