"""A page costs the same whatever lies behind it, and so does one thing more.

The goal is 1.5 times; the gate leaves room for a machine that has other things to do. Both sessions are in one store,
so that rounds can take turns; `python -m benchmarks --only growth` compares a small store with a large one."""

import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from statistics import median

import pytest

from benchmarks.preload import CONTENT, add_messages, add_notes, call_in
from longtable.app import App
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1200)]

GATE = 3.0
FEW, MANY = 1_000, 100_000
SIZES = {"few": FEW, "many": MANY}
LIMITS = {"max_notes": "1000000", "max_messages": "1000000"}
ROUNDS, CALLS = 15, 10

Call = Callable[[str], Awaitable[object]]
Report = Callable[[str, object], None]


async def test_fifty_of_a_hundred_thousand_messages_are_read_as_fast_as_fifty_of_a_thousand(
    store: Store, tmp_path: Path, record_property: Report
) -> None:
    async with open_table(store, tmp_path, **LIMITS) as table:
        await _fill(table, add_messages)

        pages: dict[str, dict[str, object]] = {
            "after an id": {"limit": 50, "after_id": FEW // 2},
            "the first": {"limit": 50, "order": "oldest"},
            "the newest": {"limit": 50},
        }
        ratios = {name: await _ratio(_call(table.app, "get_messages", page)) for name, page in pages.items()}

    _check(ratios, record_property)


async def test_with_a_hundred_thousand_notes_they_are_read_and_added_as_fast_as_with_a_thousand(
    store: Store, tmp_path: Path, record_property: Report
) -> None:
    async with open_table(store, tmp_path, **LIMITS) as table:
        await _fill(table, lambda app, session, count: add_notes(app, count, session))

        note = {"content": CONTENT.format(number=0), "tags": ["importer"]}
        ratios = {
            "first page": await _ratio(_call(table.app, "read_notes", {"limit": 50, "order": "oldest"})),
            "newest page": await _ratio(_call(table.app, "read_notes", {"limit": 50})),
            "add": await _ratio(_call(table.app, "add_note", note)),
        }

    _check(ratios, record_property)


async def _fill(table: Table, fill: Callable[[App, str, int], Awaitable[object]]) -> None:
    for session, count in SIZES.items():
        await table.session(session)
        await fill(table.app, session, count)


def _call(app: App, tool: str, arguments: Mapping[str, object]) -> Call:
    async def call(session: str) -> None:
        await call_in(app, session, tool, arguments)

    return call


async def _ratio(call: Call) -> float:
    """The median of the ratios of many rounds, in which both take turns."""
    ratios = []
    for _ in range(ROUNDS):
        taken: dict[str, list[float]] = {session: [] for session in SIZES}
        for _ in range(CALLS):
            for session, times in taken.items():
                began = time.perf_counter()
                await call(session)
                times.append(time.perf_counter() - began)
        ratios.append(median(taken["many"]) / median(taken["few"]))
    return median(ratios)


def _check(ratios: dict[str, float], record_property: Report) -> None:
    for name, ratio in ratios.items():
        record_property(name, round(ratio, 2))
        print(f"{name}: {ratio:.2f} x")
    assert max(ratios.values()) <= GATE, ratios
