"""A gateway for every promise, on each store: with auth off, and with two tenants behind tokens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateway.slice.place import AUTH_ON, Place, opened
from tests.stores import Store, anyio_backend, login, postgres, replicated, store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]


@pytest.fixture
async def place(store: Store, tmp_path: Path) -> AsyncIterator[Place]:
    async with opened(store, tmp_path) as made:
        yield made


@pytest.fixture
async def company(store: Store, tmp_path: Path) -> AsyncIterator[Place]:
    """Auth is on; the tenants acme and rival have an orchestrator each."""
    async with opened(store, tmp_path, AUTH_ON) as made:
        yield made
