"""SQL for the upstreams that were added at run time."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from longtable.storage.database import Row, Transaction

_NAMES = ("name", "entry", "enabled", "created_by", "created_at", "changed_by", "changed_at")
_COLUMNS = ", ".join(_NAMES)


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
    fields = {name: getattr(upstream, name) for name in _NAMES}
    fields |= {"entry": json.dumps(upstream.entry, ensure_ascii=False), "enabled": int(upstream.enabled)}
    await tx.execute(
        f"""INSERT INTO gateway_upstreams (tenant, {_COLUMNS})
            VALUES (:tenant, {", ".join(f":{name}" for name in _NAMES)})
            ON CONFLICT (tenant, name) DO UPDATE SET entry = excluded.entry, enabled = excluded.enabled,
                changed_by = excluded.changed_by, changed_at = excluded.changed_at""",
        **fields,
    )


async def remove(tx: Transaction, name: str) -> None:
    await tx.execute("DELETE FROM gateway_upstreams WHERE tenant = :tenant AND name = :name", name=name)


def _added(row: Row) -> AddedUpstream:
    return AddedUpstream(**{**row, "entry": json.loads(row["entry"]), "enabled": bool(row["enabled"])})
