"""SQL for pins: the accepted definition of each tool, and a changed one that waits for a person."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from longtable.governance.scan import Suspicion
from longtable.storage.database import Row, Transaction

PinStatus = Literal["accepted", "quarantined"]
_COLUMNS = """upstream, remote, status, digest, definition, waiting_digest, waiting_definition, suspicions,
    first_seen_at, changed_at, accepted_by"""


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


async def of_upstream(tx: Transaction, upstream: str) -> dict[str, Pin]:
    rows = await tx.all(
        f"SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream", upstream=upstream
    )
    return {row["remote"]: _pin(row) for row in rows}


async def find(tx: Transaction, upstream: str, remote: str) -> Pin | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND upstream = :upstream AND remote = :remote",
        upstream=upstream,
        remote=remote,
    )
    return _pin(row) if row else None


async def waiting(tx: Transaction) -> list[Pin]:
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM tool_pins WHERE tenant = :tenant AND status = 'quarantined'
            ORDER BY upstream, remote"""
    )
    return [_pin(row) for row in rows]


async def flagged(tx: Transaction) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Suspicions by upstream and tool, of usable and quarantined tools."""
    rows = await tx.all(
        "SELECT upstream, remote, suspicions FROM tool_pins WHERE tenant = :tenant AND suspicions <> '[]'"
    )
    return {(row["upstream"], row["remote"]): json.loads(row["suspicions"]) for row in rows}


async def put(tx: Transaction, pins: Sequence[Pin]) -> None:
    await tx.execute_many(
        f"""INSERT INTO tool_pins (tenant, {_COLUMNS})
            VALUES (:tenant, :upstream, :remote, :status, :digest, :definition, :waiting_digest, :waiting_definition,
                :suspicions, :first_seen_at, :changed_at, :accepted_by)
            ON CONFLICT (tenant, upstream, remote) DO UPDATE SET status = excluded.status, digest = excluded.digest,
                definition = excluded.definition, waiting_digest = excluded.waiting_digest,
                waiting_definition = excluded.waiting_definition, suspicions = excluded.suspicions,
                changed_at = excluded.changed_at, accepted_by = excluded.accepted_by""",
        [_fields(pin) for pin in pins],
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


def _fields(pin: Pin) -> dict[str, Any]:
    waiting = None if pin.waiting_definition is None else json.dumps(pin.waiting_definition, ensure_ascii=False)
    return {
        "upstream": pin.upstream,
        "remote": pin.remote,
        "status": pin.status,
        "digest": pin.digest,
        "definition": json.dumps(pin.definition, ensure_ascii=False),
        "waiting_digest": pin.waiting_digest,
        "waiting_definition": waiting,
        "suspicions": json.dumps(pin.suspicions, ensure_ascii=False),
        "first_seen_at": pin.first_seen_at,
        "changed_at": pin.changed_at,
        "accepted_by": pin.accepted_by,
    }


def _pin(row: Row) -> Pin:
    waiting = row["waiting_definition"]
    return Pin(
        upstream=row["upstream"],
        remote=row["remote"],
        status=row["status"],
        digest=row["digest"],
        definition=json.loads(row["definition"]),
        waiting_digest=row["waiting_digest"],
        waiting_definition=None if waiting is None else json.loads(waiting),
        suspicions=json.loads(row["suspicions"]),
        first_seen_at=row["first_seen_at"],
        changed_at=row["changed_at"],
        accepted_by=row["accepted_by"],
    )
