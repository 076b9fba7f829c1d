"""SQL for reservations."""

from collections.abc import Sequence

from longtable.reservations.model import Reservation
from longtable.storage.database import Transaction

_HERE = "tenant = :tenant AND session_id = :session_id"


async def active(tx: Transaction, session_id: str, now: int) -> list[Reservation]:
    """The reservations that have not run out, by path."""
    rows = await tx.tuples(
        f"""SELECT path, holder, mode, reason, created_at, expires_at FROM reservations
            WHERE {_HERE} AND expires_at > :now ORDER BY path, holder""",
        session_id=session_id,
        now=now,
    )
    return [Reservation(*row) for row in rows]


async def forget_expired(tx: Transaction, session_id: str, now: int) -> None:
    await tx.enqueue(f"DELETE FROM reservations WHERE {_HERE} AND expires_at <= :now", session_id=session_id, now=now)


async def put(tx: Transaction, session_id: str, reservations: Sequence[Reservation]) -> None:
    """Writes each, over an earlier one of the same holder and path."""
    await tx.execute_many(
        """INSERT INTO reservations (tenant, session_id, holder, path, mode, reason, created_at, expires_at)
           VALUES (:tenant, :session_id, :holder, :path, :mode, :reason, :created_at, :expires_at)
           ON CONFLICT (tenant, session_id, holder, path) DO UPDATE
           SET mode = excluded.mode, reason = excluded.reason, expires_at = excluded.expires_at""",
        [{"session_id": session_id, **each._asdict()} for each in reservations],
    )


async def remove(tx: Transaction, session_id: str, reservations: Sequence[Reservation]) -> None:
    await tx.execute_many(
        f"DELETE FROM reservations WHERE {_HERE} AND holder = :holder AND path = :path",
        [{"session_id": session_id, "holder": each.holder, "path": each.path} for each in reservations],
    )


async def purge(tx: Transaction, session_id: str) -> None:
    await tx.execute(f"DELETE FROM reservations WHERE {_HERE}", session_id=session_id)
