"""When scratchpads were last read: kept in memory, written in batches, and respected by evictions."""

import asyncio
from collections import defaultdict

from longtable.kernel.background import BackgroundTask
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.log.ledger import Ledger
from longtable.notebooks import store
from longtable.storage.database import Transaction

FLUSH_SECONDS = 4.0
"""A read is stored within five seconds."""


class Access:
    """A read costs no write: its time waits here for the next batch. An eviction counts what waits."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._read_at: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._flushing: BackgroundTask | None = None
        self._writing = asyncio.Lock()

    def read(self, tenant: str, pad: int) -> None:
        self._read_at[tenant][pad] = self._ledger.clock()
        if self._flushing is None or self._flushing.done():
            self._flushing = self._ledger.background.start("access_times", self._flush_later)

    def waiting(self, tenant: str) -> dict[int, int]:
        """A copy: the transaction that uses it may run in another thread."""
        return dict(self._read_at.get(tenant, {}))

    async def flush(self) -> None:
        async with self._writing:
            while self._read_at:
                tenant, times = self._read_at.popitem()
                try:
                    await self._write(tenant, times)
                except Exception:
                    self._read_at[tenant] = {**times, **self._read_at[tenant]}
                    raise

    async def close(self) -> None:
        # Not in the middle of a write: its batch would be lost.
        async with self._writing:
            if self._flushing is not None:
                self._flushing.cancel()
        await self.flush()

    async def _write(self, tenant: str, times: dict[int, int]) -> None:
        async def body(tx: Transaction) -> None:
            await store.touch(tx, times)

        await self._ledger.database.write(tenant, body)

    async def _flush_later(self) -> None:
        while self._read_at:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
            except LongtableError as error:
                logger.warning("access_delayed", code=error.code)
