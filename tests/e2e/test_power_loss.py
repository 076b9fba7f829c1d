"""A power cut at any moment: the disk keeps what was synced, and of the rest anything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.power_loss import WatchedProcesses, cut_the_power, run_under_load

pytestmark = pytest.mark.slow


@pytest.fixture
def watched_processes(tmp_path: Path) -> Iterator[WatchedProcesses]:
    processes = WatchedProcesses(tmp_path)
    yield processes
    processes.end()


async def test_a_power_cut_costs_nothing_that_was_acknowledged(watched_processes: WatchedProcesses) -> None:
    acknowledged = await run_under_load(watched_processes, {}, writes=600)

    found = await cut_the_power(watched_processes, acknowledged, cuts=10, verified=2)

    assert (found.lost, found.damaged) == (0, 0)


async def test_with_less_durability_the_newest_is_lost_and_the_store_is_whole(
    watched_processes: WatchedProcesses,
) -> None:
    """The control: a commit that is not synced before its answer is noticed by the test above."""
    acknowledged = await run_under_load(watched_processes, {"durability": "fast"}, writes=300)

    found = await cut_the_power(watched_processes, acknowledged, cuts=10, verified=2)

    assert found.lost > 0
    assert found.damaged == 0


async def test_a_disk_that_does_not_sync_loses_what_was_acknowledged(watched_processes: WatchedProcesses) -> None:
    """The control for a store without syncs at all, as with `synchronous=OFF`."""
    watched_processes.ignores_syncs = True
    acknowledged = await run_under_load(watched_processes, {}, writes=100)

    found = await cut_the_power(watched_processes, acknowledged, cuts=5)

    assert found.lost + found.damaged > 0
