"""When scratchpads were last read: kept in memory, written together, and asked before anything is evicted."""

import asyncio
from collections import defaultdict

from longtable.kernel.background import BackgroundTask
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger
from longtable.notebooks import store
from longtable.storage.database import Transaction

FLUSH_SECONDS = 4.0
"""A moment of reading reaches the store within five."""


class Access:
    """A read costs no write: its moment waits here with others. Who evicts takes what waits into account."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._moments: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._flushing: BackgroundTask | None = None
        self._writing = asyncio.Lock()

    def read(self, tenant: str, pad: int) -> None:
        self._moments[tenant][pad] = self._ledger.clock()
        if self._flushing is None or self._flushing.done():
            self._flushing = self._ledger.background.start("access_times", self._flush_later)

    def waiting(self, tenant: str) -> dict[int, int]:
        """A copy: the transaction that uses it may run in another thread."""
        return dict(self._moments.get(tenant, {}))

    async def flush(self) -> None:
        async with self._writing:
            while self._moments:
                tenant, moments = self._moments.popitem()
                try:
                    await self._write(tenant, moments)
                except Exception:
                    self._moments[tenant] = {**moments, **self._moments[tenant]}
                    raise

    async def close(self) -> None:
        # Not in the middle of a write: what that has in its hands would be lost.
        async with self._writing:
            if self._flushing is not None:
                self._flushing.cancel()
        await self.flush()

    async def _write(self, tenant: str, moments: dict[int, int]) -> None:
        async def body(tx: Transaction) -> None:
            await store.touch(tx, moments)

        await self._ledger.database.write(tenant, body)

    async def _flush_later(self) -> None:
        while self._moments:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
            except LongtableError as error:
                logger.warning("access_delayed", code=error.code)
