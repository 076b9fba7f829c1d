"""SQL for holds."""

import json

from longtable.holds.model import Hold
from longtable.kernel.canonical import canonical
from longtable.storage.database import Row, Transaction

_COLUMNS = ", ".join(Hold._fields)
_MAX_LISTED = 500


async def insert(tx: Transaction, hold: Hold) -> None:
    await tx.execute(
        f"""INSERT INTO holds (tenant, {_COLUMNS}, releasing)
            VALUES (:tenant, {", ".join(f":{name}" for name in Hold._fields)}, 0)""",
        **{**hold._asdict(), "arguments": canonical(hold.arguments)},
    )


async def listed(tx: Transaction) -> list[Hold]:
    """The newest first, of those that can still be undone."""
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM holds WHERE tenant = :tenant AND releasing = 0
            ORDER BY held_at DESC, hold_id LIMIT {_MAX_LISTED}"""
    )
    return [_hold(row) for row in rows]


async def undo(tx: Transaction, hold_id: str, now: int) -> Hold | None:
    """None where there is nothing to undo, or no time left for it."""
    row = await tx.first(
        f"""DELETE FROM holds WHERE tenant = :tenant AND hold_id = :hold_id AND releasing = 0 AND until > :now
            RETURNING {_COLUMNS}""",
        hold_id=hold_id,
        now=now,
    )
    return _hold(row) if row else None


async def release(tx: Transaction, hold_id: str, now: int) -> Hold | None:
    """From now on it cannot be undone. None where it is not held any more, or its time has not come."""
    row = await tx.first(
        f"""UPDATE holds SET releasing = 1 WHERE tenant = :tenant AND hold_id = :hold_id AND until <= :now
            RETURNING {_COLUMNS}""",
        hold_id=hold_id,
        now=now,
    )
    return _hold(row) if row else None


async def forget(tx: Transaction, hold_id: str) -> None:
    await tx.execute("DELETE FROM holds WHERE tenant = :tenant AND hold_id = :hold_id", hold_id=hold_id)


async def take_all(tx: Transaction, session_id: str, operation: str) -> list[Hold]:
    """Removes what is held of one tool in a session, and returns it."""
    rows = await tx.all(
        f"""DELETE FROM holds
            WHERE tenant = :tenant AND session_id = :session_id AND operation = :operation AND releasing = 0
            RETURNING {_COLUMNS}""",
        session_id=session_id,
        operation=operation,
    )
    return [_hold(row) for row in rows]


async def ending(tx: Transaction, limit: int) -> list[tuple[str, str, int]]:
    """Tenant, id and end of all that is held, by its end; in SYSTEM scope."""
    rows = await tx.all("SELECT tenant, hold_id, until FROM holds ORDER BY until LIMIT :limit", limit=limit)
    return [(row["tenant"], row["hold_id"], row["until"]) for row in rows]


def _hold(row: Row) -> Hold:
    return Hold(**{**row, "arguments": json.loads(row["arguments"])})
