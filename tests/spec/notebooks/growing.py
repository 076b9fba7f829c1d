"""Measures what the notebook tools cost with few scratchpads and with many."""

import time
from typing import Any

from benchmarks.preload import call_tool
from tests.spec.notebooks.filling import fill
from tests.spec.notebooks.pads import cell
from tests.stores import Store
from tests.table import Table

GATE = 4.5
"""The goal is 1.5 times, and a machine that has other things to do gets three times that."""

_CALLS = 50
_MEASURED: dict[str, tuple[str, dict[str, Any]]] = {
    "read": ("scratch_read", {"scratch_id": "p000007"}),
    "cells": ("scratch_list_cells", {"scratch_id": "p000007"}),
    "list": ("scratch_list", {"limit": 20}),
    "list by namespace": ("scratch_list", {"limit": 5, "namespaces": ["n7"]}),
    "list by common tag": ("scratch_list", {"limit": 20, "tags": ["common"]}),
    "list by tag of cells": ("scratch_list", {"limit": 20, "tags": ["cell"]}),
    "list by rare tag": ("scratch_list", {"limit": 1, "tags": ["rare"], "namespaces": ["n0"]}),
    "list by unknown tag": ("scratch_list", {"limit": 20, "tags": ["unknown"]}),
    "tags": ("scratch_list_tags", {}),
    "tags of a namespace": ("scratch_list_tags", {"namespaces": ["n7"]}),
    "namespaces": ("scratch_namespace_list", {}),
    "update": ("scratch_update", {"scratch_id": "p000009", "metadata": {"title": "T"}}),
    "reset": ("scratch_create", {"scratch_id": "reset", "cells": [cell("text")]}),
    "append": ("scratch_append_cell", {"scratch_id": "appended", "cell": cell("text")}),
}


async def check_growth(table: Table, store: Store, few: int, many: int, cells: int) -> dict[str, float]:
    """How many times as long each takes with many, checked."""
    await call_tool(table.app, "scratch_create", scratch_id="appended", cells=[cell("text")] * 100)
    await fill(table, store, range(few), cells)
    before = await _fastest(table)
    await fill(table, store, range(few, many), cells)
    after = await _fastest(table)

    ratios = {name: after[name] / before[name] for name in _MEASURED}
    print({name: round(ratio, 2) for name, ratio in ratios.items()})
    assert max(ratios.values()) <= GATE, ratios
    return ratios


async def _fastest(table: Table) -> dict[str, float]:
    """Of many calls: what else the machine does can only add to it."""
    return {
        name: min([await _time(table, tool, arguments) for _ in range(_CALLS)])
        for name, (tool, arguments) in _MEASURED.items()
    }


async def _time(table: Table, tool: str, arguments: dict[str, Any]) -> float:
    began = time.perf_counter()
    await call_tool(table.app, tool, **arguments)
    return time.perf_counter() - began
