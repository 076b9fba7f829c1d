"""SQL for namespaces. Each row counts its scratchpads, so that a list need not."""

from longtable.storage.database import Row, Transaction


async def all_of(tx: Transaction) -> list[Row]:
    return await tx.all("SELECT namespace, scratchpads FROM namespaces WHERE tenant = :tenant ORDER BY namespace")


async def how_many(tx: Transaction) -> int:
    row = await tx.first("SELECT COUNT(*) AS total FROM namespaces WHERE tenant = :tenant")
    return int(row["total"]) if row else 0


async def find(tx: Transaction, namespace: str) -> int | None:
    """How many scratchpads are in it; None when there is no such namespace."""
    row = await tx.first(
        "SELECT scratchpads FROM namespaces WHERE tenant = :tenant AND namespace = :namespace", namespace=namespace
    )
    return None if row is None else int(row["scratchpads"])


async def create(tx: Transaction, namespace: str, now: int) -> bool:
    """False when it was there already."""
    created = await tx.execute(
        """INSERT INTO namespaces (tenant, namespace, scratchpads, created_at) VALUES (:tenant, :namespace, 0, :now)
           ON CONFLICT (tenant, namespace) DO NOTHING""",
        namespace=namespace,
        now=now,
    )
    return created == 1


async def count(tx: Transaction, namespace: str | None, by: int, now: int) -> None:
    """`by` more scratchpads are in it; the first one creates it."""
    if namespace is None or by == 0:
        return
    await tx.execute(
        """INSERT INTO namespaces (tenant, namespace, scratchpads, created_at) VALUES (:tenant, :namespace, :by, :now)
           ON CONFLICT (tenant, namespace) DO UPDATE SET scratchpads = namespaces.scratchpads + excluded.scratchpads""",
        namespace=namespace,
        by=by,
        now=now,
    )


async def delete(tx: Transaction, namespace: str) -> bool:
    deleted = await tx.execute(
        "DELETE FROM namespaces WHERE tenant = :tenant AND namespace = :namespace", namespace=namespace
    )
    return deleted == 1


async def rename_inside(tx: Transaction, old: str, new: str, now: int) -> int:
    """Moves the scratchpads that are in use; returns how many."""
    return await tx.execute(
        """UPDATE scratchpads SET namespace = :new, version = version + 1, updated_at = :now, accessed_at = :now
           WHERE tenant = :tenant AND namespace = :old AND trashed_at IS NULL""",
        old=old,
        new=new,
        now=now,
    )
