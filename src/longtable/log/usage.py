"""How much each tenant has stored: the last count plus what was written since, counted again near the limit. So the
estimate is never too low, and too high only until the next count."""

import asyncio
import time
from typing import Final

from longtable.kernel.call_limits import CallLimits
from longtable.kernel.clock import Clock
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.storage.database import SYSTEM, Database, Dialect, Transaction

EVERY_SECONDS: Final = 1.0
COUNT_AGAIN_SECONDS: Final = 60.0
PAUSE_FACTOR: Final = 20
"""After a count, a pause of at least so many times its duration."""

_TEXTS: Final = {
    "notes": ("content", "tags"),
    "section_versions": ("content",),
    "tasks": ("description", "metadata"),
    "task_notes": ("text",),
    "questions": ("question", "context", "answer"),
    "messages": ("content", "metadata"),
    "memory": ("value",),
    "scratchpads": ("metadata",),
    "cell_texts": ("content", "json_schema"),
    "scratchpad_schemas": ("document",),
    "sessions": ("purpose", "metadata"),
    "events": ("payload",),
    "idempotency": ("result",),
    "imported_records": ("record",),
}
"""The columns with content of callers, by table."""


class TenantUsage:
    """Follows the tenants that write in this process, and sets in `limits` which of them are full."""

    def __init__(self, database: Database, clock: Clock, limits: CallLimits, limit: int) -> None:
        self._database = database
        self._clock = clock
        self._limits = limits
        self._limit = limit
        self._count_next: dict[str, float] = {}
        self.count_again_seconds = COUNT_AGAIN_SECONDS
        self.pause_factor = PAUSE_FACTOR

    async def run(self) -> None:
        while self._limit:
            try:
                await self.check()
            except LongtableError as error:
                logger.warning("usage_not_counted", code=error.code)
            await asyncio.sleep(EVERY_SECONDS)

    async def check(self) -> None:
        """Checks the tenants that have written since the last check, and those that are full, also by what other
        processes have written."""
        if not self._limit:
            return
        full = set(self._limits.full_tenants)
        full |= await self._database.read(SYSTEM, lambda tx: _at_limit(tx, self._limit))
        for tenant in self._limits.take_writers() | full:
            if await self._is_full(tenant):
                full.add(tenant)
            else:
                full.discard(tenant)
        self._limits.full_tenants = frozenset(full)

    async def _is_full(self, tenant: str) -> bool:
        stored = await self._database.read(SYSTEM, lambda tx: _estimate(tx, tenant))
        if stored is not None and stored < self._limit:
            return False
        if time.monotonic() >= self._count_next.get(tenant, 0.0):
            stored = await self._count(tenant)
        return stored is not None and stored >= self._limit

    async def _count(self, tenant: str) -> int:
        began = time.monotonic()
        written, stored = await self._database.read(SYSTEM, lambda tx: _stored(tx, tenant))

        async def body(tx: Transaction) -> None:
            await tx.execute(
                """INSERT INTO tenant_usage (tenant, stored_bytes, written_at_count, counted_at)
                   VALUES (:tenant, :stored, :written, :now)
                   ON CONFLICT (tenant) DO UPDATE SET stored_bytes = excluded.stored_bytes,
                       written_at_count = excluded.written_at_count, counted_at = excluded.counted_at""",
                tenant=tenant,
                stored=stored,
                written=written,
                now=self._clock(),
            )

        await self._database.write(SYSTEM, body)
        took = time.monotonic() - began
        self._count_next[tenant] = time.monotonic() + max(self.count_again_seconds, took * self.pause_factor)
        return stored


async def _at_limit(tx: Transaction, limit: int) -> set[str]:
    rows = await tx.all(
        """SELECT tenant_usage.tenant FROM tenant_usage JOIN audit_heads ON audit_heads.tenant = tenant_usage.tenant
           WHERE tenant_usage.stored_bytes + audit_heads.written_bytes - tenant_usage.written_at_count >= :limit""",
        limit=limit,
    )
    return {str(row["tenant"]) for row in rows}


async def _estimate(tx: Transaction, tenant: str) -> int | None:
    """None before it was ever counted."""
    row = await tx.first(
        """SELECT tenant_usage.stored_bytes + audit_heads.written_bytes - tenant_usage.written_at_count AS bytes
           FROM tenant_usage JOIN audit_heads ON audit_heads.tenant = tenant_usage.tenant
           WHERE tenant_usage.tenant = :tenant""",
        tenant=tenant,
    )
    return None if row is None else int(row["bytes"])


async def _stored(tx: Transaction, tenant: str) -> tuple[int, int]:
    """Reads the bytes written first: what is written meanwhile is counted twice rather than never."""
    head = await tx.first("SELECT written_bytes FROM audit_heads WHERE tenant = :tenant", tenant=tenant)
    total = 0
    for table, columns in _TEXTS.items():
        sizes = " + ".join(_size(tx.dialect, column) for column in columns)
        row = await tx.first(f"SELECT SUM({sizes}) AS bytes FROM {table} WHERE tenant = :tenant", tenant=tenant)
        total += int(row["bytes"] or 0) if row else 0
    return (int(head["written_bytes"]) if head else 0), total


def _size(dialect: Dialect, column: str) -> str:
    size = f"LENGTH(CAST({column} AS BLOB))" if dialect == "sqlite" else f"OCTET_LENGTH({column})"
    return f"COALESCE({size}, 0)"
