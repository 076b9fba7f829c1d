"""Reading: a scratchpad whole or in part, and the lists that lead to it."""

import json
import uuid
from typing import Any

import pytest

from longtable.kernel.page import encode_cursor
from tests.spec.notebooks.pads import OUTLINE_KEYS, PAD_KEYS, cell, contents, creates, listed, reads
from tests.table import Agent, Refused

pytestmark = pytest.mark.slow

SECRET = "only a read may show this"


async def test_reading_shows_content_and_schema_of_each_cell(ann: Agent) -> None:
    schema = {"type": "object"}
    await ann.calls("scratch_create", scratch_id="p", cells=[cell(), cell("{}", "json", json_schema=schema)])

    answer = await ann.calls("scratch_read", scratch_id="p")

    assert set(answer) == {"ok", "scratchpad"}
    assert set(answer["scratchpad"]) == PAD_KEYS
    first, second = answer["scratchpad"]["cells"]
    assert set(first) == set(second) == OUTLINE_KEYS | {"content", "json_schema"}
    assert (first["json_schema"], second["json_schema"]) == (None, schema)


async def _four(ann: Agent) -> list[str]:
    """Ids of the cells a to d; a and b are tagged x, b and c tagged y."""
    tags = {"a": ["x"], "b": ["x", "y"], "c": ["y"], "d": []}
    cells = [cell(name, tags=own) for name, own in tags.items()]
    pad = (await ann.calls("scratch_create", scratch_id="p", cells=cells, metadata={"tags": ["own"]}))["scratchpad"]
    return [one["cell_id"] for one in pad["cells"]]


async def test_cell_ids_and_tags_choose_and_together_they_intersect(ann: Agent) -> None:
    a, b, c, d = await _four(ann)

    assert await contents(ann, "p", cell_ids=[c, a]) == ["a", "c"]
    assert await contents(ann, "p", cell_ids=[c, c]) == ["c"]
    assert await contents(ann, "p", tags=["x"]) == ["a", "b"]
    assert await contents(ann, "p", tags=["x", "y"]) == ["a", "b", "c"]
    assert await contents(ann, "p", cell_ids=[a, c, d], tags=["y", "none"]) == ["c"]
    assert await contents(ann, "p", cell_ids=[d], tags=["x"]) == []
    assert await contents(ann, "p", cell_ids=[], tags=[]) == ["a", "b", "c", "d"]
    assert b in {one["cell_id"] for one in (await reads(ann, "p", tags=["x"]))["cells"]}


async def test_a_filter_never_hides_which_tags_there_are(ann: Agent) -> None:
    _, _, _, d = await _four(ann)

    for arguments in ({"tags": ["x"]}, {"cell_ids": [d]}, {"tags": ["none"]}):
        pad = await reads(ann, "p", **arguments)
        assert (pad["cell_tags"], pad["tags"], pad["cell_count"]) == (["x", "y"], ["own"], 4)
        assert pad["metadata"]["cell_tags"] == ["x", "y"]


@pytest.mark.parametrize("tool", ["scratch_read", "scratch_list_cells", "scratch_validate"])
async def test_an_unknown_cell_id_refuses_the_whole_call(ann: Agent, tool: str) -> None:
    a, *_ = await _four(ann)
    other = (await creates(ann, "other", "elsewhere"))["cells"][0]["cell_id"]

    for unknown in (str(uuid.uuid4()), other, "", "no uuid"):
        with pytest.raises(Refused, match="INVALID_ID") as refusal:
            await ann.calls(tool, scratch_id="p", cell_ids=[a, unknown])
        assert refusal.value.details == {"cell_id": unknown}


async def test_leaving_out_metadata_leaves_out_nothing_else(ann: Agent) -> None:
    await creates(ann, "p", "one", title="T", tags=["t"], own=1)

    whole = await reads(ann, "p")
    without = await reads(ann, "p", include_metadata=False)

    assert without == {name: value for name, value in whole.items() if name != "metadata"}


async def test_a_scratchpad_outside_the_named_namespaces_is_refused_like_an_unknown_one(ann: Agent) -> None:
    await creates(ann, "inside", SECRET, namespace="here", title=SECRET)
    await creates(ann, "loose", SECRET)

    for tool in ("scratch_read", "scratch_list_cells"):
        answers = [
            (await _posts(ann, tool, scratch_id=scratch_id, namespaces=["there", "Here"]))
            for scratch_id in ("inside", "loose", "nowhere")
        ]
        assert len(set(answers)) == 1
        assert json.loads(answers[0])["result"]["structuredContent"]["error"]["code"] == "CONFLICT"
    assert (await reads(ann, "inside", namespaces=["there", "here"]))["namespace"] == "here"


async def _posts(agent: Agent, tool: str, **arguments: Any) -> bytes:
    """The body as it was sent, but for the number of the request."""
    answer = await agent.posts("tools/call", {"name": tool, "arguments": arguments})
    return answer.content.replace(b'"id":%d,' % answer.json()["id"], b"")


async def test_a_list_has_five_fields_for_each_and_comes_in_the_order_of_ids(ann: Agent) -> None:
    await creates(ann, "b", "x", "y", title="B", description="second", summary="S", namespace="n", tags=["t"], own=1)
    await creates(ann, "a")
    await creates(ann, "B")

    answer = await ann.calls("scratch_list", max_chars=0)

    assert answer == {
        "ok": True,
        "scratchpads": [
            {"scratch_id": "B", "title": None, "description": None, "namespace": None, "cell_count": 0},
            {"scratch_id": "a", "title": None, "description": None, "namespace": None, "cell_count": 0},
            {"scratch_id": "b", "title": "B", "description": "second", "namespace": "n", "cell_count": 2},
        ],
    }


async def test_a_list_is_filtered_before_it_is_cut(ann: Agent) -> None:
    for number in range(12):
        await ann.calls(
            "scratch_create",
            scratch_id=f"p{number:02}",
            metadata={"namespace": f"n{number % 3}", "tags": ["even"] if number % 2 == 0 else []},
            cells=[cell(tags=["third"])] if number % 3 == 0 else [],
        )

    assert await listed(ann, namespaces=["n1"]) == ["p01", "p04", "p07", "p10"]
    assert await listed(ann, namespaces=["n1", "n2"], tags=["even"]) == ["p02", "p04", "p08", "p10"]
    assert await listed(ann, tags=["even", "third"]) == ["p00", "p02", "p03", "p04", "p06", "p08", "p09", "p10"]
    assert await listed(ann, namespaces=["none"]) == await listed(ann, tags=["none"]) == []
    last = (await ann.calls("scratch_list", tags=["third"], limit=2))["scratchpads"]
    assert [pad["scratch_id"] for pad in last] == ["p00", "p03"]
    await ann.calls("scratch_update", scratch_id="p00", metadata={"tags": [], "namespace": "n1"})
    assert (await listed(ann, tags=["even"]))[0] == "p02"
    assert (await listed(ann, namespaces=["n1"]))[0] == "p00"


async def test_a_list_is_read_page_by_page_without_gap_or_repeat(ann: Agent) -> None:
    ids = sorted(f"p{number}" for number in range(25))
    for scratch_id in ids:
        await creates(ann, scratch_id)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = await ann.calls("scratch_list", limit=10, **cursor)
        seen += [pad["scratch_id"] for pad in page["scratchpads"]]
        # What is created or deleted behind a page moves nothing.
        await creates(ann, "a-new-one")
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert seen == ids


NO_LISTS: list[tuple[dict[str, Any], str]] = [
    ({"limit": 0}, "INVALID_ARGUMENT"),
    ({"limit": 1001}, "INVALID_ARGUMENT"),
    ({"cursor": "nonsense"}, "INVALID_ARGUMENT"),
    ({"cursor": encode_cursor("a\0")}, "INVALID_ARGUMENT"),
    ({"cursor": encode_cursor(1)}, "INVALID_ARGUMENT"),
    ({"tags": [" "]}, "INVALID_ARGUMENT"),
    ({"namespaces": [""]}, "INVALID_ARGUMENT"),
    ({"tags": [str(n) for n in range(1001)]}, "CAPACITY_LIMIT_REACHED"),
    ({"namespaces": [str(n) for n in range(1001)]}, "CAPACITY_LIMIT_REACHED"),
    ({"unknown": 1}, "INVALID_ARGUMENT"),
]


async def test_a_list_that_cannot_be_meant_is_refused(ann: Agent) -> None:
    for arguments, code in NO_LISTS:
        with pytest.raises(Refused, match=code):
            await ann.calls("scratch_list", **arguments)
