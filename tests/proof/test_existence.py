"""How long a foreign id and one that never was take to be refused: reported, and too alike to tell them apart."""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.slice.gateway import AUTH_ON, opened
from tests.mixed.existence import Existence, other_id, with_a_rival
from tests.stores import Store

pytestmark = pytest.mark.timeout(1800)
PAIRS = 2_500
MOST_MILLISECONDS = 0.2
CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "get_session": lambda given: {"session_id": given},
    "scratch_read": lambda given: {"scratch_id": given},
    "get_memory": lambda given: {"key": given},
    "wait_for_decision": lambda given: {"confirmation_id": given, "wait_seconds": 0},
}
IDS = {
    "get_session": "session_id",
    "scratch_read": "scratch_id",
    "get_memory": "key",
    "wait_for_decision": "confirmation_id",
}


async def test_ten_thousand_pairs_take_the_same_time(
    store: Store, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with opened(store, tmp_path, {**AUTH_ON, "call_rate": "0"}) as gateway:
        existence = await with_a_rival(gateway.table)
        medians = {tool: await _difference(existence, tool) for tool in CALLS}

    record_property("median_difference_ms", medians)
    print(f"\n{store.kind}, foreign minus unknown, median of {PAIRS} pairs in ms: {medians}")
    assert all(abs(each) < MOST_MILLISECONDS for each in medians.values())


async def _difference(existence: Existence, tool: str) -> float:
    foreign = existence.ids[IDS[tool]]
    differences = []
    for number in range(PAIRS):
        order = (foreign, other_id(foreign)) if number % 2 else (other_id(foreign), foreign)
        took = {given: await _seconds(existence, tool, given) for given in order}
        differences.append(took[foreign] - took[other_id(foreign)])
    return round(statistics.median(differences) * 1000, 4)


async def _seconds(existence: Existence, tool: str, given: str) -> float:
    began = time.perf_counter()
    await existence.agent.tries(tool, **CALLS[tool](given))
    return time.perf_counter() - began
