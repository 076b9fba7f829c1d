"""Both stores with vectors in them, a fake model that is quick, and the real one, loaded once."""

from collections.abc import AsyncIterator

import pytest

from longtable.embedding.worker import EmbeddingWorker
from longtable.settings.options import Settings
from longtable.storage.database import Database
from tests.schemas import PostgresLogin, administer
from tests.stores import Store, anyio_backend, login, postgres, replicated
from tests.stores import new_store as store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]

WITH_VECTORS = """
DO $$ BEGIN CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
EXCEPTION WHEN unique_violation THEN NULL; END $$"""


@pytest.fixture
async def place(store: Store, login: PostgresLogin | None) -> Store:
    """Each store in turn, with what it needs to keep vectors."""
    if login is not None:
        await administer(login.admin_url, WITH_VECTORS)
    return store


@pytest.fixture
async def database(place: Store) -> Database:
    return await place.open()


@pytest.fixture(scope="session")
async def model() -> AsyncIterator[EmbeddingWorker]:
    worker = EmbeddingWorker(Settings())
    yield worker
    await worker.close()
