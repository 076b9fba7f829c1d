"""200 backups under 16 writers: each restores to a prefix of the acknowledged history."""

from pathlib import Path

import pytest

from tests.e2e.backups import check_backups_under_load
from tests.e2e.servers import processes_in

pytestmark = [pytest.mark.proof, pytest.mark.timeout(3600)]


async def test_every_one_of_many_backups_is_a_prefix(tmp_path: Path) -> None:
    with processes_in(tmp_path) as processes:
        await check_backups_under_load(
            processes, {"data_dir": str(tmp_path / "data")}, tmp_path, backups=200, writers=16
        )
