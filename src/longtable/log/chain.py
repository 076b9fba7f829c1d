"""Writes the log's entries at the end of a transaction: numbers, events, and the hash chain of the audit."""

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter

from longtable.kernel.canonical import canonical, compact
from longtable.log.model import AuditRecord, LogEntry
from longtable.storage.database import Transaction

GENESIS = "0" * 64
_COLUMNS = AuditRecord.__slots__
_columns = attrgetter(*_COLUMNS)
_tenant = attrgetter("tenant")

_INSERT_EVENT = """
    INSERT INTO events (tenant, seq, session_id, kind, actor, actor_type, visibility, payload, created_at)
    VALUES (:tenant, :seq, :session_id, :kind, :actor, :actor_type, :visibility, :payload, :created_at)"""

_INSERT_AUDIT = """
    INSERT INTO audit (tenant, seq, event_type, operation, session_id, agent_id, agent_type, role, surface,
        object, outcome, arguments_digest, metadata, created_at, previous, digest)
    VALUES (:tenant, :seq, :event_type, :operation, :session_id, :agent_id, :agent_type, :role, :surface,
        :object, :outcome, :arguments_digest, :metadata, :created_at, :previous, :digest)"""


async def append(tx: Transaction, entries: Sequence[LogEntry]) -> None:
    """Appends all entries, a tenant at a time, each tenant's in the order they were deferred."""
    for tenant, group in groupby(sorted(entries, key=_tenant), key=_tenant):
        own = list(group)
        await _append_events(tx, tenant, own)
        records = [record for entry in own for record in entry.audit]
        await _append_audit(tx, tenant, records, sum(entry.size for entry in own))


async def next_numbers(tx: Transaction, tenant: str, name: str, count: int) -> int:
    """Reserves `count` numbers of a tenant-wide sequence and answers the first."""
    row = await tx.first(
        """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, '', :name, :count)
           ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + excluded.value
           RETURNING value""",
        tenant=tenant,
        name=name,
        count=count,
    )
    assert row is not None
    return int(row["value"]) - count + 1


async def _append_events(tx: Transaction, tenant: str, entries: list[LogEntry]) -> None:
    pairs = [(entry, event) for entry in entries for event in entry.events]
    if not pairs:
        return
    first = await next_numbers(tx, tenant, "event", len(pairs))
    rows = []
    for seq, (entry, event) in enumerate(pairs, start=first):
        event.seq = seq
        rows.append(
            {
                "tenant": tenant,
                "seq": seq,
                "session_id": entry.session_id,
                "kind": event.kind,
                "actor": entry.actor,
                "actor_type": entry.actor_type,
                "visibility": event.visibility.value,
                "payload": compact(event.payload),
                "created_at": entry.now,
            }
        )
    await tx.execute_many(_INSERT_EVENT, rows)


async def _append_audit(tx: Transaction, tenant: str, records: list[AuditRecord], written: int) -> None:
    if not records:
        return
    head = await tx.first("SELECT seq, digest FROM audit_heads WHERE tenant = :tenant", tenant=tenant)
    seq, previous = (int(head["seq"]), str(head["digest"])) if head else (0, GENESIS)
    rows = []
    for record in records:
        seq += 1
        digest = record.chained(seq, previous)
        row = dict(zip(_COLUMNS, _columns(record), strict=True))
        row.update(metadata=canonical(record.metadata), seq=seq, previous=previous, digest=digest)
        rows.append(row)
        previous = digest
    await tx.execute_many(_INSERT_AUDIT, rows)
    await tx.enqueue(
        """INSERT INTO audit_heads (tenant, seq, digest, written_bytes) VALUES (:tenant, :seq, :digest, :written)
           ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, digest = excluded.digest,
               written_bytes = audit_heads.written_bytes + excluded.written_bytes""",
        tenant=tenant,
        seq=seq,
        digest=previous,
        written=written,
    )
