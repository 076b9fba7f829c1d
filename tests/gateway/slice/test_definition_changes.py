"""No change of a tool is run unseen where that is promised; the control shows that a run would be noticed. The same in
the full number is in tests/proof."""

from pathlib import Path

import pytest

from tests.gateway.slice import definition_changes as changing
from tests.gateway.slice.shifting_upstream import shifting
from tests.stores import Store

pytestmark = pytest.mark.slow

ATTEMPTS = [
    ("silent", changing.called_before, 10),
    ("silent", changing.while_listing, 2),
    ("silent", changing.approved_before, 2),
    ("promises", changing.approved_before, 2),
    ("promises", changing.reported, 2),
]


@pytest.mark.parametrize(("promise", "attempt", "count"), ATTEMPTS)
async def test_no_changed_tool_is_run_unseen(
    store: Store, tmp_path: Path, promise: str, attempt: changing.Attempt, count: int
) -> None:
    async with shifting(store, tmp_path, promise, tools=5) as upstream:
        assert await changing.run_unseen(upstream, attempt, changing.changes(count)) == []


async def test_a_changed_tool_that_was_run_is_noticed_by_this_test(store: Store, tmp_path: Path) -> None:
    async with shifting(store, tmp_path, "promises", tools=5) as upstream:
        assert len(await changing.run_unseen(upstream, changing.hidden, changing.changes(2))) == 2
