"""SQL for claims: idempotency keys of calls whose outcome is not known yet."""

from dataclasses import dataclass

from longtable.kernel.call import Call
from longtable.log.ledger import SAME_KEY, key_parameters
from longtable.storage.database import Transaction

Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    digest: str
    renewed_at: int


async def find(tx: Transaction, call: Call) -> Claim | None:
    row = await tx.first(f"SELECT digest, renewed_at FROM gateway_claims WHERE {SAME_KEY}", **key_parameters(call))
    return None if row is None else Claim(row["digest"], row["renewed_at"])


async def insert(tx: Transaction, call: Call, holder: str, now: int) -> None:
    await tx.execute(
        """INSERT INTO gateway_claims
               (tenant, session_id, agent, operation, idempotency_key, digest, holder, created_at, renewed_at)
           VALUES (:tenant, :session_id, :agent, :operation, :key, :digest, :holder, :now, :now)""",
        **key_parameters(call),
        digest=call.arguments_digest,
        holder=holder,
        now=now,
    )


async def delete(tx: Transaction, call: Call, holder: str) -> None:
    await tx.execute(
        f"DELETE FROM gateway_claims WHERE {SAME_KEY} AND holder = :holder", **key_parameters(call), holder=holder
    )


async def renew(tx: Transaction, holder: str, now: int) -> None:
    """All that one process holds, whatever their tenants."""
    await tx.execute("UPDATE gateway_claims SET renewed_at = :now WHERE holder = :holder", holder=holder, now=now)


async def forget(tx: Transaction, before: int) -> None:
    await tx.execute("DELETE FROM gateway_claims WHERE created_at < :before", before=before)


async def mark_lost(tx: Transaction, call: Call, holder: str) -> None:
    await tx.execute(
        f"UPDATE gateway_claims SET renewed_at = 0, holder = '' WHERE {SAME_KEY} AND holder = :holder",
        **key_parameters(call),
        holder=holder,
    )


def key_of(call: Call) -> Key:
    return (call.caller.tenant, *key_parameters(call).values())
