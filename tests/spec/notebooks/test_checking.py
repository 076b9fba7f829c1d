"""Checking cells: on request, with a write or later; faults are reported and never refused."""

import pytest

from tests.spec.notebooks.pads import OUTLINE_KEYS, cell, contents, creates, reads
from tests.table import Agent, Refused

pytestmark = pytest.mark.slow

RESULT_KEYS = {"cell_index", "cell_id", "language", "valid", "errors", "warnings", "details"}
BAD = '{"a": 1,\n oops}'


async def test_creating_returns_a_result_for_each_cell_to_validate(ann: Agent) -> None:
    created = await ann.calls(
        "scratch_create",
        scratch_id="p",
        cells=[cell(BAD, "json", validate=True), cell(BAD, "json"), cell("{}", "json", validate=True)],
    )

    cells = created["scratchpad"]["cells"]
    assert [(result["cell_index"], result["valid"]) for result in created["validation"]] == [(0, False), (2, True)]
    assert [set(result) for result in created["validation"]] == [RESULT_KEYS] * 2
    assert [set(one) - OUTLINE_KEYS for one in cells] == [{"validation"}, set(), {"validation"}]
    assert [one["validate"] for one in cells] == [True, False, True]
    assert created["validation"][0]["cell_id"] == cells[0]["cell_id"]
    assert cells[0]["validation"] == created["validation"][0]
    assert created["validation"][0]["errors"][0]["line"] == 2
    assert await contents(ann, "p") == [BAD, BAD, "{}"]


async def test_appending_and_replacing_return_one_result_and_store_all_the_same(ann: Agent) -> None:
    await creates(ann, "p", "first")

    appended = await ann.calls("scratch_append_cell", scratch_id="p", cell=cell(BAD, "json", validate=True))
    cell_id = appended["scratchpad"]["cells"][-1]["cell_id"]
    replaced = await ann.calls(
        "scratch_replace_cell", scratch_id="p", cell_id=cell_id, cell=cell("a: [", "yaml", validate=True), new_index=0
    )

    assert set(appended) == {"ok", "scratchpad", "validation"}
    assert (appended["validation"]["cell_id"], appended["validation"]["cell_index"]) == (cell_id, 1)
    assert (replaced["validation"]["cell_id"], replaced["validation"]["cell_index"]) == (cell_id, 0)
    assert (appended["validation"]["valid"], replaced["validation"]["valid"]) == (False, False)
    assert await contents(ann, "p") == ["a: [", "first"]
    assert "validation" not in (await reads(ann, "p"))["cells"][0]


async def test_the_name_of_a_file_tells_which_dialect_a_cell_is(ann: Agent) -> None:
    declared = "export const version: string;\n"
    given = [
        cell(declared, "ts", filename="version.ts"),
        cell(declared, "ts", filename="version.d.ts"),
        cell('{"a": 1, // one\n}', "json", filename="tsconfig.json"),
        cell('{"a": 1, // one\n}', "json", metadata={"filename": "a.json"}),
    ]
    await ann.calls("scratch_create", scratch_id="p", cells=given)

    checked = await ann.calls("scratch_validate", scratch_id="p")

    assert [result["valid"] for result in checked["results"]] == [False, True, True, False]
    assert [one["metadata"]["filename"] for one in (await reads(ann, "p"))["cells"]] == [
        "version.ts",
        "version.d.ts",
        "tsconfig.json",
        "a.json",
    ]


@pytest.mark.parametrize("name", [".vscode/launch.json", ".devcontainer/devcontainer.json", ".devcontainer.json"])
async def test_settings_of_editors_may_have_comments(ann: Agent, name: str) -> None:
    given = cell('{\n  // Use the debugger.\n  "version": "0.2.0",\n}\n', "json", filename=name, validate=True)

    created = await ann.calls("scratch_create", scratch_id="p", cells=[given])

    assert created["validation"][0]["errors"] == []


async def test_cells_are_checked_later_all_or_those_chosen_by_id_or_place(ann: Agent) -> None:
    given = [cell(BAD, "json"), cell("{}", "json"), cell("free", "txt"), cell("x = (", "py")]
    pad = (await ann.calls("scratch_create", scratch_id="p", cells=given))["scratchpad"]
    ids = [one["cell_id"] for one in pad["cells"]]

    whole = await ann.calls("scratch_validate", scratch_id="p")

    async def checked(**arguments: object) -> list[int]:
        results = (await ann.calls("scratch_validate", scratch_id="p", **arguments))["results"]
        return [result["cell_index"] for result in results]

    assert set(whole) == {"ok", "scratch_id", "results"}
    assert [result["cell_id"] for result in whole["results"]] == ids
    assert [result["valid"] for result in whole["results"]] == [False, True, True, False]
    assert await checked(cell_ids=[ids[3], ids[1]]) == [1, 3]
    assert await checked(indices=[2, 0, 2]) == [0, 2]
    assert await checked(cell_ids=ids[:2], indices=[1, 2]) == [1]
    assert await checked(cell_ids=[], indices=[]) == [0, 1, 2, 3]
    for outside in (-1, 4, 10**30):
        with pytest.raises(Refused, match="INVALID_INDEX"):
            await checked(indices=[0, outside])
    assert await reads(ann, "p") == {**await reads(ann, "p"), "version": 1}


async def test_text_is_valid_and_said_to_be_unchecked(ann: Agent) -> None:
    await creates(ann, "p", "anything")

    result = (await ann.calls("scratch_validate", scratch_id="p", max_chars=0))["results"][0]

    assert (result["valid"], result["errors"]) == (True, [])
    assert result["details"]["syntax"] == {"checked": False, "passed": None, "checker": None}
    assert result["details"]["reason"]


async def test_an_empty_scratchpad_has_no_results(ann: Agent) -> None:
    await creates(ann, "p")

    assert (await ann.calls("scratch_validate", scratch_id="p"))["results"] == []
    with pytest.raises(Refused, match="INVALID_INDEX"):
        await ann.calls("scratch_validate", scratch_id="p", indices=[0])
