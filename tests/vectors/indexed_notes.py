"""Texts that wait, and an indexer at work on them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from longtable.fulltext import index
from longtable.fulltext.index import SearchDocument
from longtable.kernel.clock import system_clock
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.vectors.indexer import Indexer
from longtable.vectors.nearest import Nearest
from longtable.vectors.ports import TextEmbedder
from longtable.vectors.store import VectorStore
from longtable.vectors.texts import IndexedTexts
from tests.vectors.synthetic import EVERYTHING, MadeUpModel

SOON = 40.0


@dataclass
class IndexedNotes:
    """The notes of some tenants, kept here, and indexed in a store."""

    database: Database
    model: TextEmbedder = field(default_factory=MadeUpModel)
    notes: dict[tuple[str, str], SearchDocument] = field(default_factory=dict)

    def indexer(self) -> Indexer:
        texts = IndexedTexts(self._read, "")
        return Indexer(VectorStore(self.database), self.model, {"note": texts}, system_clock)

    async def adds(self, ref: str, text: str, tenant: str = "acme") -> None:
        note = SearchDocument("note", f"s-{tenant}", ref, text)
        await self.database.write(tenant, lambda tx: index.add(tx, note))
        self.notes[f"s-{tenant}", ref] = note

    async def removes(self, ref: str, tenant: str = "acme") -> None:
        note = self.notes.pop((f"s-{tenant}", ref))
        await self.database.write(tenant, lambda tx: index.remove(tx, note))

    async def finds(self, words: str, tenant: str = "acme") -> list[str]:
        """Refs, the nearest first."""
        query = await self.model.embed_query(words)
        assert query is not None
        nearest = Nearest(VectorStore(self.database), lambda: self.model.version)
        found = await nearest.find(tenant, [f"s-{tenant}"], query, EVERYTHING, 100)
        refs = await self.rows("SELECT document_id, ref FROM documents")
        names = {row["document_id"]: row["ref"] for row in refs}
        return [names[near.document_id] for near in found]

    async def rows(self, sql: str) -> list[Any]:
        return await self.database.read(SYSTEM, lambda tx: tx.all(sql))

    async def waiting(self) -> list[str]:
        return [row["ref"] for row in await self.rows("SELECT ref FROM documents WHERE embedded IS NULL")]

    async def _read(self, tx: Transaction, session_id: str, refs: Sequence[str]) -> dict[str, SearchDocument]:
        return {ref: self.notes[session_id, ref] for ref in refs if (session_id, ref) in self.notes}


@asynccontextmanager
async def at_work(indexer: Indexer) -> AsyncIterator[Indexer]:
    running = asyncio.create_task(indexer.run())
    try:
        yield indexer
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await indexer.close()


async def until(holds: Callable[[], Awaitable[Any]], within: float = SOON) -> None:
    """Waits for a condition that only the store can tell."""
    async with asyncio.timeout(within):
        while not await holds():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)


@contextmanager
def gaps() -> Iterator[list[float]]:
    """How long the event loop was held up at most, while in this block, in seconds; filled in at its end."""
    loop = asyncio.get_running_loop()
    longest = [0.0]
    last = loop.time()
    is_over = False

    def tick() -> None:
        nonlocal last
        now = loop.time()
        longest[0] = max(longest[0], now - last - 0.005)
        last = now
        if not is_over:
            loop.call_later(0.005, tick)

    loop.call_soon(tick)
    try:
        yield longest
    finally:
        is_over = True
        longest[0] = max(longest[0], loop.time() - last - 0.005)
