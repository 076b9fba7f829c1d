"""The same as in tests/e2e, in the full number."""

from pathlib import Path

from tests.e2e.crowd import check_that_nothing_is_lost
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

EACH = 1_000


async def test_a_thousand_notes_from_each_of_nine_processes_are_all_kept(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_that_nothing_is_lost(processes, place_of(store, tmp_path), EACH)
