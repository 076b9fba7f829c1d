"""One server for all scenarios of all clients that a worker of pytest plays."""

from collections.abc import Iterator

import pytest

from tests.clients.harness import Harness, harness_in
from tests.stores import anyio_backend

__all__ = ["anyio_backend"]


@pytest.fixture(scope="session")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    with harness_in(tmp_path_factory.mktemp("clients")) as one:
        yield one
