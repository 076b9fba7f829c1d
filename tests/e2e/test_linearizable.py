"""Sections, tasks, memory and scratchpads behave as if one after the other had touched them, also across a kill."""

from pathlib import Path

import pytest

from tests.e2e.linearizable import recorded, summary
from tests.e2e.servers import Processes, place_of
from tests.histories.versions import anomalies
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def test_what_eight_clients_saw_has_one_order(processes: Processes, store: Store, tmp_path: Path) -> None:
    history = await recorded(processes, place_of(store, tmp_path), operations=2_000, kills=2)

    assert anomalies(history) == []
    assert all(summary(history)[kind] > 100 for kind in ("write", "read", "refused"))
