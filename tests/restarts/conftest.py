"""Stores, processes that end with the test, and the clients that `make client-tools` installs."""

import pytest

from tests.e2e.conftest import anyio_backend, login, postgres, processes, replicated, store
from tests.restarts.clients import TOOLS

__all__ = ["anyio_backend", "login", "postgres", "processes", "replicated", "store"]


@pytest.fixture(scope="session", autouse=True)
def client_tools() -> None:
    if not (TOOLS / ".installed").exists():
        pytest.skip("the clients are not installed: run `make client-tools`")
