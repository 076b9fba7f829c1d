"""Reads the log: a tenant's or a session's events in order, as one caller may see them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.log.model import viewer, visible_rows
from longtable.storage.database import Row, Transaction


@dataclass(frozen=True, slots=True)
class EventPage:
    """`next_after` is the cursor to go on from: no event that the caller may see lies before it unread."""

    events: list[dict[str, Any]]
    next_after: int


async def head(tx: Transaction) -> int:
    """The number of the tenant's newest event."""
    row = await tx.first("SELECT value FROM counters WHERE tenant = :tenant AND scope = '' AND name = 'event'")
    return int(row["value"]) if row else 0


async def read_events(
    tx: Transaction, caller: Caller, after: int, kinds: Sequence[str] | None, limit: int
) -> EventPage:
    """Events of the caller's session after `after`. `kinds` may hold patterns such as `scratchpad/*`."""
    newest = await head(tx)
    rows = await tx.all(
        f"""SELECT seq, kind, session_id, actor, payload, created_at FROM events
            WHERE tenant = :tenant AND session_id = :session_id AND seq > :after AND seq <= :newest
              AND {visible_rows("actor", "actor_type")} {_of_kinds(kinds)}
            ORDER BY seq LIMIT :limit""",
        session_id=caller.session,
        after=after,
        newest=newest,
        limit=limit,
        **viewer(caller),
        **_kind_parameters(kinds),
    )
    full = len(rows) == limit
    return EventPage([flat(row) for row in rows], int(rows[-1]["seq"]) if full else max(after, newest))


def flat(row: Row) -> dict[str, Any]:
    """The event as every listener gets it: one flat object."""
    return {
        "seq": row["seq"],
        "kind": row["kind"],
        "session_id": row["session_id"],
        "actor": row["actor"],
        "timestamp": to_iso(row["created_at"]),
        **json.loads(row["payload"]),
    }


def _of_kinds(kinds: Sequence[str] | None) -> str:
    if not kinds:
        return ""
    choices = [f"kind LIKE :kind_{index} ESCAPE '!'" for index, _ in enumerate(kinds)]
    return f"AND ({' OR '.join(choices)})"


def _kind_parameters(kinds: Sequence[str] | None) -> dict[str, str]:
    return {f"kind_{index}": _as_like(kind) for index, kind in enumerate(kinds or ())}


def _as_like(pattern: str) -> str:
    escaped = pattern.replace("!", "!!").replace("%", "!%").replace("_", "!_")
    return escaped.replace("*", "%")
