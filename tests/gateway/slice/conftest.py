"""A gateway for every promise, on each store: with auth off, and with two tenants behind tokens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.gateway.slice.gateway import AUTH_ON, GatewayServer, opened
from tests.stores import Store, anyio_backend, login, postgres, replicated, store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]


@pytest.fixture
async def gateway(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    async with opened(store, tmp_path) as result:
        yield result


@pytest.fixture
async def gateway_with_auth(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    """Auth is on; the tenants acme and rival have an orchestrator each."""
    async with opened(store, tmp_path, AUTH_ON) as result:
        yield result
