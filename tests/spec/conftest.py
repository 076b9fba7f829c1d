"""A table for every promise: on each store, with auth off, and with two tenants behind tokens."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.stores import Store, anyio_backend, login, postgres, store
from tests.table import TRANSPORT, Agent, Table, open_table

__all__ = ["anyio_backend", "login", "postgres", "store"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if TRANSPORT != "balancer":
        return
    left_out = [item for item in items if item.get_closest_marker("in_process") is not None]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture
async def table(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(store, tmp_path) as opened:
        yield opened


@pytest.fixture
async def company(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """Auth is on; the tenants acme and rival have an orchestrator each."""
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret,rival:rival-secret") as opened:
        yield opened


@pytest.fixture
async def session(table: Table) -> str:
    return await table.session("sess_one")


@pytest.fixture
def alice(table: Table, session: str) -> Agent:
    return table.agent("alice", session)


@pytest.fixture
def bob(table: Table, session: str) -> Agent:
    return table.agent("bob", session)
