"""read_notes with a query: a ranking in pages, in every mode."""

import pytest

from longtable.search.word_search import MOST_COMPARED
from tests.spec.search.reading import embedded
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow


async def pages(agent: Agent, **arguments: object) -> tuple[list[dict[str, object]], int]:
    """All notes of all pages, and the total that the first of them told."""
    page = await agent.calls("read_notes", **arguments)
    notes, total = list(page["notes"]), page["total"]
    while page["next_cursor"]:
        page = await agent.calls("read_notes", cursor=page["next_cursor"], **arguments)
        notes += page["notes"]
    return notes, total


async def test_pages_go_through_more_notes_than_are_compared_and_show_each_once(alice: Agent) -> None:
    count = MOST_COMPARED + 30
    for number in range(count):
        await alice.adds_note(f"tea {number} " + "and more " * (number % 7))

    notes, total = await pages(alice, query="tea", limit=100)

    scores = [float(str(note["score"])) for note in notes]
    assert (len({str(note["id"]) for note in notes}), len(notes), total) == (count, count, count)
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.in_process("each server embeds in a model of its own")
@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
async def test_pages_by_meaning_show_each_note_once(library: Table, reader: Agent, mode: str) -> None:
    for number in range(12):
        await reader.adds_note(f"The harbour has {number} ships.")
    await embedded(library)
    await reader.calls("read_notes", query="boats", mode="semantic")

    notes, total = await pages(reader, query="boats in the port", mode=mode, limit=5)

    assert sorted(str(note["id"]) for note in notes) == sorted(f"n{number}" for number in range(1, 13))
    assert total == 12


async def test_pages_go_on_in_the_way_they_began(library: Table, reader: Agent) -> None:
    for number in range(4):
        await reader.adds_note(f"tea {number}")
    first = await reader.calls("read_notes", query="tea", mode="hybrid", limit=2)
    await embedded(library)
    await reader.calls("read_notes", query="tea", mode="semantic")

    second = await reader.calls("read_notes", query="tea", mode="hybrid", limit=2, cursor=first["next_cursor"])

    assert first["warming"] is True
    assert [note["id"] for page in (first, second) for note in page["notes"]] == ["n1", "n2", "n3", "n4"]


@pytest.mark.in_process("each server embeds in a model of its own")
async def test_tag_author_and_query_join_in_every_mode(library: Table, reader: Agent) -> None:
    await reader.adds_note("ships in the harbour", tags=["sea"])
    await reader.adds_note("boats in the port")
    await library.agent("bob", "sess_one").adds_note("vessels at the quay", tags=["sea"])
    await embedded(library)

    found = [
        (await reader.calls("read_notes", query="ships harbour", mode=mode, tag="sea", author="bob"))["notes"]
        for mode in ("keyword", "semantic", "hybrid")
    ]

    assert [[note["id"] for note in notes] for notes in found] == [[], ["n3"], ["n3"]]


async def test_a_cursor_of_a_plain_list_is_no_cursor_of_a_ranking(alice: Agent) -> None:
    for number in range(3):
        await alice.adds_note(f"tea {number}")
    plain = await alice.calls("read_notes", limit=1)
    ranked = await alice.calls("read_notes", query="tea", limit=1)

    for arguments in ({"query": "tea", "cursor": plain["next_cursor"]}, {"cursor": ranked["next_cursor"]}):
        with pytest.raises(Refused, match="INVALID_ARGUMENT"):
            await alice.calls("read_notes", **arguments)
