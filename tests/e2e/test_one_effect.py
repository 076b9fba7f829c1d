"""The same with fewer processes as in tests/proof."""

from pathlib import Path

from tests.e2e.one_effect import check_one_effect
from tests.e2e.servers import Processes, place_of
from tests.stores import Store


async def test_three_processes_with_one_key_have_one_effect(processes: Processes, store: Store, tmp_path: Path) -> None:
    await check_one_effect(processes, place_of(store, tmp_path), tmp_path, 3)
