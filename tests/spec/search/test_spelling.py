"""A word that nothing has is taken for a misspelt one, and the answer says so."""

import pytest

from tests.spec.search.reading import pad, searches
from tests.table import Agent, Table

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("query", "corrected"),
    [
        ("databse", {"databse": "database"}),
        ("dataabse", {"dataabse": "database"}),
        ("databasse", {"databasse": "database"}),
        ("datebase", {"datebase": "database"}),
        ("databse migration", {"databse": "database"}),
        ("databses", {"databses": "databases"}),
    ],
)
async def test_a_slip_finds_what_was_meant_and_is_named(alice: Agent, query: str, corrected: dict[str, str]) -> None:
    await alice.adds_note("The database migration of two databases is slow.")
    await alice.adds_note("Another migration, of birds.")

    found = await alice.calls("read_notes", query=query)
    in_session = await alice.calls("search_context", query=query)

    assert [note["id"] for note in found["notes"]] == ["n1"]
    assert [hit["id"] for hit in in_session["results"]][:1] == ["n1"]
    assert found["corrected"] == corrected


async def test_what_is_there_as_it_is_written_is_never_corrected(alice: Agent) -> None:
    await alice.adds_note("The databse is a typo.")
    await alice.adds_note("The database is none.")

    found = await alice.calls("read_notes", query="databse")

    assert [note["id"] for note in found["notes"]] == ["n1"]
    assert "corrected" not in found


@pytest.mark.parametrize("query", ["ERR-43", "foo_bat", '"databse"', "teh", "food", "zzzzzzzz"])
async def test_names_quotes_and_short_words_are_taken_as_they_are(alice: Agent, query: str) -> None:
    await alice.adds_note("ERR-42 in foo_bar: the database is tea")

    found = await alice.calls("read_notes", query=query)

    assert (found["notes"], "corrected" in found) == ([], False)


async def test_cells_and_everything_are_searched_with_the_same_spelling(alice: Agent) -> None:
    (cell,) = await pad(alice, "a", "Trains to Oslo leave at nine.")

    found = await alice.calls("scratch_search", query="trians", mode="keyword")
    everywhere = await searches(alice, query="trians", mode="keyword")

    assert ([hit["cell_id"] for hit in found["hits"]], found["corrected"]) == ([cell], {"trians": "trains"})
    assert [hit["cell_id"] for hit in everywhere["hits"]] == [cell]


async def test_a_private_message_lends_nobody_its_spelling(table: Table, alice: Agent) -> None:
    await table.agent("bob", "sess_one").calls("add_message", content="the rhubarb password", visibility="private")

    found = await alice.calls("search_context", query="rhubrab")

    assert (found["results"], "corrected" in found) == ([], False)
