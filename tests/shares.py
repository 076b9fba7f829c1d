"""A pytest plugin: what one of several workers runs in one go."""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

_ONE_SHARE = ("tests/console/", "tests/conformance/", "tests/restarts/")
"""Two browsers, conformance suites or crowds of clients at once are more than a small machine keeps up with."""


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    return Shares(config, log)


class Shares(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist comes without types
    """A file is a share, as what its tests need is often set up once for all of them; some folders are one as well."""

    def _split_scope(self, nodeid: str) -> str:
        whole = next((folder for folder in _ONE_SHARE if nodeid.startswith(folder)), None)
        return whole or nodeid.split("::", 1)[0]
