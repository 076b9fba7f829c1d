"""Counters of a tenant: gapless numbers within a session, and totals that would be slow to count."""

from longtable.storage.database import Transaction

TENANT_WIDE = ""
"""The scope of counters across all sessions."""

PUT = """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, :scope, :name, :value)
    ON CONFLICT (tenant, scope, name) DO UPDATE SET value = excluded.value"""
"""For SQLite, which has one writer: there it takes a tenth of the time to read a counter first, as SQLite collects the
rows of RETURNING in a table of their own."""


async def advance(tx: Transaction, scope: str, name: str, by: int = 1) -> int:
    """The counter after the step. A transaction that fails gives its number back."""
    if tx.dialect == "sqlite":
        value = await current(tx, scope, name) + by
        await tx.enqueue(PUT, scope=scope, name=name, value=value)
        return value
    row = await tx.first(
        """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, :scope, :name, :by)
           ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + excluded.value RETURNING value""",
        scope=scope,
        name=name,
        by=by,
    )
    assert row is not None
    return int(row["value"])


async def step(tx: Transaction, scope: str, name: str, by: int = 1) -> None:
    """The same, where nobody needs the number: on PostgreSQL without a round trip of its own."""
    await tx.enqueue(
        """INSERT INTO counters (tenant, scope, name, value) VALUES (:tenant, :scope, :name, :by)
           ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + excluded.value""",
        scope=scope,
        name=name,
        by=by,
    )


async def current(tx: Transaction, scope: str, name: str) -> int:
    row = await tx.first(
        "SELECT value FROM counters WHERE tenant = :tenant AND scope = :scope AND name = :name", scope=scope, name=name
    )
    return int(row["value"]) if row else 0
