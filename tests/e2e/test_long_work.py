"""Agents and people on two servers that come and go: all that is said arrives, and every write counts once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.long_work_check import figures, recorded
from tests.e2e.servers import Processes, place_of
from tests.histories.delivery import anomalies
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


async def test_nothing_is_missed_and_nothing_happens_twice_though_servers_come_and_go(
    processes: Processes, store: Store, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    history, faults = await recorded(processes, store, place_of(store, tmp_path), seconds=8, pause=1.5)

    seen = figures(history, faults)
    record_property("figures", seen)
    assert anomalies(history) == []
    assert min(seen["writes"], seen["due"], seen["cut"], seen["SIGKILL"], seen["SIGTERM"]) > 0
