"""The same as in tests/e2e, with a store that is large enough for checkpoints, and at many moments."""

from pathlib import Path

import pytest

from tests.e2e.power_loss import WatchedProcesses, cut_the_power, run_under_load

pytestmark = pytest.mark.timeout(900)


async def test_fifty_power_cuts_cost_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    processes = WatchedProcesses(tmp_path)
    try:
        acknowledged = await run_under_load(processes, {}, writes=4_000)

        found = await cut_the_power(processes, acknowledged, cuts=50, verified=50)
    finally:
        processes.end()

    assert (found.lost, found.damaged) == (0, 0)
