"""Audit records as they are copied out: one JSON object on a line, with the digests that chain them."""

import json
from collections.abc import AsyncIterator
from typing import Any

from longtable.kernel.clock import to_iso
from longtable.log.audit_blocks import records_with
from longtable.log.chain import GENESIS, digest_text
from longtable.log.verify import read_page
from longtable.storage.database import Database, Row, Transaction


async def audit_lines(database: Database, tenant: str, last: str | None = None) -> AsyncIterator[list[str]]:
    """A tenant's records, oldest first, a page at a time, up to the newest one, or the newest of the event type `last`.
    Records that are added meanwhile are left out."""
    newest = await database.read(tenant, lambda tx: _newest(tx, last))
    seq, previous = 0, GENESIS
    while seq < newest and (rows := await read_page(database, tenant, seq)):
        lines = []
        for row in rows:
            if row["seq"] <= newest:
                lines.append(f"{json.dumps(_record(row, previous))}\n")
            previous = digest_text(row["digest"])
        yield lines
        seq = rows[-1]["seq"]


async def _newest(tx: Transaction, event_type: str | None) -> int:
    source = records_with({} if event_type is None else {"event_type": event_type, "outcome": "SUCCESS"})
    row = await tx.first(f"SELECT audit.seq FROM {source.sql} ORDER BY {source.order} LIMIT 1", **source.parameters)
    return int(row["seq"]) if row else 0


def _record(row: Row, previous: str) -> dict[str, Any]:
    """All that the digest covers, in the form in which it does, and the time as people read it."""
    try:
        metadata = json.loads(row["metadata"])
    except ValueError:
        metadata = row["metadata"]
    arguments = row["arguments_digest"]
    return {
        **row,
        "arguments_digest": None if arguments is None else digest_text(arguments),
        "metadata": metadata,
        "previous": previous,
        "digest": digest_text(row["digest"]),
        "timestamp": to_iso(row["created_at"]),
    }
