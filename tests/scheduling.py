"""A pytest plugin: what a worker of pytest-xdist runs in one go, and what is begun first."""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_ONE_UNIT = ("tests/console/", "tests/conformance/", "tests/restarts/")
"""Two browsers, conformance suites or groups of clients at once are more than a small machine keeps up with."""

_LONGEST_FIRST = (
    "tests/console/",
    "tests/spec/test_tenant_walls.py",
    "tests/spec/test_mixed_tenants.py",
    "tests/spec/test_fuzz.py",
    "tests/restarts/",
    "tests/search_quality/",
    "tests/e2e/test_docs",
    "tests/e2e/test_demo",
    "tests/e2e/",
    "tests/recipes/",
    "tests/conformance/",
    "tests/embedding/",
    "tests/validation/",
    "tests/vectors/",
    "tests/gateway/upstreams/",
)
"""What takes minutes must not be begun at the end, when the other workers have nothing left to do."""


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    # The order of `pytest_collection_modifyitems` counts, not the number of tests in a file.
    config.option.loadscopereorder = False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: _place(item.nodeid))


def _place(nodeid: str) -> int:
    return next((at for at, start in enumerate(_LONGEST_FIRST) if nodeid.startswith(start)), len(_LONGEST_FIRST))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return FileScheduling(config, log)


class FileScheduling(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist comes without types
    """A file is a unit, as what its tests need is often set up once for all of them; some folders are one as well."""

    def _split_scope(self, nodeid: str) -> str:
        whole = next((folder for folder in _ONE_UNIT if nodeid.startswith(folder)), None)
        return whole or nodeid.split("::", 1)[0]
