"""The three modes: what each finds, and what is said when one cannot be had."""

from pathlib import Path

import pytest

from tests.spec.search.reading import embedded, pad, scratch_hits, searches
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

BILL, BOAT, BEES = (
    "The invoice was settled two times by mistake.",
    "Our ship reaches the harbour at dawn.",
    "Honey comes from hives behind the house.",
)


async def test_without_a_model_hybrid_searches_by_words_and_says_so(alice: Agent) -> None:
    await alice.adds_note(BILL)

    in_session = await alice.calls("search_context", query="invoice")
    notes = await alice.calls("read_notes", query="invoice", mode="hybrid")
    everywhere = await searches(alice, query="invoice")

    assert [hit["id"] for hit in in_session["results"]] == ["n1"]
    assert [note["id"] for note in notes["notes"]] == ["n1"]
    for found in (in_session, notes, everywhere):
        assert "enable_semantic_search" in found["degraded"]
        assert "warming" not in found
    assert (in_session["mode"], everywhere["mode"]) == ("keyword", "keyword")


@pytest.mark.parametrize("tool", ["search_context", "read_notes", "scratch_search"])
async def test_a_search_by_meaning_without_a_model_is_refused_with_the_remedy(alice: Agent, tool: str) -> None:
    with pytest.raises(Refused, match=r"SEARCH_UNAVAILABLE.*enable_semantic_search to true.*'keyword'"):
        await alice.calls(tool, query="anything", mode="semantic")


async def test_words_alone_need_no_model_and_mention_none(alice: Agent) -> None:
    await alice.adds_note(BILL)

    found = await alice.calls("search_context", query="invoice", mode="keyword")

    assert found["count"] == 1
    assert not {"degraded", "warming"} & set(found)


async def test_while_the_model_loads_hybrid_answers_by_words_at_once(library: Table, reader: Agent) -> None:
    await reader.adds_note(BILL)
    await pad(reader, "a", BILL)

    found = [
        await reader.calls("search_context", query="invoice"),
        await reader.calls("scratch_search", query="invoice"),
        await reader.calls("read_notes", query="invoice", mode="hybrid"),
    ]

    assert [answer.get("warming") for answer in found] == [True, True, True]
    assert [len(answer.get("results") or answer.get("hits") or answer["notes"]) for answer in found] == [1, 1, 1]
    assert not any("degraded" in answer for answer in found)


@pytest.mark.in_process("each server embeds in a model of its own")
async def test_a_search_by_meaning_waits_for_the_model_and_finds_what_shares_no_word(
    library: Table, reader: Agent
) -> None:
    for text in (BOAT, BILL, BEES):
        await reader.adds_note(text)
    await embedded(library)

    semantic = await reader.calls("search_context", query="paid the bill twice", mode="semantic")
    hybrid = await reader.calls("search_context", query="paid the bill twice")
    notes = await reader.calls("read_notes", query="paid the bill twice", mode="semantic", limit=1)

    assert [answer["results"][0]["id"] for answer in (semantic, hybrid)] == ["n2", "n2"]
    assert (semantic["mode"], hybrid["mode"]) == ("semantic", "hybrid")
    assert [note["id"] for note in notes["notes"]] == ["n2"]
    assert all(0 < hit["score"] <= 1 for answer in (semantic, hybrid) for hit in answer["results"])


async def test_cells_and_scratchpads_are_found_by_meaning_and_name_their_model(library: Table, reader: Agent) -> None:
    bill, _ = await pad(reader, "a", BILL, BOAT, title="Keeping bees", namespace="office")
    await pad(reader, "b", "the bill was paid twice", namespace="elsewhere")
    await embedded(library)

    found = await reader.calls("scratch_search", query="double payment", mode="semantic", namespaces=["office"])
    by_trait = await scratch_hits(reader, "apiculture", mode="semantic", namespaces=["office"])

    assert found["hits"][0]["cell_id"] == bill
    assert found["embedder"] == found["hits"][0]["embedding_version"]
    assert found["embedder"].startswith("all-MiniLM-L6-v2")
    assert by_trait[0] == ("a", None)


SCRIPTS = (
    "今天天气很好",
    "東京タワーは有名な観光地です",
    "Die Straße nach Überlingen ist gesperrt; naïve café",
    "हिन्दी में यह एक परीक्षण है और किताबें",
    "ภาษาไทยสวยงามมาก",
    "안녕하세요 세계 문서를 읽습니다",
    "Sprachen",
    "x",
    "Grandmother recipes, old family kitchen",
)


@pytest.mark.parametrize(
    ("query", "found"),
    [("สวยงาม", "n5"), ("세계", "n6"), ("strasse", "n3"), ("recipies", "n9"), ("graandmother", "n9"), ("kitch", "n9")],
)
async def test_hybrid_finds_a_single_word_first_that_words_alone_would_find(
    library: Table, reader: Agent, query: str, found: str
) -> None:
    for text in SCRIPTS:
        await reader.adds_note(text)
    await embedded(library)
    await reader.calls("search_context", query="ship", mode="semantic")

    hybrid = await reader.calls("search_context", query=query)

    assert (hybrid["mode"], hybrid["results"][0]["id"]) == ("hybrid", found)


async def test_a_slip_is_corrected_for_meaning_as_for_words(library: Table, reader: Agent) -> None:
    for text in ("We store bicycles in the cellar.", BILL, BEES, "x"):
        await reader.adds_note(text)
    await embedded(library)
    await reader.calls("search_context", query="ship", mode="semantic")

    slip = await reader.calls("search_context", query="cellra")

    assert slip["corrected"] == {"cellra": "cellar"}
    right = await reader.calls("search_context", query="cellar")
    assert slip["results"][0] == right["results"][0]


async def test_filters_hold_for_meaning_as_for_words(library: Table, reader: Agent) -> None:
    stranger = library.agent("bob", "sess_one")
    await stranger.calls("add_message", content=BILL, visibility="private")
    await pad(reader, "gone", BILL)
    await reader.calls("scratch_delete", scratch_id="gone")
    await reader.adds_note(BILL, tags=["money"])
    await library.session("sess_two")
    await library.agent("ann", "sess_two").adds_note(BILL)
    await embedded(library)

    hits = (await searches(reader, query="double payment", mode="semantic"))["hits"]
    tagged = await reader.calls("read_notes", query="double payment", mode="semantic", tag="other")

    assert [(hit["kind"], hit["id"], hit["session_id"]) for hit in hits] == [("note", "n1", "sess_one")]
    assert tagged["notes"] == []


async def test_what_has_no_vector_yet_is_found_by_its_words(library: Table, reader: Agent) -> None:
    await reader.adds_note(BOAT)
    await embedded(library)
    await reader.calls("search_context", query="ship", mode="semantic")
    await reader.adds_note("The zeppelin landed on time.")

    found = await reader.calls("search_context", query="zeppelin landed")

    assert found["mode"] == "hybrid"
    assert found["results"][0]["id"] == "n2"


async def test_a_snippet_by_meaning_shows_the_part_that_was_meant(library: Table, reader: Agent) -> None:
    filler = "The weather was mild and the roads were dry. " * 60
    await reader.adds_note(f"{filler}{BILL} {filler}")
    await embedded(library)

    found = await reader.calls("search_context", query="invoice settled by mistake", mode="semantic")

    snippet = found["results"][0]["snippet"]
    assert "settled two times" in snippet
    assert len(snippet) <= 240


async def test_a_model_that_is_missing_is_named(vector_store: Store, tmp_path: Path) -> None:
    async with open_table(
        vector_store, tmp_path, enable_semantic_search="true", embedding_model=str(tmp_path)
    ) as table:
        agent = table.agent("ann", await table.session("sess_one"))

        found = await agent.calls("search_context", query="tea")

    assert "model.onnx" in found["degraded"]


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
async def test_blanks_ask_for_nothing_and_find_nothing(library: Table, reader: Agent, mode: str) -> None:
    await pad(reader, "a", BILL)
    await embedded(library)

    found = await scratch_hits(reader, " \n ", mode=mode)

    assert found == []


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
@pytest.mark.parametrize("query", ["🚀", "?!", "\u200b"], ids=ascii)
async def test_a_query_without_any_word_finds_nothing(library: Table, reader: Agent, mode: str, query: str) -> None:
    await pad(reader, "a", BILL)
    await embedded(library)

    found = await scratch_hits(reader, query, mode=mode)

    assert found == []
