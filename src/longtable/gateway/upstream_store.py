"""SQL for the upstreams that were added at run time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longtable.storage.database import Row, Transaction

_COLUMNS = "name, entry, enabled, created_by, created_at, changed_by, changed_at"


@dataclass(frozen=True, slots=True)
class AddedUpstream:
    """`entry` may hold secrets, or be encrypted: see `sealed_entries`."""

    name: str
    entry: Mapping[str, Any] = field(repr=False)
    enabled: bool
    created_by: str
    created_at: int
    changed_by: str
    changed_at: int
    is_readable: bool = True
    """False where the entry was encrypted with a key that is not there."""


async def every(tx: Transaction) -> list[AddedUpstream]:
    rows = await tx.all(f"SELECT {_COLUMNS} FROM gateway_upstreams WHERE tenant = :tenant ORDER BY name")
    return [_added(row) for row in rows]


async def find(tx: Transaction, name: str) -> AddedUpstream | None:
    row = await tx.first(f"SELECT {_COLUMNS} FROM gateway_upstreams WHERE tenant = :tenant AND name = :name", name=name)
    return _added(row) if row else None


async def has_any(tx: Transaction) -> bool:
    return await tx.first("SELECT 1 AS one FROM gateway_upstreams WHERE tenant = :tenant LIMIT 1") is not None


async def put(tx: Transaction, upstream: AddedUpstream) -> None:
    await tx.execute(
        f"""INSERT INTO gateway_upstreams (tenant, {_COLUMNS})
            VALUES (:tenant, :name, :entry, :enabled, :created_by, :created_at, :changed_by, :changed_at)
            ON CONFLICT (tenant, name) DO UPDATE SET entry = excluded.entry, enabled = excluded.enabled,
                changed_by = excluded.changed_by, changed_at = excluded.changed_at""",
        name=upstream.name,
        entry=json.dumps(upstream.entry, ensure_ascii=False),
        enabled=int(upstream.enabled),
        created_by=upstream.created_by,
        created_at=upstream.created_at,
        changed_by=upstream.changed_by,
        changed_at=upstream.changed_at,
    )


async def remove(tx: Transaction, name: str) -> None:
    await tx.execute("DELETE FROM gateway_upstreams WHERE tenant = :tenant AND name = :name", name=name)


def _added(row: Row) -> AddedUpstream:
    return AddedUpstream(
        name=row["name"],
        entry=json.loads(row["entry"]),
        enabled=bool(row["enabled"]),
        created_by=row["created_by"],
        created_at=row["created_at"],
        changed_by=row["changed_by"],
        changed_at=row["changed_at"],
    )
