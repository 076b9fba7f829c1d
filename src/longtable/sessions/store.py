"""SQL for sessions."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from longtable.sessions.model import Session, Status
from longtable.storage import counters
from longtable.storage.database import Row, Transaction

_COLUMNS = "session_id, purpose, metadata, created_by, created_at, expires_at, status, origin, forked_from, fork_seq"
_REDACTIONS = "redaction"
WITH_STATUS: Mapping[Status, str] = {
    "active": "AND status = 'active' AND expires_at > :now",
    "expired": "AND (status = 'expired' OR (status = 'active' AND expires_at <= :now))",
    "closed": "AND status = 'closed'",
}


async def find(tx: Transaction, session_id: str) -> Session | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM sessions WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )
    return _session(row) if row else None


async def find_with_key(tx: Transaction, session_id: str) -> tuple[Session | None, str | None]:
    """The session, and its key where it was provisioned."""
    row = await tx.first(
        f"SELECT {_COLUMNS}, provision_key FROM sessions WHERE tenant = :tenant AND session_id = :session_id",
        session_id=session_id,
    )
    if row is None:
        return None, None
    columns = dict(row)
    key = columns.pop("provision_key")
    return _session(columns), key


async def next_number(tx: Transaction, session_id: str, name: str, now: int) -> int | None:
    """The next number of a counter of the session; None unless the session is open."""
    if tx.dialect == "sqlite":
        # Counted: without its tenant, the statement would find the sessions of this id of all tenants.
        found = await tx.first(
            f"""SELECT COUNT(*) AS open FROM sessions
                WHERE tenant = :tenant AND session_id = :session_id {WITH_STATUS["active"]}""",
            session_id=session_id,
            now=now,
        )
        is_open = found is not None and found["open"] == 1
        return await counters.advance(tx, session_id, name) if is_open else None
    row = await tx.first(
        f"""INSERT INTO counters (tenant, scope, name, value)
            SELECT :tenant, session_id, :name, 1 FROM sessions
            WHERE tenant = :tenant AND session_id = :session_id {WITH_STATUS["active"]}
            ON CONFLICT (tenant, scope, name) DO UPDATE SET value = counters.value + 1 RETURNING value""",
        session_id=session_id,
        name=name,
        now=now,
    )
    return int(row["value"]) if row else None


async def find_provisioned(tx: Transaction, key: str) -> Session | None:
    row = await tx.first(
        f"SELECT {_COLUMNS} FROM sessions WHERE tenant = :tenant AND provision_key = :key AND status = 'active'",
        key=key,
    )
    return _session(row) if row else None


async def give_up_key(tx: Transaction, session_id: str) -> None:
    """Another session can be provisioned with its key."""
    await tx.execute(
        "UPDATE sessions SET provision_key = NULL WHERE tenant = :tenant AND session_id = :session_id",
        session_id=session_id,
    )


async def insert(tx: Transaction, session: Session, provision_key: str | None) -> None:
    await tx.execute(
        """INSERT INTO sessions (tenant, session_id, purpose, metadata, created_by, created_at, expires_at, status,
               provision_key, forked_from, fork_seq)
           VALUES (:tenant, :session_id, :purpose, :metadata, :created_by, :created_at, :expires_at, :status,
               :provision_key, :forked_from, :fork_seq)""",
        session_id=session.session_id,
        purpose=session.purpose,
        metadata=json.dumps(session.metadata, separators=(",", ":")),
        created_by=session.created_by,
        created_at=session.created_at,
        expires_at=session.expires_at,
        status=session.status,
        provision_key=provision_key,
        forked_from=session.forked_from,
        fork_seq=session.fork_seq,
    )


async def count_redaction(tx: Transaction, session_id: str) -> None:
    await counters.step(tx, session_id, _REDACTIONS)


async def redactions_in(tx: Transaction, session_id: str) -> int:
    """Whoever copies texts compares it before and after: a copy must not outlive its redaction."""
    return await counters.current(tx, session_id, _REDACTIONS)


async def count_one_more(tx: Transaction) -> int:
    return await counters.advance(tx, counters.TENANT_WIDE, "session")


async def end(tx: Transaction, session_id: str, status: Status, now: int) -> None:
    await tx.execute(
        """UPDATE sessions SET status = :status, ended_at = :now
           WHERE tenant = :tenant AND session_id = :session_id AND status = 'active'""",
        session_id=session_id,
        status=status,
        now=now,
    )


async def set_expiry(tx: Transaction, session_id: str, expires_at: int) -> None:
    await tx.execute(
        "UPDATE sessions SET expires_at = :expires_at WHERE tenant = :tenant AND session_id = :session_id",
        session_id=session_id,
        expires_at=expires_at,
    )


async def page(
    tx: Transaction, status: Status | None, now: int, before: Sequence[Any] | None, limit: int
) -> list[Session]:
    """Newest first, after the moment and id in `before`. An active session whose time is over counts as expired."""
    conditions = WITH_STATUS[status] if status else ""
    parameters: dict[str, Any] = {"now": now} if ":now" in conditions else {}
    if before is not None:
        conditions += " AND (created_at < :at OR (created_at = :at AND session_id < :id))"
        parameters |= {"at": before[0], "id": before[1]}
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM sessions WHERE tenant = :tenant {conditions}
            ORDER BY created_at DESC, session_id DESC LIMIT :limit""",
        limit=limit,
        **parameters,
    )
    return [_session(row) for row in rows]


async def overdue(tx: Transaction, now: int, limit: int) -> Sequence[tuple[str, str]]:
    """Tenant and id of active sessions whose time is over; in SYSTEM scope."""
    rows = await tx.all(
        """SELECT tenant, session_id FROM sessions WHERE status = 'active' AND expires_at <= :now
           ORDER BY expires_at LIMIT :limit""",
        now=now,
        limit=limit,
    )
    return [(row["tenant"], row["session_id"]) for row in rows]


async def purgeable(tx: Transaction, before: int, limit: int) -> Sequence[tuple[str, str]]:
    """Tenant and id of sessions whose archive has been kept here long enough; in SYSTEM scope."""
    rows = await tx.all(
        """SELECT tenant, session_id FROM sessions
           WHERE ((status = 'expired' AND ended_at <= :before) OR (status = 'closed' AND expires_at <= :before))
             AND (imported_at IS NULL OR imported_at <= :before)
           ORDER BY expires_at LIMIT :limit""",
        before=before,
        limit=limit,
    )
    return [(row["tenant"], row["session_id"]) for row in rows]


async def delete(tx: Transaction, session_id: str) -> None:
    """Removes the session and what every slice shares; each slice removes its own rows."""
    for table in ("events", "idempotency", "sessions"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
        )
    await tx.execute("DELETE FROM counters WHERE tenant = :tenant AND scope = :session_id", session_id=session_id)
    await counters.step(tx, counters.TENANT_WIDE, "session", -1)


def _session(row: Row) -> Session:
    return Session(**{**row, "metadata": json.loads(row["metadata"])})
