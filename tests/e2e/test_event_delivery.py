"""An event is with its subscribers soon after its commit. The benchmark measures how soon; this allows for load."""

from pathlib import Path

import pytest

from benchmarks.delivery import DeliveryLoad, within_a_process
from benchmarks.measure import percentile

LIMIT_MS = 250
"""Five times the goal."""


@pytest.mark.slow
async def test_of_a_hundred_subscribers_95_in_100_have_an_event_within_a_quarter_of_a_second(tmp_path: Path) -> None:
    load = DeliveryLoad(sessions=10, subscribers=10, writes_per_second=50, seconds=2.0)

    latencies = await within_a_process(tmp_path / "data", load)

    assert len(latencies) == 10 * 50 * 2
    assert percentile(latencies, 0.95) < LIMIT_MS
