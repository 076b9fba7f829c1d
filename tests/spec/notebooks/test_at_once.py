"""Many at once: whatever runs together, nothing is lost and the order of cells has no gap."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.notebooks import store as notebook_store
from longtable.storage.database import SYSTEM
from tests.spec.notebooks.pads import appends, cell, contents, creates, listed, reads, trash
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow


async def together(agent: Agent, tool: str, *calls: dict[str, Any]) -> list[dict[str, Any]]:
    return await asyncio.gather(*(agent.tries(tool, **arguments) for arguments in calls))


def codes(outcomes: list[dict[str, Any]]) -> list[str]:
    return sorted("SUCCESS" if outcome["ok"] else outcome["error"]["code"] for outcome in outcomes)


async def test_twenty_appends_at_once_keep_all_twenty_in_places_without_gaps(table: Table) -> None:
    ann = table.agent("ann")
    await creates(ann, "p")
    calls = [{"scratch_id": "p", "cell": cell(str(n), tags=[f"t{n % 3}"])} for n in range(20)]

    outcomes = await together(ann, "scratch_append_cell", *calls)

    pad = await reads(ann, "p")
    assert codes(outcomes) == ["SUCCESS"] * 20
    assert sorted(await contents(ann, "p"), key=int) == [str(number) for number in range(20)]
    assert sorted(outcome["scratchpad"]["cells"][-1]["index"] for outcome in outcomes) == list(range(20))
    assert (pad["cell_count"], pad["version"], pad["cell_tags"]) == (20, 21, ["t0", "t1", "t2"])


async def test_twenty_creations_of_one_id_leave_one_whole_scratchpad(table: Table) -> None:
    ann = table.agent("ann")
    calls = [
        {"scratch_id": "p", "metadata": {"title": str(n)}, "cells": [cell(f"{n} {part}") for part in range(3)]}
        for n in range(20)
    ]

    outcomes = await together(ann, "scratch_create", *calls)

    pad = await reads(ann, "p")
    assert sorted(outcome["reset"] for outcome in outcomes) == [False] + [True] * 19
    assert await contents(ann, "p") == [f"{pad['title']} {part}" for part in range(3)]
    assert await listed(ann) == ["p"]
    assert len(await trash(ann)) == 19
    assert await _totals(table) == (1, 3)


async def test_of_twenty_creations_that_must_not_reset_one_wins(table: Table) -> None:
    ann = table.agent("ann")

    outcomes = await together(ann, "scratch_create", *[{"scratch_id": "p", "on_exists": "fail"}] * 20)

    assert codes(outcomes) == ["CONFLICT"] * 19 + ["SUCCESS"]


async def test_of_twenty_replacements_of_one_version_one_wins(table: Table) -> None:
    ann = table.agent("ann")
    cell_id = (await creates(ann, "p", "old"))["cells"][0]["cell_id"]
    one = {"scratch_id": "p", "cell_id": cell_id, "expected_version": 1}

    outcomes = await together(ann, "scratch_replace_cell", *({**one, "cell": cell(str(n))} for n in range(20)))

    winner = next(n for n, outcome in enumerate(outcomes) if outcome["ok"])
    assert codes(outcomes) == ["SUCCESS"] + ["VERSION_CONFLICT"] * 19
    assert await contents(ann, "p") == [str(winner)]
    assert {outcome["error"]["details"]["current_version"] for outcome in outcomes if not outcome["ok"]} == {2}


async def test_of_twenty_updates_of_one_version_one_wins(table: Table) -> None:
    ann = table.agent("ann")
    await creates(ann, "p")
    calls = [{"scratch_id": "p", "metadata": {"title": str(n)}, "expected_version": 1} for n in range(20)]

    outcomes = await together(ann, "scratch_update", *calls)

    assert codes(outcomes) == ["SUCCESS"] + ["VERSION_CONFLICT"] * 19


async def test_moves_deletions_replacements_and_appends_at_once_leave_no_gap(table: Table) -> None:
    ann = table.agent("ann")
    pad = await creates(ann, "p", *(str(number) for number in range(20)))
    ids = [one["cell_id"] for one in pad["cells"]]

    moves = [{"scratch_id": "p", "cell_id": cell_id, "new_index": n % 10} for n, cell_id in enumerate(ids)]
    gone = [{"scratch_id": "p", "cell_id": cell_id} for cell_id in ids[::4]]
    changes = [{"scratch_id": "p", "cell_id": cell_id, "cell": cell("new"), "new_index": 0} for cell_id in ids[1::4]]
    outcomes = await asyncio.gather(
        together(ann, "scratch_move_cell", *moves),
        together(ann, "scratch_delete_cell", *gone),
        together(ann, "scratch_replace_cell", *changes),
        together(ann, "scratch_append_cell", *[{"scratch_id": "p", "cell": cell("appended")}] * 10),
    )

    texts = await contents(ann, "p")
    assert codes(outcomes[1]) + codes(outcomes[2]) + codes(outcomes[3]) == ["SUCCESS"] * 20
    assert set(codes(outcomes[0])) <= {"SUCCESS", "NOT_FOUND"}
    assert (len(texts), texts.count("appended"), texts.count("new")) == (25, 10, 5)
    assert (await reads(ann, "p"))["cell_count"] == 25
    assert await _totals(table) == (1, 25)


async def test_twenty_creations_at_capacity_evict_twenty_each_once(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_scratchpads="20") as table:
        ann = table.agent("ann")
        old = [f"old{number:02}" for number in range(20)]
        for scratch_id in old:
            await creates(ann, scratch_id)

        outcomes = await together(ann, "scratch_create", *({"scratch_id": f"new{n:02}"} for n in range(20)))

        evicted = [scratch_id for outcome in outcomes for scratch_id in outcome["evicted_scratchpads"]]
        assert sorted(evicted) == old
        assert await listed(ann) == [f"new{number:02}" for number in range(20)]
        assert await _totals(table) == (20, 0)


async def test_twenty_creations_for_the_last_places_fill_them_and_no_more(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_scratchpads="5", eviction_policy="fail") as table:
        ann = table.agent("ann")

        outcomes = await together(ann, "scratch_create", *({"scratch_id": f"p{n}"} for n in range(20)))

        assert codes(outcomes) == ["CAPACITY_LIMIT_REACHED"] * 15 + ["SUCCESS"] * 5
        assert len(await listed(ann)) == 5


async def test_the_last_place_of_a_scratchpad_is_given_once(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_cells_per_pad="5") as table:
        ann = table.agent("ann")
        await creates(ann, "p")

        outcomes = await together(ann, "scratch_append_cell", *[{"scratch_id": "p", "cell": cell()}] * 20)

        assert codes(outcomes) == ["CAPACITY_LIMIT_REACHED"] * 15 + ["SUCCESS"] * 5
        assert len(await contents(ann, "p")) == 5


async def test_twenty_schemas_of_one_name_become_one(table: Table) -> None:
    ann = table.agent("ann")
    await creates(ann, "p")
    entry = {"name": "s", "description": "", "schema": {}}

    outcomes = await together(ann, "scratch_upsert_schema", *[{"scratch_id": "p", "schema": entry}] * 20)

    assert sorted(outcome["created"] for outcome in outcomes) == [False] * 19 + [True]
    assert len({outcome["schema"]["id"] for outcome in outcomes}) == 1
    assert len((await ann.calls("scratch_list_schemas", scratch_id="p"))["schemas"]) == 1


async def test_twenty_deletions_delete_once_and_namespaces_keep_count(table: Table) -> None:
    ann = table.agent("ann")
    await creates(ann, "p", namespace="n")

    outcomes = await together(ann, "scratch_delete", *[{"scratch_id": "p"}] * 20)
    created = await together(ann, "scratch_namespace_create", *[{"namespace": "m"}] * 20)

    assert sorted(outcome["deleted"] for outcome in outcomes) == [False] * 19 + [True]
    assert sorted(outcome["created"] for outcome in created) == [False] * 19 + [True]
    assert [one["scratchpad_count"] for one in (await ann.calls("scratch_namespace_list"))["namespaces"]] == [0, 0]


async def test_a_key_makes_twenty_calls_one(table: Table) -> None:
    ann = table.agent("ann")
    create = {"scratch_id": "p", "cells": [cell("{", "json", validate=True)], "idempotency_key": "create"}
    created = await together(ann, "scratch_create", *[create] * 20)
    append = {"scratch_id": "p", "cell": cell("[", "json", validate=True), "idempotency_key": "append"}
    appended = await together(ann, "scratch_append_cell", *[append] * 20)

    assert all(outcome == created[0] for outcome in created)
    assert all(outcome == appended[0] for outcome in appended)
    assert created[0]["validation"][0]["valid"] is False
    assert await contents(ann, "p") == ["{", "["]
    assert await trash(ann) == []
    other = await ann.tries("scratch_append_cell", **{**append, "cell": cell("else")})
    assert other["error"]["code"] == "IDEMPOTENCY_MISMATCH"
    assert (await appends(ann, "p"))["index"] == 2


async def _totals(table: Table) -> tuple[int, int]:
    """Scratchpads and cells, as they are counted."""
    return await table.app.database.read(SYSTEM, notebook_store.totals)
