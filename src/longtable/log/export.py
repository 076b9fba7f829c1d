"""Audit records as they are copied out: one JSON object on a line, with the digests that chain them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from longtable.kernel.clock import to_iso
from longtable.log.verify import read_page
from longtable.storage.database import Database, Row, Transaction


async def audit_lines(database: Database, tenant: str, last: str | None = None) -> AsyncIterator[list[str]]:
    """A tenant's records, oldest first, a page at a time, up to the newest one, or the newest of the
    event type `last`. Records that are added meanwhile are left out."""
    newest = await database.read(tenant, lambda tx: _newest(tx, last))
    seq = 0
    while seq < newest and (rows := await read_page(database, tenant, seq)):
        yield [f"{json.dumps(_record(row))}\n" for row in rows if row["seq"] <= newest]
        seq = rows[-1]["seq"]


async def _newest(tx: Transaction, event_type: str | None) -> int:
    condition, parameters = "", {}
    if event_type is not None:
        condition, parameters = "AND event_type = :event_type AND outcome = 'SUCCESS'", {"event_type": event_type}
    row = await tx.first(
        f"SELECT seq FROM audit WHERE tenant = :tenant {condition} ORDER BY seq DESC LIMIT 1", **parameters
    )
    return int(row["seq"]) if row else 0


def _record(row: Row) -> dict[str, Any]:
    """All that the digest covers, in the form in which it does, and the time as people read it."""
    try:
        metadata = json.loads(row["metadata"])
    except ValueError:
        metadata = row["metadata"]
    return {**row, "metadata": metadata, "timestamp": to_iso(row["created_at"])}
