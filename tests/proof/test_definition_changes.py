"""Five hundred changes of tools, with short and long lists, quick and slow ones: none is run unseen."""

from pathlib import Path

import pytest

from tests.gateway.slice import definition_changes as changing
from tests.gateway.slice.shifting_upstream import shifting
from tests.stores import Store

_SHORT, _SLOW, _LONG = (5, False), (5, True), (2_000, False)
"""How many tools are listed, and whether that takes its time."""


@pytest.mark.parametrize(
    ("promise", "attempt", "lists", "count"),
    [
        ("silent", changing.called_before, _SHORT, 150),
        ("silent", changing.called_before, _SLOW, 30),
        ("silent", changing.called_before, _LONG, 30),
        ("silent", changing.while_listing, _SHORT, 40),
        ("silent", changing.approved_before, _SHORT, 60),
        ("promises", changing.approved_before, _SHORT, 60),
        ("promises", changing.approved_before, _SLOW, 20),
        ("promises", changing.approved_before, _LONG, 30),
        ("promises", changing.reported, _SHORT, 60),
        ("promises", changing.reported, _LONG, 20),
    ],
)
async def test_no_changed_tool_is_run_unseen(
    store: Store, tmp_path: Path, promise: str, attempt: changing.Attempt, lists: tuple[int, bool], count: int
) -> None:
    tools, slow = lists
    async with shifting(store, tmp_path, promise, tools) as upstream:
        if slow:
            (upstream.folder / "slow").touch()

        assert await changing.run_unseen(upstream, attempt, changing.changes(count, seed=count)) == []
