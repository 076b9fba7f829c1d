"""The Python client and the scratchpads: typed as the server made them, and nothing twice."""

import json
from typing import Any

import pytest

from longtable.client import CellInput, SchemaInput
from longtable.kernel import errors
from longtable_client.results import ScratchpadChanged, ScratchpadCreated, ScratchpadRead
from scripts import docs
from tests.client_transport import LossyTransport, opened
from tests.table import Table

pytestmark = pytest.mark.slow

TOOLS = {tool.name: tool for tool in docs.every_tool()}
CELL: CellInput = {"language": "json", "content": '{"a": 1}', "tags": ["data"]}
SCHEMA: SchemaInput = {"name": "thing", "description": "a thing", "schema": {"type": "object"}}
WRITES: dict[str, dict[str, Any]] = {
    "scratch_create": {"scratch_id": "new", "cells": [CELL]},
    "scratch_update": {"scratch_id": "old", "metadata": {"title": "t"}},
    "scratch_delete": {"scratch_id": "old"},
    "scratch_append_cell": {"scratch_id": "old", "cell": CELL},
    "scratch_replace_cell": {"scratch_id": "old", "cell_id": "FIRST", "cell": CELL},
    "scratch_move_cell": {"scratch_id": "old", "cell_id": "FIRST", "new_index": 1},
    "scratch_delete_cell": {"scratch_id": "old", "cell_id": "FIRST"},
    "scratch_upsert_schema": {"scratch_id": "old", "schema": SCHEMA},
    "scratch_delete_schema": {"scratch_id": "old", "schema_id": "there"},
    "scratch_namespace_create": {"namespace": "new"},
    "scratch_namespace_rename": {"old_namespace": "old", "new_namespace": "new"},
    "scratch_namespace_delete": {"namespace": "old", "delete_scratchpads": True},
}


async def test_scratchpads_are_made_filled_read_and_removed(table: Table, session: str) -> None:
    async with opened(table) as ada:
        made = await ada.scratch_create("plans", metadata={"title": "Plans", "namespace": "work"}, cells=[CELL])
        first = made.scratchpad.cells[0].cell_id
        changed = await ada.scratch_append_cell("plans", {"language": "py", "content": "x =", "validate": True})
        second = changed.scratchpad.cells[1].cell_id
        await ada.scratch_move_cell("plans", second, 0)
        await ada.scratch_replace_cell("plans", first, {**CELL, "content": "[]"}, expected_version=1)
        read = await ada.scratch_read("plans", tags=["data"])
        listed = await ada.scratch_list(namespaces=["work"])
        previews = await ada.scratch_list_cells("plans")
        checked = await ada.scratch_validate("plans", indices=[0])
        gone = await ada.scratch_delete("plans")

    assert isinstance(made, ScratchpadCreated)
    assert isinstance(changed, ScratchpadChanged)
    assert isinstance(read, ScratchpadRead)
    assert changed.validation is not None
    assert changed.validation.valid is False
    assert [cell.content for cell in read.scratchpad.cells] == ["[]"]
    assert [(pad.scratch_id, pad.cell_count) for pad in listed.scratchpads] == [("plans", 2)]
    assert [cell.preview for cell in previews.cells] == ["x =", "[]"]
    assert [(result.cell_id, result.errors[0].line) for result in checked.results] == [(second, 1)]
    assert gone.deleted


async def test_schemas_namespaces_and_tags_are_typed_as_well(table: Table, session: str) -> None:
    async with opened(table) as ada:
        await ada.scratch_create("plans", metadata={"tags": ["mine"]}, cells=[CELL])
        made = await ada.scratch_upsert_schema("plans", SCHEMA)
        listed = await ada.scratch_list_schemas("plans")
        read = await ada.scratch_get_schema("plans", "thing")
        dropped = await ada.scratch_delete_schema("plans", made.schema_.id)
        created = await ada.scratch_namespace_create("a")
        renamed = await ada.scratch_namespace_rename("a", "b")
        namespaces = await ada.scratch_namespace_list()
        removed = await ada.scratch_namespace_delete("b")
        tags = await ada.scratch_list_tags()

    assert (made.created, dropped.deleted, created.created, removed.deleted) == (True, True, True, True)
    assert listed.schemas == [read.schema_]
    assert (made.schema_.id, made.schema_.schema_) == (read.schema_.id, read.schema_.schema_)
    assert read.schema_.schema_ == {"type": "object"}
    assert (renamed.namespace, [each.namespace for each in namespaces.namespaces]) == ("b", ["b"])
    assert (tags.scratchpad_tags, tags.cell_tags) == (["mine"], ["data"])


async def test_refusals_of_the_server_are_exceptions_here(table: Table, session: str) -> None:
    async with opened(table) as ada:
        await ada.scratch_create("plans")
        with pytest.raises(errors.Conflict):
            await ada.scratch_create("plans", on_exists="fail")
        with pytest.raises(errors.NotFound):
            await ada.scratch_read("nothing")
        with pytest.raises(errors.InvalidId):
            await ada.scratch_read("plans", cell_ids=["none"])


def test_every_write_to_notebooks_is_among_those_that_are_tried() -> None:
    writes = {tool.name for tool in docs.every_tool() if tool.writes and tool.over_mcp and tool.group == "notebooks"}

    assert writes == set(WRITES)


@pytest.mark.parametrize("tool", WRITES)
async def test_a_write_whose_answer_is_lost_twice_has_one_effect(table: Table, session: str, tool: str) -> None:
    async with opened(table) as ada:
        there = {"namespace": "old", "schemas": {"there": {"description": "there", "schema": {}}}}
        old = await ada.scratch_create("old", metadata=there, cells=[CELL, CELL])
        line = LossyTransport(table.http, drops=2)
        start = (await ada.read_events(limit=1000)).next_after
        arguments = json.loads(json.dumps(WRITES[tool]).replace("FIRST", old.scratchpad.cells[0].cell_id))
        async with opened(table, transport=line) as retrying:
            result = await getattr(retrying, tool)(**arguments)
        happened = (await ada.read_events(after=start, limit=1000)).events

    keys = {json.loads(request.content)["params"]["arguments"]["idempotency_key"] for request in line.sent}
    assert (len(line.sent), len(keys)) == (3, 1)
    assert len(happened) <= 1
    assert type(result).__name__ == TOOLS[tool].result.__name__
