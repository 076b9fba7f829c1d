"""Joins the model, the store of its vectors, and what embeds and finds."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from longtable.embedding.worker import EmbeddingWorker
from longtable.kernel.background import BackgroundTasks
from longtable.kernel.clock import Clock
from longtable.settings.options import Settings
from longtable.storage.database import Database
from longtable.vectors.indexer import Indexer
from longtable.vectors.meaning import VectorSearch
from longtable.vectors.nearest import Nearest
from longtable.vectors.store import VectorStore
from longtable.vectors.texts import IndexedTexts
from longtable.vectors.word_indexer import WordIndexer


@dataclass(frozen=True, slots=True)
class VectorSlice:
    meaning: VectorSearch
    words: WordIndexer
    indexer: Indexer
    closers: list[Callable[[], Awaitable[None]]]


def join_vectors(
    settings: Settings, database: Database, background: BackgroundTasks, clock: Clock, texts: Mapping[str, IndexedTexts]
) -> VectorSlice:
    """One model for both: a second one would take as much memory again."""
    worker, store = EmbeddingWorker(settings, background), VectorStore(database)
    indexer = Indexer(store, worker, texts, clock, settings.embedding_max_backlog)
    return VectorSlice(
        meaning=VectorSearch(worker, Nearest(store, lambda: worker.version)),
        words=WordIndexer(database, texts, indexer.wake),
        indexer=indexer,
        closers=[worker.close, indexer.close],
    )
