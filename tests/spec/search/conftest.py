"""Two tables: one that searches by words alone, and one whose model understands what is asked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.schemas import PostgresLogin, administer
from tests.stores import Store, replicated
from tests.table import Agent, Table, open_table
from tests.vectors.conftest import WITH_VECTORS

__all__ = ["replicated"]


@pytest.fixture
async def vector_store(store: Store, login: PostgresLogin | None) -> Store:
    """Each store in turn, with what it needs to keep vectors."""
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    return store


@pytest.fixture
async def library(vector_store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """With the real model, which is not loaded yet."""
    async with open_table(vector_store, tmp_path, enable_semantic_search="true") as opened:
        yield opened


@pytest.fixture
async def reader(library: Table) -> Agent:
    return library.agent("ann", await library.session("sess_one"))
