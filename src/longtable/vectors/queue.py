"""SQL for the queue of texts to embed. All of it runs in SYSTEM scope: it is the program's own work."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from longtable.fulltext import waiting as unindexed
from longtable.kernel.clock import SECOND
from longtable.storage.database import Row, Transaction
from longtable.storage.leases import ProcessLease

LEASE: Final = 5 * SECOND
"""Usually longer than the next texts take. Where it is not, two processes embed the same text, one of them in vain."""
_MARKED_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class QueuedDocument:
    tenant: str
    document_id: int
    kind: str
    session_id: str
    ref: str


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """How much to take at once: from each tenant in turn, beginning after the tenant `after`."""

    after: str
    each: int
    all: int


async def take(tx: Transaction, request: BatchRequest, without: Collection[int]) -> list[QueuedDocument]:
    """The newest of each tenant, which are looked for first. They stay in the queue, as this process may die."""
    taken: list[QueuedDocument] = []
    seen: set[str] = set()
    tenant: str | None = request.after
    while len(taken) < request.all:
        tenant = await _next_tenant(tx, tenant or "")
        tenant = tenant or await _next_tenant(tx, "")
        if tenant is None or tenant in seen:
            break
        seen.add(tenant)
        rows = await tx.all(
            """SELECT tenant, document_id, kind, session_id, ref FROM documents
               WHERE tenant = :tenant AND embedded IS NULL ORDER BY document_id DESC LIMIT :limit""",
            tenant=tenant,
            limit=request.each + len(without),
        )
        taken += [QueuedDocument(**row) for row in rows if row["document_id"] not in without][: request.each]
    return taken[: request.all]


async def count(tx: Transaction) -> int:
    row = await tx.first("SELECT COUNT(*) AS waiting FROM documents WHERE embedded IS NULL")
    assert row is not None
    return int(row["waiting"]) + await unindexed.count_all(tx)


async def any_embedded(tx: Transaction) -> bool:
    return await tx.first("SELECT 1 AS found FROM embedders LIMIT 1") is not None


async def outdated(tx: Transaction, embedder: int | None) -> list[Row]:
    """Some documents that another model has embedded."""
    return await tx.all(
        """SELECT tenant, document_id FROM documents
           WHERE embedded IS NOT NULL AND embedded <> :embedder LIMIT :limit""",
        embedder=embedder or 0,
        limit=_MARKED_AT_ONCE,
    )


async def requeue(tx: Transaction, documents: list[Row]) -> None:
    await tx.execute_many(
        "UPDATE documents SET embedded = NULL WHERE tenant = :tenant AND document_id = :document_id", documents
    )


def lease_of(holder: str) -> ProcessLease:
    """For the process that embeds."""
    return ProcessLease("embedding", holder, LEASE)


async def _next_tenant(tx: Transaction, tenant: str) -> str | None:
    row = await tx.first(
        "SELECT MIN(tenant) AS tenant FROM documents WHERE embedded IS NULL AND tenant > :tenant", tenant=tenant
    )
    return row["tenant"] if row else None
