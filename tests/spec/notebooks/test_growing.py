"""What a call costs does not grow with what lies beside it."""

import time
from pathlib import Path
from statistics import median

import pytest

from benchmarks.preload import call_tool
from tests.spec.notebooks.growing import GATE, check_growth
from tests.spec.notebooks.pads import cell
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def test_appending_to_a_thousand_cells_costs_what_appending_to_none_does(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, max_cells_per_pad="0") as table:
        await call_tool(table.app, "scratch_create", scratch_id="long", cells=[cell("text", tags=["t"])] * 1000)
        ratios = []
        for number in range(40):
            empty = f"empty{number}"
            await call_tool(table.app, "scratch_create", scratch_id=empty)
            ratios.append(await _append(table, "long") / await _append(table, empty))

    print("append", round(median(ratios), 2))
    assert median(ratios) <= GATE, median(ratios)


async def test_with_two_thousand_scratchpads_each_tool_takes_as_long_as_with_fifty(
    store: Store, tmp_path: Path
) -> None:
    async with open_table(store, tmp_path, max_scratchpads="0") as table:
        await check_growth(table, store, few=50, many=2_000, cells=2)


async def _append(table: Table, scratch_id: str) -> float:
    began = time.perf_counter()
    await call_tool(table.app, "scratch_append_cell", scratch_id=scratch_id, cell=cell("text", tags=["t"]))
    return time.perf_counter() - began
