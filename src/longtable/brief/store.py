"""SQL for what only a brief asks for."""

from longtable.plan.model import PRIORITIES
from longtable.storage.database import Row, Transaction

_HERE = "tenant = :tenant AND session_id = :session_id"
# As in plan: a lease runs out by the clock.
_STATUS_NOW = "CASE WHEN status = 'in_progress' AND lease_expires_at <= :now THEN 'pending' ELSE status END"
_HELD = "status = 'in_progress' AND (lease_expires_at IS NULL OR lease_expires_at > :now)"
_READY = f"""({_STATUS_NOW}) = 'pending' AND open_dependencies = 0
    AND (assigned_to IS NULL OR assigned_to = :agent)"""
_TASK = f"""number, SUBSTR(description, 1, 500) AS description, priority, {_STATUS_NOW} AS status,
    COALESCE(lease_holder, assigned_to) AS holder, assigned_to, lease_expires_at"""


async def held_tasks(tx: Transaction, session_id: str, now: int, limit: int) -> list[Row]:
    """The tasks that somebody works on, the newest first."""
    return await tx.all(
        f"SELECT {_TASK} FROM tasks WHERE {_HERE} AND {_HELD} ORDER BY updated_at DESC, number LIMIT :limit",
        session_id=session_id,
        now=now,
        limit=limit,
    )


async def ready_tasks(tx: Transaction, session_id: str, agent: str, now: int, limit: int) -> tuple[int, list[Row]]:
    """How many the agent could begin, and the best of them: its own first, then by priority and age."""
    parameters = {"session_id": session_id, "agent": agent, "now": now}
    counted = await tx.first(f"SELECT COUNT(*) AS total FROM tasks WHERE {_HERE} AND {_READY}", **parameters)
    rows = await tx.all(
        f"""SELECT {_TASK} FROM tasks WHERE {_HERE} AND {_READY}
            ORDER BY CASE WHEN assigned_to IS NULL THEN 1 ELSE 0 END, priority, number LIMIT :limit""",
        **parameters,
        limit=limit,
    )
    return int(counted["total"]) if counted else 0, rows


async def changed_tasks(tx: Transaction, session_id: str, since: int, now: int, limit: int) -> list[Row]:
    """The most recently changed first."""
    return await tx.all(
        f"""SELECT {_TASK} FROM tasks WHERE {_HERE} AND updated_at > :since
            ORDER BY updated_at DESC, number LIMIT :limit""",
        session_id=session_id,
        since=since,
        now=now,
        limit=limit,
    )


def priority_of(row: Row) -> str:
    return PRIORITIES[row["priority"]]
