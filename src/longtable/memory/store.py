"""SQL for memory. Every query names the agent beside the tenant."""

from dataclasses import dataclass

from longtable.memory.model import MemoryEntry
from longtable.storage import counters
from longtable.storage.database import Transaction

_COLUMNS = "memory_key AS key, session_id, value, version, created_at, updated_at, expires_at"
_OWN = "tenant = :tenant AND agent = :agent AND session_id = :session_id"


@dataclass(frozen=True, slots=True)
class MemoryScope:
    """Where an agent's entries belong: one session, or all of them."""

    agent: str
    session_id: str

    def named(self) -> dict[str, str]:
        return {"agent": self.agent, "session_id": self.session_id}


async def find(tx: Transaction, memory_scope: MemoryScope, key: str, now: int) -> MemoryEntry | None:
    row = await tx.first(
        f"""SELECT {_COLUMNS} FROM memory
            WHERE {_OWN} AND memory_key = :key AND (expires_at IS NULL OR expires_at > :now)""",
        key=key,
        now=now,
        **memory_scope.named(),
    )
    return MemoryEntry(**row) if row else None


async def put(tx: Transaction, memory_scope: MemoryScope, entry: MemoryEntry) -> bool:
    """Writes the entry, over an older one if there is one. True when it is new."""
    replaced = await tx.execute(
        f"""UPDATE memory SET value = :value, version = :version, created_at = :created_at,
                updated_at = :updated_at, expires_at = :expires_at
            WHERE {_OWN} AND memory_key = :key""",
        **memory_scope.named(),
        **_fields(entry),
    )
    if replaced:
        return False
    await tx.execute(
        """INSERT INTO memory (tenant, agent, session_id, memory_key, value, version, created_at, updated_at,
               expires_at)
           VALUES (:tenant, :agent, :session_id, :key, :value, :version, :created_at, :updated_at, :expires_at)""",
        **memory_scope.named(),
        **_fields(entry),
    )
    return True


async def count(tx: Transaction, by: int) -> int:
    """How many entries the tenant has, after `by` more."""
    return await counters.advance(tx, counters.TENANT_WIDE, "memory", by)


async def page(
    tx: Transaction, memory_scope: MemoryScope, prefix: str, after: str, limit: int, now: int
) -> list[MemoryEntry]:
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM memory
            WHERE {_OWN} AND memory_key > :after AND SUBSTR(memory_key, 1, :length) = :prefix
              AND (expires_at IS NULL OR expires_at > :now)
            ORDER BY memory_key LIMIT :limit""",
        after=after,
        prefix=prefix,
        length=len(prefix),
        now=now,
        limit=limit,
        **memory_scope.named(),
    )
    return [MemoryEntry(**row) for row in rows]


async def delete(tx: Transaction, memory_scope: MemoryScope, key: str) -> bool:
    return (
        await tx.execute(f"DELETE FROM memory WHERE {_OWN} AND memory_key = :key", key=key, **memory_scope.named()) == 1
    )


async def purge(tx: Transaction, session_id: str) -> None:
    removed = await tx.execute(
        "DELETE FROM memory WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )
    await count(tx, -removed)


async def tenants_with_expired(tx: Transaction, now: int) -> list[str]:
    """In SYSTEM scope."""
    rows = await tx.all("SELECT DISTINCT tenant FROM memory WHERE expires_at <= :now", now=now)
    return [row["tenant"] for row in rows]


async def delete_expired(tx: Transaction, now: int) -> None:
    removed = await tx.execute("DELETE FROM memory WHERE tenant = :tenant AND expires_at <= :now", now=now)
    await count(tx, -removed)


def _fields(entry: MemoryEntry) -> dict[str, object]:
    return {
        "key": entry.key,
        "value": entry.value,
        "version": entry.version,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "expires_at": entry.expires_at,
    }
