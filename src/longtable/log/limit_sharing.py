"""Feeds the limits of this process: with the counts of other processes, and with what tenants have stored."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from longtable.kernel.background import BackgroundTasks
from longtable.kernel.call_limits import CallLimits, SharedCounts
from longtable.kernel.errors import LongtableError
from longtable.log.count_exchange import CountExchange
from longtable.log.ledger import Ledger
from longtable.log.usage import TenantUsage


@dataclass(frozen=True, slots=True)
class LimitSharing:
    counts: CountExchange
    usage: TenantUsage

    @classmethod
    def of(
        cls, ledger: Ledger, limits: CallLimits, lasting: Mapping[str, SharedCounts], max_bytes: int
    ) -> "LimitSharing":
        database = ledger.database
        return cls(CountExchange(database, limits, lasting), TenantUsage(database, ledger.clock, limits, max_bytes))

    @asynccontextmanager
    async def running(self, background: BackgroundTasks) -> AsyncIterator[None]:
        tasks = [background.start("limit_counts", self.counts.run), background.start("stored_bytes", self.usage.run)]
        try:
            yield
        finally:
            for task in tasks:
                await task.stop()
            with suppress(LongtableError):
                await self.counts.leave()
