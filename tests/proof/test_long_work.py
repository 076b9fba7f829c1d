"""The same as in tests/e2e, for an hour on each store, or as long as `make proof HOURS=` says."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.long_work_check import figures, recorded
from tests.e2e.servers import Processes, place_of
from tests.histories.delivery import anomalies
from tests.stores import Store

HOURS = float(os.environ.get("LONGTABLE_PROOF_HOURS") or 1)
pytestmark = pytest.mark.timeout(int(HOURS * 3600) + 1800)


async def test_hours_of_work_miss_nothing_and_do_nothing_twice(
    processes: Processes, store: Store, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    history, faults = await recorded(processes, store, place_of(store, tmp_path), HOURS * 3600, pause=5)

    seen = figures(history, faults)
    record_property("figures", seen)
    print(f"\n{store.kind}: {seen}")
    found = anomalies(history)
    assert not found, "\n".join(found)
