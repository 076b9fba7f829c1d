"""SQL for pins: the accepted definition of each tool, and a changed one that waits for a person."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from longtable.gateway.stored_fields import fields_of, row_of
from longtable.governance.scan import Suspicion
from longtable.storage.database import Transaction

PinStatus = Literal["accepted", "quarantined"]
_AS_JSON = ("definition", "waiting_definition", "suspicions")


@dataclass(frozen=True, slots=True)
class Pin:
    """`digest` is the accepted definition, empty if none was; `waiting_digest` is the changed one."""

    upstream: str
    remote: str
    status: PinStatus
    digest: str
    definition: Mapping[str, Any]
    waiting_digest: str | None
    waiting_definition: Mapping[str, Any] | None
    suspicions: Sequence[Mapping[str, str]]
    first_seen_at: int
    changed_at: int
    accepted_by: str | None

    def covers(self, digest: str) -> bool:
        return self.status == "accepted" and self.digest == digest


_COLUMNS = ", ".join(Pin.__slots__)


async def of_upstream(tx: Transaction, upstream: str) -> dict[str, Pin]:
    rows = await tx.all(
        f"SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream", upstream=upstream
    )
    return {row["remote"]: Pin(**fields_of(row, _AS_JSON)) for row in rows}


async def find(tx: Transaction, upstream: str, remote: str) -> Pin | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream AND remote = :remote",
        upstream=upstream,
        remote=remote,
    )
    return Pin(**fields_of(row, _AS_JSON)) if row else None


async def are_all_accepted(tx: Transaction, upstream: str) -> bool:
    """Whether tools of the upstream are known, and none of them waits for a person."""
    rows = await tx.all(
        "SELECT DISTINCT status FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream", upstream=upstream
    )
    return [row["status"] for row in rows] == ["accepted"]


async def waiting(tx: Transaction) -> list[Pin]:
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND status = 'quarantined'
            ORDER BY upstream, remote"""
    )
    return [Pin(**fields_of(row, _AS_JSON)) for row in rows]


async def flagged(tx: Transaction) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Suspicions by upstream and tool, of usable and quarantined tools."""
    rows = await tx.all(
        "SELECT upstream, remote, suspicions FROM tool_pins WHERE tenant = :tenant AND suspicions <> '[]'"
    )
    return {(row["upstream"], row["remote"]): json.loads(row["suspicions"]) for row in rows}


async def put(tx: Transaction, pins: Sequence[Pin]) -> None:
    await tx.execute_many(
        f"""INSERT INTO tool_pins (tenant, {_COLUMNS})
            VALUES (:tenant, {", ".join(f":{name}" for name in Pin.__slots__)})
            ON CONFLICT (tenant, upstream, remote) DO UPDATE SET status = excluded.status, digest = excluded.digest,
                definition = excluded.definition, waiting_digest = excluded.waiting_digest,
                waiting_definition = excluded.waiting_definition, suspicions = excluded.suspicions,
                changed_at = excluded.changed_at, accepted_by = excluded.accepted_by""",
        [row_of(pin, _AS_JSON) for pin in pins],
    )


async def forget(tx: Transaction, upstream: str, remote: str) -> None:
    await tx.execute(
        "DELETE FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream AND remote = :remote",
        upstream=upstream,
        remote=remote,
    )


async def forget_upstream(tx: Transaction, upstream: str) -> None:
    await tx.execute("DELETE FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream", upstream=upstream)


def as_json(suspicions: Sequence[Suspicion]) -> list[dict[str, str]]:
    return [{"kind": each.kind, "place": each.place, "excerpt": each.excerpt} for each in suspicions]
