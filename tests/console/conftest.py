"""Browsers for all of these tests, and a server for each file of them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.console.chromium import chromium, whole_chromium
from tests.console.console_server import ConsoleServer, serving_console
from tests.e2e.servers import Processes, processes_in

# Many times the second in which people shall see what agents do: these machines are noisy.
expect.set_options(timeout=40_000)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Each needs a browser and a server."""
    item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def windowless_browser() -> Iterator[Browser]:
    """Gone before tests of other folders begin: as long as it is there its event loop runs, and no other can."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="package")
def whole_browser(windowless_browser: Browser) -> Iterator[Browser]:
    """For what pages without a desktop around them do not have, such as its notices."""
    with whole_chromium(windowless_browser) as started:
        yield started


@pytest.fixture(scope="package")
def browser(windowless_browser: Browser) -> Browser:
    """A file of tests that needs the whole one says so by a fixture of this name."""
    return windowless_browser


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes_in(tmp_path_factory.mktemp("work")) as own:
        yield own


@pytest.fixture(scope="module")
def console(
    browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ConsoleServer]:
    with serving_console(browser, processes, tmp_path_factory.mktemp("data")) as started:
        yield started
