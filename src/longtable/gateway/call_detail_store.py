"""SQL for what was in calls."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from longtable.storage.database import Transaction

KEPT_CALLS: Final = 5_000
"""So many details are kept for each tenant, the newest."""


@dataclass(frozen=True, slots=True)
class KeptCall:
    """`arguments`, `result` and `error` are as `kept_json` makes them; `duration` is in microseconds."""

    call_id: str
    tool: str
    upstream: str | None
    agent: str
    session_id: str | None
    layer: str | None
    confirm: str | None
    rule: str | None
    outcome: str
    duration: int
    decision_id: str | None
    definition_digest: str | None
    arguments: str
    result: str | None
    error: str | None
    created_at: int


_COLUMNS = ", ".join(field.name for field in fields(KeptCall))
_VALUES = ", ".join(f":{field.name}" for field in fields(KeptCall))


async def insert(tx: Transaction, call: KeptCall) -> None:
    await tx.enqueue(f"INSERT INTO call_details (tenant, {_COLUMNS}) VALUES (:tenant, {_VALUES})", **asdict(call))


async def put_definition(tx: Transaction, digest: str, definition: Mapping[str, Any], now: int) -> None:
    await tx.enqueue(
        """INSERT INTO call_definitions (tenant, digest, definition, used_at)
           VALUES (:tenant, :digest, :definition, :now)
           ON CONFLICT (tenant, digest) DO UPDATE SET used_at = excluded.used_at""",
        digest=digest,
        definition=json.dumps(definition),
        now=now,
    )


async def find(tx: Transaction, call_id: str) -> tuple[KeptCall, str | None] | None:
    """The call, and what its session is for."""
    row = await tx.first(
        f"""SELECT {_COLUMNS}, (SELECT purpose FROM sessions WHERE sessions.tenant = :tenant
                AND sessions.session_id = call_details.session_id) AS purpose
            FROM call_details WHERE tenant = :tenant AND call_id = :call_id""",
        call_id=call_id,
    )
    if row is None:
        return None
    return KeptCall(**{field.name: row[field.name] for field in fields(KeptCall)}), row["purpose"]


async def definition(tx: Transaction, digest: str | None) -> dict[str, Any] | None:
    row = await tx.first(
        "SELECT definition FROM call_definitions WHERE tenant = :tenant AND digest = :digest", digest=digest or ""
    )
    found: dict[str, Any] | None = None if row is None else json.loads(row["definition"])
    return found


async def purge(tx: Transaction, session_id: str) -> None:
    await tx.execute(
        "DELETE FROM call_details WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )


async def forget(tx: Transaction, before: int, definitions_before: int) -> None:
    """In SYSTEM scope: what is older, and of each tenant what is beyond the newest."""
    await tx.execute("DELETE FROM call_details WHERE created_at < :before", before=before)
    await tx.execute("DELETE FROM call_definitions WHERE used_at < :before", before=definitions_before)
    tenants = await tx.tuples(
        "SELECT tenant FROM call_details GROUP BY tenant HAVING COUNT(*) > :most", most=KEPT_CALLS
    )
    for (name,) in tenants:
        await tx.execute(
            """DELETE FROM call_details WHERE tenant = :name AND created_at <= (
                   SELECT created_at FROM call_details WHERE tenant = :name
                   ORDER BY created_at DESC LIMIT 1 OFFSET :most)""",
            name=name,
            most=KEPT_CALLS,
        )
