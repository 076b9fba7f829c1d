"""The model, loaded once, and a worker for each test that asks for one."""

from collections.abc import AsyncIterator

import pytest

from longtable.embedding.embedder import Embedder
from longtable.embedding.worker import EmbeddingWorker
from longtable.settings.options import Settings


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    embedder = Embedder()
    embedder.load()
    return embedder


@pytest.fixture
async def worker() -> AsyncIterator[EmbeddingWorker]:
    worker = EmbeddingWorker(Settings())
    yield worker
    await worker.close()
