"""What a notebook tool costs does not grow with what else is there: 10,000 scratchpads of 10 cells against 100.

The goal is 1.5 times; the gate leaves room for a machine that has other things to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spec.notebooks.growing import check_growth
from tests.stores import Store
from tests.table import open_table

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]


async def test_with_ten_thousand_scratchpads_each_tool_takes_as_long_as_with_a_hundred(
    store: Store, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with open_table(store, tmp_path, max_scratchpads="0") as table:
        ratios = await check_growth(table, store, few=100, many=10_000, cells=10)

    for name, ratio in ratios.items():
        record_property(name, round(ratio, 2))
