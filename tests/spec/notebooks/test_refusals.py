"""What is refused changes nothing: not one byte of the tables, and nothing is evicted for it."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.spec.notebooks.pads import cell, listed, reads, rows
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

BROKEN = {"type": "no such type"}
LARGE = "ü" * 51
"""102 bytes, 51 characters."""


@pytest.fixture
async def small(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """Room for two scratchpads of three cells of 100 bytes; both are there and one is full."""
    limits = {"max_scratchpads": "2", "max_cells_per_pad": "3", "max_cell_bytes": "100"}
    async with open_table(store, tmp_path, **limits) as table:
        ann = table.agent("ann")
        metadata = {"namespace": "n", "tags": ["t"], "schemas": {"s": {"type": "object"}}, "own": 1}
        await ann.calls("scratch_create", scratch_id="full", metadata=metadata, cells=[cell(tags=["x"])] * 3)
        await ann.calls("scratch_create", scratch_id="roomy", cells=[cell("a"), cell("b")])
        await reads(ann, "full")
        # What happens in the background changes rows too, and has nothing to do with what is refused.
        await table.app.slices.words.index_all()
        yield table


def refused_creations() -> list[tuple[str, dict[str, Any], str]]:
    bodies: list[tuple[dict[str, Any], str]] = [
        ({"cells": [cell(), cell(LARGE)]}, "PAYLOAD_TOO_LARGE"),
        ({"cells": [cell()] * 4}, "CAPACITY_LIMIT_REACHED"),
        ({"cells": [cell(), cell("{}", "json", json_schema=BROKEN)]}, "VALIDATION_ERROR"),
        ({"cells": [cell(), cell(language="python")]}, "INVALID_ARGUMENT"),
        ({"metadata": {"schemas": {"bad": BROKEN}}}, "VALIDATION_ERROR"),
        ({"metadata": {"title": 5}}, "INVALID_ARGUMENT"),
        ({"metadata": {"namespace": "new", "tags": [""]}}, "INVALID_ARGUMENT"),
    ]
    return [
        ("scratch_create", {"scratch_id": scratch_id, **body}, code)
        for scratch_id in ("new", "full")
        for body, code in bodies
    ]


def refused_changes(cell_id: str) -> list[tuple[str, dict[str, Any], str]]:
    """Of the scratchpad `roomy`, whose first cell has this id, and of `full`."""
    roomy, one = {"scratch_id": "roomy"}, {"scratch_id": "roomy", "cell_id": cell_id}
    broken = cell("{}", "json", json_schema=BROKEN)
    return [
        ("scratch_create", {"scratch_id": "full", "on_exists": "fail"}, "CONFLICT"),
        ("scratch_append_cell", {"scratch_id": "full", "cell": cell()}, "CAPACITY_LIMIT_REACHED"),
        ("scratch_append_cell", {**roomy, "cell": cell(LARGE)}, "PAYLOAD_TOO_LARGE"),
        ("scratch_append_cell", {**roomy, "cell": broken}, "VALIDATION_ERROR"),
        ("scratch_replace_cell", {**one, "cell": cell(LARGE)}, "PAYLOAD_TOO_LARGE"),
        ("scratch_replace_cell", {**one, "cell": broken}, "VALIDATION_ERROR"),
        ("scratch_replace_cell", {**one, "cell": cell("new"), "new_index": 2}, "INVALID_INDEX"),
        ("scratch_replace_cell", {**one, "cell": cell("new"), "expected_version": 2}, "VERSION_CONFLICT"),
        ("scratch_replace_cell", {**roomy, "cell_id": str(uuid.uuid4()), "cell": cell()}, "NOT_FOUND"),
        ("scratch_move_cell", {**one, "new_index": -1}, "INVALID_INDEX"),
        ("scratch_move_cell", {**roomy, "cell_id": "x", "new_index": 0}, "NOT_FOUND"),
        ("scratch_delete_cell", {**roomy, "cell_id": "x"}, "NOT_FOUND"),
        ("scratch_update", {**roomy, "metadata": {"title": "new", "tags": 5}}, "INVALID_ARGUMENT"),
        ("scratch_update", {**roomy, "metadata": {"namespace": "new"}, "expected_version": 9}, "VERSION_CONFLICT"),
        ("scratch_upsert_schema", {**roomy, "schema": {"description": "", "schema": BROKEN}}, "VALIDATION_ERROR"),
        (
            "scratch_namespace_rename",
            {"old_namespace": "n", "new_namespace": "n2", "migrate_scratchpads": False},
            "CONF",
        ),
        ("scratch_namespace_delete", {"namespace": "n"}, "CONFLICT"),
        ("scratch_read", {**roomy, "cell_ids": [cell_id, "x"]}, "INVALID_ID"),
        ("scratch_validate", {**roomy, "indices": [2]}, "INVALID_INDEX"),
    ]


async def refuse_each(table: Table, ann: Agent, cases: list[tuple[str, dict[str, Any], str]]) -> None:
    before = await rows(table)

    for tool, arguments, code in cases:
        with pytest.raises(Refused, match=code):
            await ann.calls(tool, **arguments)
        assert await rows(table) == before, (tool, arguments)


async def test_a_refused_creation_at_capacity_leaves_every_row_and_evicts_nothing(small: Table) -> None:
    await refuse_each(small, small.agent("ann"), refused_creations())

    assert await listed(small.agent("ann")) == ["full", "roomy"]


async def test_a_refused_change_leaves_every_row(small: Table) -> None:
    ann = small.agent("ann")
    cell_id = (await reads(ann, "roomy"))["cells"][0]["cell_id"]

    await refuse_each(small, ann, refused_changes(cell_id))


async def test_sizes_are_counted_in_bytes_and_named_in_the_refusal(small: Table) -> None:
    ann = small.agent("ann")
    await ann.calls("scratch_append_cell", scratch_id="roomy", cell=cell("ü" * 50))

    with pytest.raises(Refused, match="PAYLOAD_TOO_LARGE") as refusal:
        await ann.calls("scratch_create", scratch_id="roomy", cells=[cell("ok"), cell(LARGE)])

    assert refusal.value.details == {"field": "cells.1.content", "size": 102, "limit": 100}


async def test_zero_is_no_limit_at_all(store: Store, tmp_path: Path) -> None:
    limits = {"max_scratchpads": "0", "max_cells_per_pad": "0", "max_cell_bytes": "0", "eviction_policy": "fail"}
    async with open_table(store, tmp_path, **limits) as table:
        ann = table.agent("ann")

        await ann.calls("scratch_create", scratch_id="long", cells=[cell("")] * 1100)
        await ann.calls("scratch_append_cell", scratch_id="long", cell=cell("x" * 1_100_000))
        for number in range(5):
            await ann.calls("scratch_create", scratch_id=f"p{number}")

        assert (await reads(ann, "long"))["cell_count"] == 1101
        assert len(await listed(ann)) == 6
