"""One reference backend for all tests; each of them finds it as new."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from tests.gateway.mindscape.gateway import BackendGateway, opened
from tests.gateway.mindscape.reference import ReferenceBackend, started
from tests.stores import Store, anyio_backend, login, postgres, replicated

__all__ = ["anyio_backend", "login", "postgres", "replicated"]


@pytest.fixture(scope="session")
async def address() -> AsyncIterator[str]:
    async with started() as url:
        yield url


@pytest.fixture
async def backend(address: str) -> AsyncIterator[ReferenceBackend]:
    async with httpx2.AsyncClient(base_url=address, timeout=10) as http:
        reference = ReferenceBackend(address, http)
        await reference.reset()
        yield reference


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store("sqlite", str(tmp_path / "data" / "longtable.db"))


@pytest.fixture
async def gateway(store: Store, tmp_path: Path, backend: ReferenceBackend) -> AsyncIterator[BackendGateway]:
    async with opened(store, tmp_path, backend.url) as place:
        yield place
