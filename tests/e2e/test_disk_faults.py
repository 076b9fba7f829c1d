"""A disk that is full, broken or read-only at any of the changes that a few calls make to it."""

from pathlib import Path

import pytest

from tests.disks.failing_disk import BROKEN, FORGETFUL, FULL, READ_ONLY, Fault
from tests.e2e.disk_faults import check_each_fault
from tests.table import Refused

pytestmark = pytest.mark.slow
SOME = range(1, 1_000, 17)
"""In `make proof` it is every change."""


@pytest.mark.parametrize("fault", [FULL, BROKEN, READ_ONLY], ids=lambda fault: fault.name)
async def test_whichever_change_fails_nothing_acknowledged_is_lost_and_nothing_refused_is_stored(
    tmp_path: Path, fault: Fault
) -> None:
    assert await check_each_fault(tmp_path, fault, SOME) >= 10


async def test_a_disk_that_forgets_what_it_was_given_is_noticed_by_the_test_above(tmp_path: Path) -> None:
    """The control: nothing can help here, and the check says so."""
    with pytest.raises((AssertionError, Refused, ExceptionGroup)):
        await check_each_fault(tmp_path, FORGETFUL, [20])
