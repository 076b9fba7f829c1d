"""Counters of a tenant: gapless numbers within a session, and totals that would be slow to count."""

from longtable.storage.database import Transaction

TENANT_WIDE = ""
"""The scope of counters across all sessions."""


async def advance(tx: Transaction, scope: str, name: str, by: int = 1) -> int:
    """The counter after the step. A transaction that fails gives its number back."""
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
