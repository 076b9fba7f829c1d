"""Numbers without gaps, within one tenant: those of a session's things, and totals that need not be counted out."""

from longtable.storage.database import Transaction

TENANT_WIDE = ""
"""The scope of what is counted across all sessions."""


async def advance(tx: Transaction, scope: str, name: str, by: int = 1) -> int:
    """The counter after the step. What takes it and fails gives it back with its transaction."""
    row = await tx.first(
        """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, :scope, :name, :by)
           ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + excluded.value RETURNING value""",
        scope=scope,
        name=name,
        by=by,
    )
    assert row is not None
    return int(row["value"])


async def current(tx: Transaction, scope: str, name: str) -> int:
    row = await tx.first(
        "SELECT value FROM counters WHERE tenant = :tenant AND scope = :scope AND name = :name", scope=scope, name=name
    )
    return int(row["value"]) if row else 0
