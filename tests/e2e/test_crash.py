"""A server that dies in the middle of its work: whatever it has acknowledged is there when it comes back."""

from pathlib import Path

import pytest

from tests.e2e.crashes import check_rounds
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]
ROUNDS = {"sqlite": 3, "postgresql": 2}


async def test_no_acknowledged_note_is_lost_and_log_and_notes_agree_after_each_kill(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_rounds(processes, store, place_of(store, tmp_path), ROUNDS[store.kind])
