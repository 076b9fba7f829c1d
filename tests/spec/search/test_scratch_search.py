"""scratch_search: what it finds among the notebooks of a tenant, and what it tells of each hit."""

from pathlib import Path

import pytest

from tests.spec.search.reading import pad, scratch_hits, searches
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table


async def test_a_cell_and_the_scratchpad_itself_are_hits_of_their_own(alice: Agent) -> None:
    (cell,) = await pad(
        alice, "trips", "Trains to Oslo", title="Journeys", summary="By rail to Norway", namespace="travel", tags=["x"]
    )

    by_cell = (await alice.calls("scratch_search", query="oslo", max_chars=0))["hits"]
    by_summary = (await alice.calls("scratch_search", query="norway", max_chars=0))["hits"]

    assert by_cell == [
        {
            "scratch_id": "trips",
            "cell_id": cell,
            "namespace": "travel",
            "tags": ["x"],
            "score": by_cell[0]["score"],
            "snippet": "Trains to Oslo",
            "embedding_version": None,
        }
    ]
    assert 0 < by_cell[0]["score"] <= 1
    assert [(hit["cell_id"], hit["snippet"]) for hit in by_summary] == [(None, "Journeys\nBy rail to Norway")]


async def test_a_cell_has_its_own_tags_and_those_of_its_scratchpad(alice: Agent) -> None:
    await alice.calls(
        "scratch_create",
        scratch_id="a",
        metadata={"tags": ["pad", "both"]},
        cells=[{"language": "md", "content": "tea", "tags": ["cell", "both"]}, {"language": "md", "content": "tea"}],
    )

    found = (await alice.calls("scratch_search", query="tea"))["hits"]

    assert [hit["tags"] for hit in found] == [["pad", "both", "cell"], ["pad", "both"]]
    assert len(await scratch_hits(alice, "tea", tags=["cell", "other"])) == 1
    assert len(await scratch_hits(alice, "tea", tags=["pad"])) == 2


async def test_filters_narrow_before_the_limit_cuts(alice: Agent) -> None:
    for number in range(12):
        await pad(alice, f"noise{number}", "tea tea tea tea", namespace="loud")
    (cell,) = await pad(alice, "quiet", "a word about tea, among others", language="py", namespace="calm")

    assert await scratch_hits(alice, "tea", namespaces=["calm"], limit=1) == [("quiet", cell)]
    assert await scratch_hits(alice, "tea", languages=["py"], limit=1) == [("quiet", cell)]
    assert await scratch_hits(alice, "tea", namespaces=["loud"], languages=["py"]) == []


async def test_a_scratchpad_has_no_language_so_a_search_for_one_finds_cells_alone(alice: Agent) -> None:
    (cell,) = await pad(alice, "a", "tea", title="tea")

    assert sorted(await scratch_hits(alice, "tea"), key=str) == sorted([("a", cell), ("a", None)], key=str)
    assert await scratch_hits(alice, "tea", languages=["md"]) == [("a", cell)]


async def test_what_is_deleted_replaced_or_in_the_trash_is_not_found(alice: Agent) -> None:
    first, second = await pad(alice, "a", "green tea", "black tea", title="Teas")
    await pad(alice, "b", "white tea")

    await alice.calls("scratch_delete_cell", scratch_id="a", cell_id=first)
    await alice.calls("scratch_replace_cell", scratch_id="a", cell_id=second, cell={"language": "md", "content": "x"})
    await alice.calls("scratch_delete", scratch_id="b")

    assert await scratch_hits(alice, "tea") == [("a", None)]
    assert await scratch_hits(alice, "x") == [("a", second)]


async def test_a_reset_scratchpad_shows_its_new_life_alone(alice: Agent) -> None:
    await pad(alice, "a", "green tea")
    (cell,) = await pad(alice, "a", "tea again")

    assert await scratch_hits(alice, "tea") == [("a", cell)]


async def test_notebooks_are_the_tenants_so_no_session_is_needed_and_no_other_tenant_sees_them(company: Table) -> None:
    acme, rival = company.agent("ann", token="acme-secret"), company.agent("eve", token="rival-secret")
    (cell,) = await pad(acme, "a", "tea")

    assert await scratch_hits(acme, "tea") == [("a", cell)]
    assert await scratch_hits(rival, "tea") == []
    await pad(rival, "a", "nothing")
    assert await scratch_hits(rival, "tea") == []


async def test_without_any_notebook_nothing_is_found(alice: Agent) -> None:
    assert (await alice.calls("scratch_search", query="tea", mode="keyword"))["hits"] == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"query": ""}, "INVALID_ARGUMENT"),
        ({"query": "x" * 2001}, "PAYLOAD_TOO_LARGE"),
        ({"query": "x", "limit": 101}, "INVALID_ARGUMENT"),
        ({"query": "x", "limit": 0}, "INVALID_ARGUMENT"),
        ({"query": "x", "mode": "psychic"}, "INVALID_ARGUMENT"),
        ({"query": "x", "languages": ["klingon"]}, "INVALID_ARGUMENT"),
        ({"query": "x", "tags": [f"t{number}" for number in range(101)]}, "CAPACITY_LIMIT_REACHED"),
        ({"query": "x", "mode": "semantic"}, "SEARCH_UNAVAILABLE"),
    ],
)
async def test_what_cannot_be_searched_for_is_refused(alice: Agent, arguments: dict[str, object], code: str) -> None:
    with pytest.raises(Refused) as refused:
        await alice.calls("scratch_search", **arguments)

    assert refused.value.code == code


async def test_two_thousand_characters_and_a_hundred_hits_are_allowed(alice: Agent) -> None:
    await pad(alice, "a", *(f"tea {number}" for number in range(120)))

    assert len(await scratch_hits(alice, ("tea " * 500).strip() + " ", limit=100)) == 100


async def test_a_lower_limit_of_hits_holds_for_all_and_refuses_only_who_asks_for_more(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path, semantic_search_limit="2") as table:
        ann = table.agent("ann", await table.session("sess_one"))
        cells = await pad(ann, "a", "tea", "tea", "tea")

        found = await scratch_hits(ann, "tea")
        everywhere = await searches(ann, query="tea")
        with pytest.raises(Refused) as refusal:
            await ann.calls("scratch_search", query="tea", limit=3)

    assert found == [("a", cell) for cell in cells[:2]]
    assert everywhere["count"] == 2
    assert refusal.value.code == "INVALID_ARGUMENT"
