"""Writes the log's entries at the end of a transaction: numbers, events, and the hash chain of the audit."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from longtable.kernel.canonical import canonical, compact
from longtable.log.audit_blocks import BLOCK, SUCCESS
from longtable.log.model import AuditRecord, LogEntry
from longtable.storage.database import Row, Transaction

GENESIS = "0" * 64
_COLUMNS = AuditRecord.__slots__
_columns = attrgetter(*_COLUMNS)
_tenant = attrgetter("tenant")

_INSERT_EVENT = """
    INSERT INTO events (tenant, seq, session_id, kind, actor, actor_type, visibility, payload, about,
        addressee, undo, created_at)
    VALUES (:tenant, :seq, :session_id, :kind, :actor, :actor_type, :visibility, :payload, :about,
        :addressee, :undo, :created_at)"""

_INSERT_AUDIT = """
    INSERT INTO audit (tenant, seq, event_type, operation, session_id, agent_id, agent_type, role, surface,
        object, outcome, arguments_digest, metadata, created_at, digest)
    VALUES (:tenant, :seq, :event_type, :operation, :session_id, :agent_id, :agent_type, :role, :surface,
        :object, :outcome, :arguments_digest, :metadata, :created_at, :digest)"""

_INSERT_BLOCK = """
    INSERT INTO audit_blocks (tenant, name, value, block) VALUES (:tenant, :name, :value, :block)
    ON CONFLICT (tenant, name, value, block) DO NOTHING"""

_SAVE_HEAD = """
    INSERT INTO audit_heads (tenant, seq, digest, written_bytes, event_seq)
    VALUES (:tenant, :seq, :digest, :written, :event_seq)
    ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, digest = excluded.digest, event_seq = excluded.event_seq,
        written_bytes = audit_heads.written_bytes + excluded.written_bytes"""


@dataclass(slots=True)
class Head:
    """The end of a tenant's log: its newest audit record, and the number of its newest event."""

    seq: int
    digest: str
    event_seq: int


def digest_text(stored: bytes | str) -> str:
    """A digest as its readers know it. One that was edited may be anything."""
    return stored.hex() if isinstance(stored, bytes) else stored


_MOST_KNOWN = 1_000
_Block = tuple[str, str, int]
"""A name, its value, and the number of a block that has it."""


class Chain:
    """Remembers which blocks are stored, by the tenant and the digest of the record that they were stored with: nearly
    every record is of the same agent, session and type as the one before it. A head has a digest that was computed here
    only if what was written with it has been committed."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str], frozenset[_Block]] = {}

    async def append(self, tx: Transaction, entries: Sequence[LogEntry]) -> None:
        """Appends all entries, a tenant at a time, each tenant's in the order they were deferred."""
        for tenant, group in groupby(sorted(entries, key=_tenant), key=_tenant):
            own = list(group)
            head = await _head(tx, tenant)
            stored = self._stored.pop((tenant, head.digest), frozenset())
            if events := _event_rows(tenant, own, head):
                await tx.execute_many(_INSERT_EVENT, events)
            records = [record for entry in own for record in entry.audit]
            if records:
                blocks = _blocks(head.seq + 1, records)
                await tx.execute_many(_INSERT_AUDIT, _audit_rows(records, head))
                if not blocks <= stored:
                    await tx.execute_many(_INSERT_BLOCK, _block_rows(tenant, blocks - stored))
                    stored = blocks
            await tx.enqueue(
                _SAVE_HEAD,
                tenant=tenant,
                seq=head.seq,
                digest=bytes.fromhex(head.digest),
                written=sum(entry.size for entry in own),
                event_seq=head.event_seq,
            )
            if len(self._stored) >= _MOST_KNOWN:
                self._stored.clear()
            self._stored[tenant, head.digest] = stored


async def _head(tx: Transaction, tenant: str) -> Head:
    row = await tx.first("SELECT seq, digest, event_seq FROM audit_heads WHERE tenant = :tenant", tenant=tenant)
    if row is not None:
        return Head(int(row["seq"]), digest_text(row["digest"]), int(row["event_seq"]))
    # The first write of a tenant. Events without a head are those of one whose head was removed.
    newest = await tx.first("SELECT MAX(seq) AS seq FROM events WHERE tenant = :tenant", tenant=tenant)
    return Head(0, GENESIS, int(newest["seq"] or 0) if newest else 0)


def _event_rows(tenant: str, entries: list[LogEntry], head: Head) -> list[Row]:
    """Numbers the events, and moves the head to the last of them."""
    rows: list[Row] = []
    for entry in entries:
        for event in entry.events:
            head.event_seq += 1
            rows.append(
                {
                    "tenant": tenant,
                    "seq": head.event_seq,
                    "session_id": entry.session_id,
                    "kind": event.kind,
                    "actor": entry.actor,
                    "actor_type": entry.actor_type,
                    "visibility": event.visibility.value,
                    "payload": compact(event.payload),
                    "about": event.about,
                    "addressee": event.addressee,
                    "undo": None if event.undo is None else compact(event.undo),
                    "created_at": entry.now,
                }
            )
    return rows


def _audit_rows(records: list[AuditRecord], head: Head) -> list[Row]:
    """Chains the records, and moves the head to the last of them."""
    rows: list[Row] = []
    for record in records:
        head.seq += 1
        head.digest = record.chained(head.seq, head.digest)
        arguments = record.arguments_digest
        row = dict(zip(_COLUMNS, _columns(record), strict=True))
        row.update(
            seq=head.seq,
            metadata=canonical(record.metadata) if record.metadata else "{}",
            arguments_digest=None if arguments is None else bytes.fromhex(arguments),
            digest=bytes.fromhex(head.digest),
        )
        rows.append(row)
    return rows


def _blocks(first: int, records: list[AuditRecord]) -> frozenset[_Block]:
    """Which blocks have what the records say, for `audit_blocks.records_with`. They are numbered from `first`."""
    found: set[_Block] = set()
    for seq, record in enumerate(records, start=first):
        block = seq // BLOCK
        found.add(("event_type", record.event_type, block))
        found.add(("agent_id", record.agent_id, block))
        if record.session_id is not None:
            found.add(("session_id", record.session_id, block))
        if record.outcome != SUCCESS:
            found.add(("outcome", record.outcome, block))
    return frozenset(found)


def _block_rows(tenant: str, blocks: frozenset[_Block]) -> list[Row]:
    # In the order of their key: replicas that insert the same ones must not wait for each other in a circle.
    return [{"tenant": tenant, "name": name, "value": value, "block": block} for name, value, block in sorted(blocks)]
