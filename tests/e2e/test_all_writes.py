"""Every tool that writes, cut off by the death of the server."""

from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.all_writes import check_kills
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


async def test_whatever_was_acknowledged_is_remembered_by_its_key_after_a_kill(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    history = await check_kills(processes, place_of(store, tmp_path), kills=2)

    tools = Counter(call.tool for call in history.results)
    assert len(tools) >= 15
