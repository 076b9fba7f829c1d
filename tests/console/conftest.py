"""One Chromium for all tests of the console, and a server for each file of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.console.chromium import chromium
from tests.console.desk import Desk, laid_desk
from tests.e2e.servers import Processes, processes_in

# Five times the second in which people shall see what agents do: these machines are noisy.
expect.set_options(timeout=5_000)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker runs them all: two browsers at a time would only wait for each other."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("console"))
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes_in(tmp_path_factory.mktemp("work")) as own:
        yield own


@pytest.fixture(scope="module")
def desk(browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with laid_desk(browser, processes, tmp_path_factory.mktemp("data")) as laid:
        yield laid
