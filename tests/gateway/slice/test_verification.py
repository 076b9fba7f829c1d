"""When a call is checked against a new list, and when a promise is enough. No changed tool runs unseen."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.slice.gateway import approve
from tests.gateway.slice.shifting_upstream import DELETE, READ, REPORT, shifting
from tests.stores import Store

pytestmark = pytest.mark.slow

OTHER = {"description": "Reads one note, and sends it away."}


@pytest.mark.parametrize("tools", [3, 2_000])
@pytest.mark.parametrize("promise", ["promises", "silent"])
async def test_a_tool_that_changed_after_its_approval_is_not_run_however_long_the_list(
    store: Store, tmp_path: Path, promise: str, tools: int
) -> None:
    async with shifting(store, tmp_path, promise, tools) as upstream:
        required = await upstream.use(DELETE)
        await approve(await upstream.gateway.person(), required)
        upstream.change(**OTHER)

        response = await upstream.use(DELETE, confirm_token=required.details["confirm_token"])

        assert (response.code, upstream.ran()) == ("TOOL_QUARANTINED", [])


@pytest.mark.parametrize("tools", [3, 500])
async def test_an_upstream_that_reports_changes_is_not_asked_for_its_list_with_every_call(
    store: Store, tmp_path: Path, tools: int
) -> None:
    async with shifting(store, tmp_path, "promises", tools) as upstream:
        codes = {(await upstream.use(READ)).code for _ in range(30)}

        assert (codes, upstream.lists <= 3) == ({"SUCCESS"}, True)


@pytest.mark.parametrize("tools", [3, 500])
async def test_a_reported_change_is_seen_by_the_next_call(store: Store, tmp_path: Path, tools: int) -> None:
    async with shifting(store, tmp_path, "promises", tools) as upstream:
        before = await upstream.use(READ)
        upstream.change(**OTHER)
        reported = await upstream.use(REPORT)

        after = await upstream.use(READ)

        assert (before.code, reported.code, after.code) == ("SUCCESS", "SUCCESS", "TOOL_QUARANTINED")
        assert upstream.ran().count("read_note") == 1


@pytest.mark.parametrize("promise", ["promises", "silent"])
async def test_a_tool_that_is_again_what_it_was_runs_with_the_next_call(
    store: Store, tmp_path: Path, promise: str
) -> None:
    async with shifting(store, tmp_path, promise, 3) as upstream:
        before = await upstream.use(READ)
        upstream.change(**OTHER)
        await upstream.use(REPORT)
        held_back = await upstream.use(READ)
        upstream.change()
        await upstream.use(REPORT)

        after = await upstream.use(READ)

        assert [each.code for each in (before, held_back, after)] == ["SUCCESS", "TOOL_QUARANTINED", "SUCCESS"]


@pytest.mark.parametrize(
    "change",
    [
        OTHER,
        {"description": "Reads one note. "},
        {"description": "Reads one n\u043ete."},
        {"title": "A note"},
        {"inputSchema": {"type": "object", "properties": {"path": {}}}},
        {"annotations": {"readOnlyHint": False}},
        {"outputSchema": {"type": "object"}},
    ],
    ids=["description", "space", "letter", "title", "schema", "annotations", "output"],
)
async def test_an_upstream_that_promises_nothing_is_asked_once_before_each_call(
    store: Store, tmp_path: Path, change: dict[str, Any]
) -> None:
    async with shifting(store, tmp_path, "silent") as upstream:
        await upstream.use(READ)
        lists = upstream.lists
        codes = {(await upstream.use(READ)).code for _ in range(3)}
        listings = upstream.lists - lists
        upstream.change(**change)

        after = await upstream.use(READ)

        assert (codes, listings, after.code) == ({"SUCCESS"}, 3, "TOOL_QUARANTINED")
        assert upstream.ran() == ["read_note"] * 4


@pytest.mark.parametrize("promise", ["promises", "silent"])
async def test_a_value_that_only_a_program_takes_for_the_same_is_a_change(
    store: Store, tmp_path: Path, promise: str
) -> None:
    async with shifting(store, tmp_path, promise) as upstream:
        upstream.change(inputSchema={"type": "object", "default": 0})
        required = await upstream.use(DELETE)
        await approve(await upstream.gateway.person(), required)
        upstream.change(inputSchema={"type": "object", "default": False})

        response = await upstream.use(DELETE, confirm_token=required.details["confirm_token"])

        assert (response.code, upstream.ran()) == ("TOOL_QUARANTINED", [])


async def test_a_result_is_withheld_where_the_list_is_requested_beside_the_call(store: Store, tmp_path: Path) -> None:
    async with shifting(store, tmp_path, "silent", verify="parallel") as upstream:
        before = await upstream.use(READ)
        required = await upstream.use(DELETE)
        await approve(await upstream.gateway.person(), required)
        upstream.change(**OTHER)

        after = await upstream.use(READ)
        governed = await upstream.use(DELETE, confirm_token=required.details["confirm_token"])

        assert (before.code, after.code, governed.code) == ("SUCCESS", "TOOL_QUARANTINED", "TOOL_QUARANTINED")
        assert "withheld" in after.message
        assert upstream.ran() == ["read_note", "read_note"]


async def test_a_list_that_was_on_its_way_before_the_change_counts_for_no_later_call(
    store: Store, tmp_path: Path
) -> None:
    async with shifting(store, tmp_path, "silent") as upstream, asyncio.TaskGroup() as group:
        await upstream.use(READ)
        os.mkfifo(upstream.folder / "listing")
        os.mkfifo(upstream.folder / "go")
        earlier = group.create_task(upstream.use(READ))
        await asyncio.to_thread((upstream.folder / "listing").read_text)
        upstream.change(**OTHER)
        (upstream.folder / "listing").unlink()

        later = group.create_task(upstream.use(READ))
        await asyncio.to_thread((upstream.folder / "go").write_text, "go on")

        assert (await later).code == "TOOL_QUARANTINED"
        await earlier
