"""The hostile texts of tests/console, ten times as many: each in every field, each shown at every place."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import Browser

from tests.console.chromium import chromium
from tests.console.console_server import serving_console
from tests.console.hostile_table import HostileTable, gateway_file
from tests.console.hostile_tour import touring
from tests.console.hostile_visits import VISITS
from tests.e2e.servers import processes_in

COUNT, BATCH = 2_000, 200
pytestmark = pytest.mark.timeout(1_200)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_no_hostile_text_does_anything_anywhere(browser: Browser, tmp_path: Path, first: int) -> None:
    options = {"gateway_config": str(gateway_file(tmp_path, first, BATCH))}

    with (
        processes_in(tmp_path / "work") as processes,
        serving_console(browser, processes, tmp_path, **options) as console,
    ):
        with httpx2.Client(base_url=console.address, timeout=60) as client:
            table = HostileTable(client, first, BATCH)
            table.fill()
        for visit in VISITS.values():
            with touring(console) as tour:
                visit(tour, table)
