"""One idempotency key has one effect: in twenty processes at once, and when the one that runs it is killed."""

from pathlib import Path

from tests.e2e.one_effect import check_one_effect, check_unknown_outcome
from tests.e2e.servers import Processes, place_of
from tests.stores import Store

MANY = 20


async def test_twenty_processes_with_one_key_have_one_effect(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_one_effect(processes, place_of(store, tmp_path), tmp_path, MANY)


async def test_a_call_whose_process_was_killed_is_not_run_again(
    processes: Processes, store: Store, tmp_path: Path
) -> None:
    await check_unknown_outcome(processes, place_of(store, tmp_path), tmp_path)
