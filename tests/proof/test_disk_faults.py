"""The same as in tests/e2e, at every change."""

from itertools import count
from pathlib import Path

import pytest

from tests.disks.failing_disk import BROKEN, FULL, READ_ONLY, Fault
from tests.e2e.disk_faults import check_each_fault

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("fault", [FULL, BROKEN, READ_ONLY], ids=lambda fault: fault.name)
async def test_every_change_of_the_disk_may_fail(tmp_path: Path, fault: Fault) -> None:
    assert await check_each_fault(tmp_path, fault, count(1)) >= 170
