"""Recomputes the audit chain of a tenant and names the first record that does not fit."""

import json
from dataclasses import dataclass

from longtable.log.anchors import Anchor
from longtable.log.chain import GENESIS, digest_text
from longtable.log.model import AuditRecord
from longtable.storage.database import SYSTEM, Database, Row, Transaction

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ChainVerification:
    """`broken_at` is the number of the first bad record, None for a chain that holds."""

    tenant: str
    records: int
    broken_at: int | None = None
    problem: str | None = None

    @property
    def holds(self) -> bool:
        return self.broken_at is None


async def audited_tenants(database: Database) -> list[str]:
    """All that have, or must have had, audit records: where a whole chain was removed the events are left."""

    async def tenants(tx: Transaction) -> list[Row]:
        return await tx.all(
            "SELECT tenant FROM audit_heads UNION SELECT tenant FROM audit UNION SELECT tenant FROM events ORDER BY 1"
        )

    return [row["tenant"] for row in await database.read(SYSTEM, tenants)]


async def verify_chain(database: Database, tenant: str, external: Anchor | None = None) -> ChainVerification:
    """`external` is the anchor that was kept outside of the store."""
    anchor = await database.read(tenant, _anchor)
    seq, previous = 0, GENESIS
    differs = False
    while rows := await read_page(database, tenant, seq):
        for row in rows:
            problem = _problem(row, seq + 1, previous)
            if problem is not None:
                return ChainVerification(tenant, seq, seq + 1, problem)
            seq, previous = seq + 1, digest_text(row["digest"])
            if _contradicts(anchor, seq, previous):
                return ChainVerification(tenant, seq, seq, "the newest record is not the one that was anchored")
            differs = differs or _contradicts(external, seq, previous)
    result = await _compare_with_anchor(database, tenant, seq)
    if not result.holds or external is None:
        return result
    if differs:
        other = f"record {external.seq} is not the one that the anchor beside the store has"
        return ChainVerification(tenant, seq, external.seq, other)
    if seq < external.seq:
        lost = f"the store is shorter than the anchor beside it: records {seq + 1} to {external.seq} are lost"
        return ChainVerification(tenant, seq, seq + 1, lost)
    return result


async def _compare_with_anchor(database: Database, tenant: str, seq: int) -> ChainVerification:
    # Read again: records may have been added while the chain was read.
    anchor = await database.read(tenant, _anchor)
    anchored = anchor.seq if anchor else 0
    if seq < anchored and not await read_page(database, tenant, seq):
        return ChainVerification(tenant, seq, seq + 1, f"records {seq + 1} to {anchored} were cut off")
    if anchor is None and seq == 0 and await database.read(tenant, _has_events):
        return ChainVerification(tenant, 0, 1, "every record was removed")
    if seq > anchored:
        return ChainVerification(tenant, seq, anchored + 1, "records were added behind the anchor")
    return ChainVerification(tenant, seq)


def _problem(row: Row, expected: int, previous: str) -> str | None:
    if row["seq"] != expected:
        return f"record {expected} was removed: the next one is {row['seq']}"
    fields = {name: row[name] for name in AuditRecord.__slots__}
    if fields["arguments_digest"] is not None:
        fields["arguments_digest"] = digest_text(fields["arguments_digest"])
    try:
        fields["metadata"] = json.loads(fields["metadata"])
    except ValueError:
        return "the record was edited"
    if AuditRecord(**fields).chained(expected, previous) != digest_text(row["digest"]):
        return "the record was edited, inserted or reordered: its digest is that of another one"
    return None


def _contradicts(anchor: Anchor | None, seq: int, digest: str) -> bool:
    return anchor is not None and seq == anchor.seq and digest != anchor.digest


async def _anchor(tx: Transaction) -> Anchor | None:
    row = await tx.first("SELECT seq, digest FROM audit_heads WHERE tenant = :tenant")
    return Anchor(int(row["seq"]), digest_text(row["digest"])) if row else None


async def _has_events(tx: Transaction) -> bool:
    return await tx.first("SELECT 1 FROM events WHERE tenant = :tenant LIMIT 1") is not None


async def read_page(database: Database, tenant: str, after: int) -> list[Row]:
    """The next audit records of a tenant as they are stored, and none at the end."""

    async def page(tx: Transaction) -> list[Row]:
        return await tx.all(
            "SELECT * FROM audit WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :batch",
            after=after,
            batch=_BATCH,
        )

    return await database.read(tenant, page)
