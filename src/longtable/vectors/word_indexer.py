"""Indexes the words of texts that wait: soon after they were written, many at once, and before anybody searches."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from longtable.fulltext import index, waiting
from longtable.kernel.errors import OutcomeUnknown, StoreUnavailable
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.vectors.texts import IndexedTexts, read_documents

INDEXED_AFTER: Final = 0.1
"""Seconds. What is written meanwhile is indexed together."""
_CHARACTERS: Final = 200_000
"""In one transaction."""


class WordIndexer:
    """`wake` it after every commit; `run` until cancelled. `on_indexed` is called when what had been written is in the
    index. Safe on many processes at once: each transaction looks again what waits."""

    def __init__(self, database: Database, texts: Mapping[str, IndexedTexts], on_indexed: Callable[[], None]) -> None:
        self._database = database
        self._texts = texts
        self._on_indexed = on_indexed
        self._is_woken = asyncio.Event()
        self._has_list = database.dialect == "sqlite"
        self.wake = self._is_woken.set

    async def run(self) -> None:
        # For what an earlier process has left, or an earlier run that failed.
        self.wake()
        while True:
            await self._is_woken.wait()
            if self._has_list:
                await asyncio.sleep(INDEXED_AFTER)
            self._is_woken.clear()
            await self.index_all()
            self._on_indexed()

    async def index_all(self) -> None:
        for tenant in await self._database.read(SYSTEM, waiting.tenants) if self._has_list else ():
            await self._index(tenant)

    async def is_complete(self, tenant: str) -> bool:
        """Indexes all that the tenant has written. False where the store cannot be written."""
        try:
            await self._index(tenant)
        except (StoreUnavailable, OutcomeUnknown):
            return False
        return True

    async def _index(self, tenant: str) -> None:
        if not self._has_list:
            return
        newest = await self._database.look_up(tenant, waiting.newest)
        while newest and await self._database.write(tenant, partial(self._index_some, up_to=newest)):
            continue

    async def _index_some(self, tx: Transaction, up_to: int) -> bool:
        """Whether there may be more."""
        some = await waiting.oldest(tx, up_to)
        documents = await read_documents(tx, self._texts, list(some.values()))
        # What is in no index any more is forgotten.
        await waiting.forget(tx, [place for place, key in some.items() if key not in documents])
        last = _within_limit({place: len(documents[key].text) for place, key in some.items() if key in documents})
        await index.add_waiting(tx, last, documents)
        await waiting.remove(tx, last)
        return last not in (0, up_to)


def _within_limit(characters: Mapping[int, int]) -> int:
    """Up to which place the texts have so many characters together, at least one of them."""
    last = total = 0
    for place, count in characters.items():
        total += count
        if last and total > _CHARACTERS:
            break
        last = place
    return last
