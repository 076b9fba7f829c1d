"""Leases in the store: of all processes that share it, one at a time does a certain work. Done in SYSTEM scope."""

from dataclasses import dataclass

from longtable.storage.database import Transaction

BESIDE = "beside:"
"""How the name of a holder begins that is no server, but a process for one client: a server takes its lease away."""


@dataclass(frozen=True, slots=True)
class ProcessLease:
    """`name` is the work, `holder` the process, `length` in milliseconds. One that is not renewed expires."""

    name: str
    holder: str
    length: int

    @property
    def gives_way(self) -> bool:
        return self.holder.startswith(BESIDE)


async def claim(tx: Transaction, lease: ProcessLease, now: int) -> bool:
    """Takes or renews the lease, unless another process has it that need not give way."""
    row = await tx.first(
        """INSERT INTO embedding_turns (turn, holder, until) VALUES (:turn, :holder, :until)
           ON CONFLICT (turn) DO UPDATE SET holder = excluded.holder, until = excluded.until
           WHERE embedding_turns.holder = excluded.holder OR embedding_turns.until < :now
              OR embedding_turns.holder LIKE :weaker
           RETURNING holder""",
        turn=lease.name,
        holder=lease.holder,
        now=now,
        until=now + lease.length,
        weaker="" if lease.gives_way else f"{BESIDE}%",
    )
    return row is not None


async def is_of_server(tx: Transaction, name: str, now: int) -> bool:
    """Whether a process has the lease that would not give way."""
    row = await tx.first(
        """SELECT holder FROM embedding_turns
           WHERE turn = :turn AND until >= :now AND holder NOT LIKE :weaker""",
        turn=name,
        now=now,
        weaker=f"{BESIDE}%",
    )
    return row is not None


async def release(tx: Transaction, lease: ProcessLease) -> None:
    await tx.execute(
        "DELETE FROM embedding_turns WHERE turn = :turn AND holder = :holder", turn=lease.name, holder=lease.holder
    )
