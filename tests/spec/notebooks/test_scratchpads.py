"""Scratchpads: created or reset, read whole or in part, described anew, listed and deleted."""

import json
import uuid
from typing import Any

import pytest

from tests.spec.notebooks.pads import CANONICAL, OUTLINE_KEYS, PAD_KEYS, appends, cell, contents, creates, listed, reads
from tests.table import Agent, Refused

SECRET = "only a read may show this"


async def test_creating_returns_the_outline_without_any_content(ann: Agent) -> None:
    created = await ann.calls(
        "scratch_create",
        scratch_id="plan",
        metadata={"title": "Plan"},
        cells=[cell(SECRET, tags=["a"]), cell("{}", "json"), cell("x = 1", "py", metadata={"step": 1})],
    )

    pad = created["scratchpad"]
    assert set(created) == {"ok", "scratchpad", "reset"}
    assert set(pad) == PAD_KEYS
    assert [set(one) for one in pad["cells"]] == [OUTLINE_KEYS] * 3
    assert [(one["index"], one["language"], one["type"], one["version"]) for one in pad["cells"]] == [
        (0, "txt", "text", 1),
        (1, "json", "data", 1),
        (2, "py", "code", 1),
    ]
    assert [one["metadata"] for one in pad["cells"]] == [{}, {}, {"step": 1}]
    assert (created["reset"], pad["cell_count"], pad["version"]) == (False, 3, 1)
    assert "content" not in json.dumps(created)
    assert SECRET not in json.dumps(created)


async def test_an_id_is_made_when_none_is_given(ann: Agent) -> None:
    made = [(await ann.calls("scratch_create"))["scratchpad"] for _ in range(2)]

    assert len({str(uuid.UUID(pad["scratch_id"])) for pad in made}) == 2
    assert [pad["cells"] for pad in made] == [[], []]
    cells = (await creates(ann, "p", "one", "two"))["cells"]
    assert len({str(uuid.UUID(one["cell_id"])) for one in cells}) == 2


BAD_IDS = ["", " ", "-a", ".a", "_a", "a b", "a/b", "a\n", "ä", "a" * 129, "a\0b", "\ud800", "../x", "a%2F"]
NAMING: list[tuple[str, dict[str, Any]]] = [
    ("scratch_create", {}),
    ("scratch_read", {}),
    ("scratch_read", {"namespaces": ["n"]}),
    ("scratch_append_cell", {"cell": cell()}),
    ("scratch_replace_cell", {"cell_id": "c", "cell": cell()}),
    ("scratch_move_cell", {"cell_id": "c", "new_index": 0}),
    ("scratch_delete_cell", {"cell_id": "c"}),
    ("scratch_update", {"metadata": {}}),
    ("scratch_delete", {}),
    ("scratch_list_cells", {}),
    ("scratch_validate", {}),
    ("scratch_list_schemas", {}),
    ("scratch_get_schema", {"schema_id": "s"}),
    ("scratch_upsert_schema", {"schema": {"description": "", "schema": {}}}),
    ("scratch_delete_schema", {"schema_id": "s"}),
]


async def test_what_has_not_the_form_of_an_id_is_refused_by_every_tool(ann: Agent) -> None:
    answers = {
        (tool, scratch_id): (await ann.tries(tool, scratch_id=scratch_id, **more))["error"]["code"]
        for tool, more in NAMING
        for scratch_id in BAD_IDS
        # An optional text that is empty was not given.
        if scratch_id or tool != "scratch_create"
    }

    assert {key: code for key, code in answers.items() if code != "INVALID_ID"} == {}


async def test_an_unknown_one_is_not_found_by_every_tool_that_needs_it(ann: Agent) -> None:
    unneeding = {"scratch_create", "scratch_delete"}
    for tool, more in NAMING:
        if tool in unneeding or "namespaces" in more:
            continue
        with pytest.raises(Refused, match="NOT_FOUND"):
            await ann.calls(tool, scratch_id="nowhere", **more)


async def test_ids_of_any_allowed_form_are_kept_as_they_are(ann: Agent) -> None:
    ids = ["0", "A.b_c-D", "a" * 128, str(uuid.uuid4()), "a..", "Case", "case"]
    for scratch_id in ids:
        assert (await creates(ann, scratch_id, scratch_id))["scratch_id"] == scratch_id

    assert await listed(ann) == sorted(ids)
    assert [await contents(ann, scratch_id) for scratch_id in ids] == [[scratch_id] for scratch_id in ids]


async def test_canonical_fields_stand_beside_the_metadata_and_in_it(ann: Agent) -> None:
    given = {"title": "T", "description": "D", "summary": "S", "namespace": "N", "tags": ["b", "a", "b"]}
    created = await ann.calls(
        "scratch_create", scratch_id="p", metadata=given, cells=[cell(tags=["z", "y", "z"]), cell(tags=["y"])]
    )

    read = await reads(ann, "p")

    for pad in (created["scratchpad"], read):
        assert [pad[name] for name in CANONICAL] == ["T", "D", "S", "N", ["b", "a"], ["y", "z"]]
        assert {name: pad["metadata"][name] for name in CANONICAL} == {name: pad[name] for name in CANONICAL}
        assert pad["cells"][0]["tags"] == ["z", "y"]


async def test_other_metadata_come_back_word_for_word(ann: Agent) -> None:
    others: dict[str, Any] = {
        "owner": "ann ü \u2028",
        "none": None,
        "deep": {"none": None, "list": [1, 2.5, None, {"x": False}]},
        "pinned": False,
        "": 0,
        "constructor": [],
    }
    created = await ann.calls("scratch_create", scratch_id="p", metadata=others)

    for pad in (created["scratchpad"], await reads(ann, "p")):
        assert {name: value for name, value in pad["metadata"].items() if name not in CANONICAL} == others


async def test_absent_canonical_fields_are_null_and_a_given_cell_tags_is_not_believed(ann: Agent) -> None:
    pad = await creates(ann, "p", cell_tags=["made up"])

    assert [pad[name] for name in CANONICAL] == [None, None, None, None, [], []]
    assert [pad["metadata"][name] for name in CANONICAL] == [None, None, None, None, [], []]


NO_METADATA: list[tuple[dict[str, Any], str]] = [
    ({"title": 5}, "INVALID_ARGUMENT"),
    ({"title": "a\0b"}, "INVALID_ARGUMENT"),
    ({"summary": "\ud800"}, "INVALID_ARGUMENT"),
    ({"title": "x" * 1001}, "PAYLOAD_TOO_LARGE"),
    ({"namespace": " "}, "INVALID_ARGUMENT"),
    ({"namespace": "n" * 129}, "INVALID_ARGUMENT"),
    ({"namespace": "a\0b"}, "INVALID_ARGUMENT"),
    ({"tags": "one"}, "INVALID_ARGUMENT"),
    ({"tags": ["ok", ""]}, "INVALID_ARGUMENT"),
    ({"tags": ["a\0b"]}, "INVALID_ARGUMENT"),
    ({"tags": [str(n) for n in range(65)]}, "CAPACITY_LIMIT_REACHED"),
    ({"tags": ["x" * 129]}, "PAYLOAD_TOO_LARGE"),
    ({"pinned": "yes"}, "INVALID_ARGUMENT"),
    ({"other": "x" * 65_536}, "PAYLOAD_TOO_LARGE"),
    ({"other": json.loads("[" * 300 + "]" * 300)}, "PAYLOAD_TOO_LARGE"),
]


async def test_metadata_of_a_wrong_kind_or_size_are_refused(ann: Agent) -> None:
    await creates(ann, "old", "stays")

    for metadata, code in NO_METADATA:
        for tool, scratch_id in (("scratch_create", "new"), ("scratch_create", "old"), ("scratch_update", "old")):
            with pytest.raises(Refused, match=code):
                await ann.calls(tool, scratch_id=scratch_id, metadata=metadata)

    assert await listed(ann) == ["old"]
    assert await contents(ann, "old") == ["stays"]


async def test_creating_again_resets_and_says_so(ann: Agent) -> None:
    old = await creates(ann, "p", "old one", "old two", title="Old", namespace="n", tags=["old"], own=1)

    again = await ann.calls("scratch_create", scratch_id="p", cells=[cell("new")])

    pad = await reads(ann, "p")
    assert (again["reset"], again["scratchpad"]["version"]) == (True, 1)
    assert [one["content"] for one in pad["cells"]] == ["new"]
    assert not {one["cell_id"] for one in old["cells"]} & {one["cell_id"] for one in pad["cells"]}
    assert (pad["title"], pad["namespace"], pad["tags"], pad["cell_count"]) == (None, None, [], 1)
    assert "own" not in pad["metadata"]


async def test_an_existing_one_is_left_alone_on_request(ann: Agent) -> None:
    await creates(ann, "p", "old")

    with pytest.raises(Refused, match="CONFLICT"):
        await ann.calls("scratch_create", scratch_id="p", on_exists="fail", cells=[cell("new")])

    assert await contents(ann, "p") == ["old"]
    assert (await ann.calls("scratch_create", scratch_id="q", on_exists="fail"))["reset"] is False


async def test_content_is_read_exactly_as_it_was_written(ann: Agent) -> None:
    odd = [
        "",
        " \t\r\n ",
        "a\r\nb\rc\n",
        "\ufeffbom",
        "😀 e\u0301 \u202e",
        "'; DROP TABLE cells; --",
        "%s {x} \\u0000 $1",
    ]
    await creates(ann, "p", *odd)
    for content in odd:
        await appends(ann, "p", content)

    assert await contents(ann, "p") == odd * 2


async def test_an_update_is_a_merge_patch(ann: Agent) -> None:
    await creates(ann, "p", "stays", title="T", summary="S", tags=["a"], own={"x": 1, "y": 2}, gone=1)

    changed = await ann.calls(
        "scratch_update",
        scratch_id="p",
        metadata={"title": "New", "summary": None, "tags": ["b"], "own": {"x": None, "z": 3}, "gone": None, "n": "N"},
    )

    pad = await reads(ann, "p")
    assert set(changed) == {"ok", "scratchpad"}
    assert (pad["title"], pad["summary"], pad["description"], pad["tags"]) == ("New", None, None, ["b"])
    assert {name: value for name, value in pad["metadata"].items() if name not in CANONICAL} == {
        "own": {"y": 2, "z": 3},
        "n": "N",
    }
    assert (pad["version"], changed["scratchpad"]["metadata"]) == (2, pad["metadata"])
    assert [one["content"] for one in pad["cells"]] == ["stays"]
    assert "content" not in changed["scratchpad"]["cells"][0]


async def test_an_update_of_another_version_is_refused_with_the_current_one(ann: Agent) -> None:
    await creates(ann, "p")
    await ann.calls("scratch_update", scratch_id="p", metadata={"title": "two"}, expected_version=1)

    with pytest.raises(Refused, match="VERSION_CONFLICT") as refusal:
        await ann.calls("scratch_update", scratch_id="p", metadata={"title": "three"}, expected_version=1)

    assert refusal.value.details == {"current_version": 2, "scratch_id": "p"}
    assert (await reads(ann, "p"))["title"] == "two"


async def test_deleting_is_idempotent(ann: Agent) -> None:
    await creates(ann, "p", "x")

    first = await ann.calls("scratch_delete", scratch_id="p")
    second = await ann.calls("scratch_delete", scratch_id="p")

    assert first == {"ok": True, "scratch_id": "p", "deleted": True}
    assert second == {"ok": True, "scratch_id": "p", "deleted": False}
    assert await listed(ann) == []
    with pytest.raises(Refused, match="NOT_FOUND"):
        await reads(ann, "p")
