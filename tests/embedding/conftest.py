"""The model, loaded once, and a worker for each test that asks for one."""

import os
from collections.abc import AsyncIterator

import pytest

# As in the process of the model, and before numpy is loaded: threads that share busy cores are slower than one.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

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
