"""An audit record as its reader gets it."""

import json
from typing import Any

from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value
from longtable.log.chain import digest_text
from longtable.storage.database import Row


class AuditEntry(Value):
    seq: int
    event_type: str
    agent_id: str
    session_id: str | None
    metadata: dict[str, Any]
    timestamp: str
    outcome: str
    surface: str
    object: str | None
    digest: str


def entry_of(row: Row) -> dict[str, Any]:
    """An `AuditEntry` as it is sent."""
    metadata = {"operation": row["operation"], "role": row["role"]}
    # Most records have none.
    if row["metadata"] != "{}":
        metadata |= json.loads(row["metadata"])
    return {
        "seq": row["seq"],
        "event_type": row["event_type"],
        "agent_id": row["agent_id"],
        "session_id": row["session_id"],
        "metadata": metadata,
        "timestamp": to_iso(row["created_at"]),
        "outcome": row["outcome"],
        "surface": row["surface"],
        "object": row["object"],
        "digest": digest_text(row["digest"]),
    }


class AuditPage(LimitedResult):
    """With `since` or `until`, a page may be empty and still have a `next_cursor`."""

    entries: list[AuditEntry]
    count: int
    next_cursor: str | None


class ChainState(Result):
    holds: bool
    records: int
    broken_at: int | None
    problem: str | None
