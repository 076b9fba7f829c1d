"""Cells: appended, replaced, moved and deleted by their ids, in an order without gaps, never echoed by a write."""

import json
import uuid
from typing import Any

import pytest

from longtable.checkers.languages import LANGUAGES
from tests.spec.notebooks.pads import OUTLINE_KEYS, PAD_KEYS, appends, cell, contents, creates, reads
from tests.table import Agent, Refused

SECRET = "only a read may show this"
SPEC_LANGUAGES = (
    "py js ts tsx jsx rs c h cpp hpp sh css html htm java go rb toml php cs json yaml yml md txt sql kt swift lua xml"
)


async def ids(ann: Agent, scratch_id: str = "p") -> dict[str, str]:
    """Ids of cells by their contents."""
    return {one["content"]: one["cell_id"] for one in (await reads(ann, scratch_id))["cells"]}


async def test_an_appended_cell_goes_last_and_its_content_is_not_echoed(ann: Agent) -> None:
    await creates(ann, "p", "first")

    answer = await ann.calls(
        "scratch_append_cell",
        scratch_id="p",
        cell=cell(SECRET, "md", tags=["b", "a", "b"], metadata={"step": {"n": None}}, json_schema={"type": "string"}),
    )

    pad = answer["scratchpad"]
    assert set(answer) == {"ok", "scratchpad"}
    assert set(pad) == PAD_KEYS
    assert [set(one) for one in pad["cells"]] == [OUTLINE_KEYS] * 2
    last = pad["cells"][-1]
    assert (last["index"], last["language"], last["type"], last["version"]) == (1, "md", "text", 1)
    assert (last["tags"], last["metadata"], last["validate"]) == (["b", "a"], {"step": {"n": None}}, False)
    assert (pad["cell_count"], pad["version"], pad["cell_tags"]) == (2, 2, ["a", "b"])
    assert SECRET not in json.dumps(answer)
    assert '"content"' not in json.dumps(answer)


async def test_every_language_of_the_contract_is_accepted_and_no_other(ann: Agent) -> None:
    await creates(ann, "p")
    for language in SPEC_LANGUAGES.split():
        await appends(ann, "p", "", language=language)

    assert sorted(LANGUAGES) == sorted(SPEC_LANGUAGES.split())
    for unknown in ("python", "PY", "", " py", "json5"):
        for tool, arguments in (
            ("scratch_append_cell", {"scratch_id": "p", "cell": cell(language=unknown)}),
            ("scratch_create", {"scratch_id": "q", "cells": [cell(), cell(language=unknown)]}),
        ):
            with pytest.raises(Refused, match="INVALID_ARGUMENT") as refusal:
                await ann.calls(tool, **arguments)
            assert all(language in str(refusal.value) for language in LANGUAGES)
    with pytest.raises(Refused, match="NOT_FOUND"):
        await reads(ann, "q")


NO_CELLS: list[Any] = [
    {"content": "no language"},
    {"language": "txt"},
    {"language": "txt", "content": None},
    {"language": "txt", "content": {"a": 1}},
    {"language": "txt", "content": "a\0b"},
    {"language": "txt", "content": "\ud800"},
    {"language": "txt", "content": "", "unknown": 1},
    {"language": "txt", "content": "", "cell_id": str(uuid.uuid4())},
    {"language": "txt", "content": "", "tags": [""]},
    {"language": "txt", "content": "", "tags": "one"},
    {"language": "txt", "content": "", "metadata": []},
    {"language": "txt", "content": "", "json_schema": 5},
    "text",
]


async def test_what_is_no_cell_is_refused_by_each_tool_that_takes_one(ann: Agent) -> None:
    cell_id = (await creates(ann, "p", "stays"))["cells"][0]["cell_id"]

    for given in NO_CELLS:
        for tool, arguments in (
            ("scratch_append_cell", {"cell": given}),
            ("scratch_replace_cell", {"cell_id": cell_id, "cell": given}),
            ("scratch_create", {"cells": [cell(), given]}),
        ):
            with pytest.raises(Refused, match="INVALID_ARGUMENT"):
                await ann.calls(tool, scratch_id="p", **arguments)

    assert await contents(ann, "p") == ["stays"]


async def test_replacing_changes_that_cell_whole_and_keeps_its_id_and_place(ann: Agent) -> None:
    given = cell("old", tags=["t"], metadata={"m": 1}, json_schema={"type": "string"}, validate=True)
    await ann.calls("scratch_create", scratch_id="p", cells=[cell("a"), given, cell("c")])
    known = await ids(ann)

    answer = await ann.calls("scratch_replace_cell", scratch_id="p", cell_id=known["old"], cell=cell(SECRET, "md"))

    pad = await reads(ann, "p")
    replaced = pad["cells"][1]
    assert [one["content"] for one in pad["cells"]] == ["a", SECRET, "c"]
    assert (replaced["cell_id"], replaced["version"], replaced["language"]) == (known["old"], 2, "md")
    assert (replaced["tags"], replaced["metadata"], replaced["validate"]) == ([], {}, False)
    assert replaced["json_schema"] is None
    assert (pad["cell_tags"], pad["version"]) == ([], 2)
    assert [one["version"] for one in pad["cells"]] == [1, 2, 1]
    assert SECRET not in json.dumps(answer)


MOVES = [(0, 3, "bcda"), (3, 0, "dabc"), (1, 2, "acbd"), (2, 1, "acbd"), (1, 1, "abcd"), (0, 0, "abcd"), (3, 3, "abcd")]


async def test_a_cell_moves_and_the_others_make_room(ann: Agent) -> None:
    for start, target, order in MOVES:
        name = "abcd"[start]
        await creates(ann, "moved", *"abcd")
        await creates(ann, "replaced", *"abcd")
        known, others = await ids(ann, "moved"), await ids(ann, "replaced")

        arguments = {"cell_id": known[name], "new_index": target}
        moved = (await ann.calls("scratch_move_cell", scratch_id="moved", **arguments))["scratchpad"]
        arguments = {"cell_id": others[name], "new_index": target, "cell": cell(name.upper())}
        await ann.calls("scratch_replace_cell", scratch_id="replaced", **arguments)

        assert await contents(ann, "moved") == list(order)
        assert await contents(ann, "replaced") == list(order.replace(name, name.upper()))
        assert [(one["index"], one["version"]) for one in moved["cells"]] == [(0, 1), (1, 1), (2, 1), (3, 1)]


async def test_a_place_outside_is_refused(ann: Agent) -> None:
    await creates(ann, "p", "a", "b")
    cell_id = (await ids(ann))["a"]

    for place in (-1, 2, 10**30):
        for tool, more in (("scratch_move_cell", {}), ("scratch_replace_cell", {"cell": cell("new")})):
            with pytest.raises(Refused, match="INVALID_INDEX") as refusal:
                await ann.calls(tool, scratch_id="p", cell_id=cell_id, new_index=place, **more)
            assert refusal.value.details == {"new_index": place, "cell_count": 2}

    assert await contents(ann, "p") == ["a", "b"]


async def test_deleting_a_cell_closes_the_gap(ann: Agent) -> None:
    given = [cell(name, tags=[name, "all"]) for name in "abcd"]
    await ann.calls("scratch_create", scratch_id="p", cells=given)
    known = await ids(ann)

    answer = await ann.calls("scratch_delete_cell", scratch_id="p", cell_id=known["b"])
    for name in "da":
        await ann.calls("scratch_delete_cell", scratch_id="p", cell_id=known[name])

    assert (answer["scratchpad"]["cell_count"], answer["scratchpad"]["cell_tags"]) == (3, ["a", "all", "c", "d"])
    assert await contents(ann, "p") == ["c"]
    assert (await reads(ann, "p"))["cell_tags"] == ["all", "c"]
    await ann.calls("scratch_delete_cell", scratch_id="p", cell_id=known["c"])
    assert (await reads(ann, "p"))["cell_tags"] == []
    assert (await appends(ann, "p", "e"))["index"] == 0


async def test_a_cell_that_is_not_in_this_scratchpad_is_not_found(ann: Agent) -> None:
    await creates(ann, "p", "a")
    elsewhere = (await creates(ann, "q", "b"))["cells"][0]["cell_id"]
    gone = (await appends(ann, "p", "gone"))["cell_id"]
    await ann.calls("scratch_delete_cell", scratch_id="p", cell_id=gone)

    for unknown in (elsewhere, gone, str(uuid.uuid4()), "", "x" * 500):
        for tool, more in (
            ("scratch_replace_cell", {"cell": cell("new")}),
            ("scratch_move_cell", {"new_index": 0}),
            ("scratch_delete_cell", {}),
        ):
            with pytest.raises(Refused, match="NOT_FOUND") as refusal:
                await ann.calls(tool, scratch_id="p", cell_id=unknown, **more)
            assert refusal.value.details == {"cell_id": unknown[:100]}

    assert (await contents(ann, "p"), await contents(ann, "q")) == (["a"], ["b"])


async def test_a_replacement_of_another_version_is_refused_with_the_current_one(ann: Agent) -> None:
    cell_id = (await creates(ann, "p", "one"))["cells"][0]["cell_id"]
    arguments = {"scratch_id": "p", "cell_id": cell_id, "expected_version": 1}
    await ann.calls("scratch_replace_cell", cell=cell("two"), **arguments)

    with pytest.raises(Refused, match="VERSION_CONFLICT") as refusal:
        await ann.calls("scratch_replace_cell", cell=cell("three"), **arguments)

    assert refusal.value.details == {"current_version": 2, "cell_id": cell_id}
    assert await contents(ann, "p") == ["two"]
    with pytest.raises(Refused, match="INVALID_ARGUMENT"):
        await ann.calls("scratch_replace_cell", cell=cell("three"), **{**arguments, "expected_version": 0})


async def test_a_write_to_a_long_scratchpad_shows_the_cells_around_and_says_how_many_it_left_out(ann: Agent) -> None:
    await creates(ann, "p", *(str(number) for number in range(40)))
    known = await ids(ann)

    appended = (await ann.calls("scratch_append_cell", scratch_id="p", cell=cell()))["scratchpad"]
    moved = (await ann.calls("scratch_move_cell", scratch_id="p", cell_id=known["0"], new_index=20))["scratchpad"]

    assert [one["index"] for one in appended["cells"]] == list(range(9, 41))
    assert (appended["cell_count"], appended["cells_omitted"]) == (41, 9)
    assert known["0"] in {one["cell_id"] for one in moved["cells"]}
    assert (len(moved["cells"]), moved["cells_omitted"]) == (32, 9)


async def test_cells_are_listed_with_a_short_preview_and_no_content(ann: Agent) -> None:
    long = "word \n\t" * 10_000
    await ann.calls("scratch_create", scratch_id="p", cells=[cell(long, tags=["t"], metadata={"m": 1}), cell("")])

    answer = await ann.calls("scratch_list_cells", scratch_id="p", max_chars=0)

    first, second = answer["cells"]
    assert set(answer) == {"ok", "scratch_id", "cells"}
    assert set(first) == {"index", "cell_id", "language", "tags", "metadata", "preview"}
    assert set(second) == {"index", "cell_id", "language", "tags", "preview"}
    assert (first["tags"], first["metadata"], second["preview"]) == (["t"], {"m": 1}, "")
    assert first["preview"] == "word " * 16
    assert len(json.dumps(answer)) < 1000
    for content in ("😀" * 200, "x" * 200):
        assert len(await _preview(ann, content)) == 80


async def _preview(ann: Agent, content: str) -> str:
    await creates(ann, "preview", content)
    shown: str = (await ann.calls("scratch_list_cells", scratch_id="preview"))["cells"][0]["preview"]
    return shown


async def test_listed_cells_are_chosen_like_read_ones_and_come_page_by_page(ann: Agent) -> None:
    given = [cell(str(number), tags=["even"] if number % 2 == 0 else ["odd"]) for number in range(25)]
    await ann.calls("scratch_create", scratch_id="p", cells=given, metadata={"namespace": "n"})
    known = await ids(ann)
    chosen = [known[str(number)] for number in (9, 4, 2)]

    async def page(**arguments: Any) -> tuple[list[int], str | None]:
        answer = await ann.calls("scratch_list_cells", scratch_id="p", **arguments)
        return [one["index"] for one in answer["cells"]], answer.get("next_cursor")

    assert await page(cell_ids=chosen) == ([2, 4, 9], None)
    assert await page(cell_ids=chosen, tags=["odd"], namespaces=["n", "m"]) == ([9], None)
    seen, cursor = await page(tags=["even"], limit=5)
    while cursor is not None:
        more, cursor = await page(tags=["even"], limit=5, cursor=cursor)
        seen += more
    assert seen == list(range(0, 25, 2))
    seen, cursor = await page(limit=10)
    while cursor is not None:
        more, cursor = await page(limit=10, cursor=cursor)
        seen += more
    assert seen == list(range(25))
    with pytest.raises(Refused, match="INVALID_ARGUMENT"):
        await page(limit=0)


async def test_many_ids_are_looked_up_like_few(ann: Agent) -> None:
    await creates(ann, "p", *(str(number) for number in range(600)))
    known = await ids(ann)

    chosen = [known[str(number)] for number in range(599, 20, -1)]

    assert await contents(ann, "p", cell_ids=chosen) == [str(number) for number in range(21, 600)]
    with pytest.raises(Refused, match="INVALID_ID"):
        await reads(ann, "p", cell_ids=[*chosen, "unknown"])
    with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
        await reads(ann, "p", cell_ids=[str(number) for number in range(10_001)])
