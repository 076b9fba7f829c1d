"""SQL for an overview of many sessions: one statement for each thing that is counted."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longtable.fulltext.index import one_of
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.log.model import viewer, visible_rows
from longtable.messages.store import VISIBLE_COUNTS
from longtable.plan.model import Status as TaskStatus
from longtable.sessions.model import Session, Status
from longtable.sessions.store import WITH_STATUS
from longtable.storage.database import Row, Transaction
from longtable.workspace.model import Seated

_VISIBLE = visible_rows("events.actor", "events.actor_type")
_OF_SESSION = f"FROM events WHERE events.tenant = :tenant AND events.session_id = sessions.session_id AND {_VISIBLE}"
# The same conditions as in plan and questions: a lease and a question's time run out by the clock.
_TASK_STATUS = "CASE WHEN status = 'in_progress' AND lease_expires_at <= :now THEN 'pending' ELSE status END"
_PENDING = "status = 'pending' AND (expires_at IS NULL OR expires_at > :now)"


@dataclass(frozen=True, slots=True)
class PageCursor:
    """Where a page goes on: in the order as it was at the event `head`, after this session."""

    head: int
    last_seq: int
    session_id: str


@dataclass(frozen=True, slots=True)
class RankedSession:
    """A session with the number of its newest event up to the cursor's head, and the moment of its newest of all."""

    session: Session
    last_seq: int
    active_at: int


async def by_activity(
    tx: Transaction, caller: Caller, status: Status | None, now: int, after: PageCursor, limit: int
) -> list[RankedSession]:
    """The most recently active first, by events that the caller may see. The order is the one at the head, so that no
    session moves from one page to another between two requests."""
    condition = WITH_STATUS[status] if status else ""
    rows = await tx.all(
        f"""WITH ranked AS MATERIALIZED (
                SELECT session_id, COALESCE(
                    (SELECT seq {_OF_SESSION} AND seq <= :head ORDER BY seq DESC LIMIT 1), 0) AS last_seq
                FROM sessions WHERE tenant = :tenant {condition}
            ), chosen AS MATERIALIZED (
                SELECT session_id, last_seq FROM ranked WHERE (last_seq, session_id) < (:last_seq, :after)
                ORDER BY last_seq DESC, session_id DESC LIMIT :limit
            )
            SELECT sessions.*, last_seq,
                (SELECT events.created_at {_OF_SESSION} ORDER BY seq DESC LIMIT 1) AS active_at
            FROM chosen JOIN sessions ON sessions.tenant = :tenant AND sessions.session_id = chosen.session_id
            ORDER BY last_seq DESC, sessions.session_id DESC""",
        head=after.head,
        last_seq=after.last_seq,
        after=after.session_id,
        limit=limit,
        **viewer(caller),
        **({"now": now} if ":now" in condition else {}),
    )
    return [_ranked(row) for row in rows]


async def one(tx: Transaction, caller: Caller) -> RankedSession | None:
    """The caller's session."""
    row = await tx.first(
        f"""SELECT sessions.*, 0 AS last_seq,
                (SELECT events.created_at {_OF_SESSION} ORDER BY seq DESC LIMIT 1) AS active_at
            FROM sessions WHERE tenant = :tenant AND session_id = :session_id""",
        session_id=caller.session,
        **viewer(caller),
    )
    return _ranked(row) if row else None


async def tasks(tx: Transaction, ids: Sequence[str], now: int) -> dict[str, dict[TaskStatus, int]]:
    rows = await tx.all(
        f"""SELECT session_id, {_TASK_STATUS} AS status_now, COUNT(*) AS total FROM tasks
            WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "ids")} GROUP BY 1, 2""",
        ids=json.dumps(ids),
        now=now,
    )
    found: dict[str, dict[TaskStatus, int]] = {}
    for row in rows:
        found.setdefault(row["session_id"], {})[row["status_now"]] = row["total"]
    return found


async def questions(tx: Transaction, ids: Sequence[str], now: int) -> dict[str, tuple[int, int]]:
    """How many wait for an answer, and how many of those block."""
    rows = await tx.all(
        f"""SELECT session_id, COUNT(*) AS total, CAST(SUM(blocking) AS BIGINT) AS blocking FROM questions
            WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "ids")} AND {_PENDING} GROUP BY 1""",
        ids=json.dumps(ids),
        now=now,
    )
    return {row["session_id"]: (row["total"], row["blocking"]) for row in rows}


async def notes(tx: Transaction, ids: Sequence[str]) -> dict[str, int]:
    """The newest number of each, which is how many there are: none is ever removed."""
    rows = await tx.all(
        f"""SELECT scope AS session_id, value AS total FROM counters
            WHERE tenant = :tenant AND name = 'note' AND {one_of(tx.dialect, "scope", "ids")}""",
        ids=json.dumps(ids),
    )
    return _totals(rows)


async def sections(tx: Transaction, ids: Sequence[str]) -> dict[str, int]:
    rows = await tx.all(
        f"""SELECT session_id, COUNT(*) AS total FROM sections
            WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "ids")} GROUP BY 1""",
        ids=json.dumps(ids),
    )
    return _totals(rows)


async def messages(tx: Transaction, caller: Caller, ids: Sequence[str]) -> dict[str, int]:
    """The messages that the caller may see, from the totals kept for each visibility and holder."""
    rows = await tx.all(
        f"""SELECT session_id, CAST(SUM(value) AS BIGINT) AS total FROM message_counts
            WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "ids")}
              AND {VISIBLE_COUNTS} GROUP BY 1""",
        ids=json.dumps(ids),
        **viewer(caller),
    )
    return _totals(rows)


async def agents(tx: Transaction, caller: Caller, ids: Sequence[str]) -> dict[str, list[Seated]]:
    """The agents that did something the caller may see, the most recently active first. The query jumps from name to
    name in the index, so that ten thousand events of one agent cost as much as one."""
    next_name = "SELECT MIN(actor) FROM events WHERE events.tenant = :tenant AND events.session_id = {place}"
    rows = await tx.all(
        f"""WITH RECURSIVE seen AS (
                SELECT session_id, ({next_name.format(place="sessions.session_id")}) AS actor
                FROM sessions WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "ids")}
                UNION ALL
                SELECT session_id, ({next_name.format(place="seen.session_id")} AND events.actor > seen.actor)
                FROM seen WHERE actor IS NOT NULL
            ), dated AS MATERIALIZED (
                SELECT session_id, actor,
                    (SELECT created_at FROM events WHERE events.tenant = :tenant
                        AND events.session_id = seen.session_id AND events.actor = seen.actor
                        AND actor_type <> 'system' AND {_VISIBLE} ORDER BY created_at DESC LIMIT 1) AS active_at
                FROM seen WHERE actor IS NOT NULL
            )
            SELECT session_id, actor, active_at FROM dated WHERE active_at IS NOT NULL
            ORDER BY active_at DESC, actor""",
        ids=json.dumps(ids),
        **viewer(caller),
    )
    found: dict[str, list[Seated]] = {}
    for row in rows:
        found.setdefault(row["session_id"], []).append(
            Seated(agent=row["actor"], last_active_at=to_iso(row["active_at"]))
        )
    return found


def _totals(rows: Sequence[Row]) -> dict[str, int]:
    return {row["session_id"]: row["total"] for row in rows}


def _ranked(row: Row) -> RankedSession:
    names: dict[str, Any] = {name: row[name] for name in Session.__slots__}
    session = Session(**{**names, "metadata": json.loads(row["metadata"])})
    return RankedSession(session, row["last_seq"], row["active_at"] or session.created_at)
