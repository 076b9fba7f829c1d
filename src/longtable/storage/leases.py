"""Leases in the store: of all processes that share it, one at a time does a certain work. Done in SYSTEM scope."""

from dataclasses import dataclass

from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class ProcessLease:
    """`name` is the work, `holder` the process, `length` in milliseconds. One that is not renewed expires."""

    name: str
    holder: str
    length: int


async def claim(tx: Transaction, lease: ProcessLease, now: int) -> bool:
    """Takes or renews the lease, unless another process has it."""
    row = await tx.first(
        """INSERT INTO embedding_turns (turn, holder, until) VALUES (:turn, :holder, :until)
           ON CONFLICT (turn) DO UPDATE SET holder = excluded.holder, until = excluded.until
           WHERE embedding_turns.holder = excluded.holder OR embedding_turns.until < :now
           RETURNING holder""",
        turn=lease.name,
        holder=lease.holder,
        now=now,
        until=now + lease.length,
    )
    return row is not None


async def release(tx: Transaction, lease: ProcessLease) -> None:
    await tx.execute(
        "DELETE FROM embedding_turns WHERE turn = :turn AND holder = :holder", turn=lease.name, holder=lease.holder
    )
