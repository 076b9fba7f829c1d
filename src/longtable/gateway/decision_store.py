"""SQL for decisions."""

from typing import Any, NamedTuple

from longtable.gateway.model import PREFIX, Decision, ExactCall, Status
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import canonical
from longtable.kernel.ids import numbered
from longtable.kernel.redact import without_secrets
from longtable.storage import counters
from longtable.storage.database import Row, Transaction

_COLUMNS = ", ".join(Decision.__slots__)


class DecisionWait(NamedTuple):
    """`until` is None while it lasts."""

    agent: str
    session_id: str
    tool: str
    since: int
    until: int | None


async def insert(
    tx: Transaction, exact_call: ExactCall, handle: str, now: int, expires_at: int, trace: str | None
) -> Decision:
    number = await counters.advance(tx, counters.TENANT_WIDE, "decision")
    await tx.execute(
        """INSERT INTO decisions (tenant, number, handle, kind, status, agent, session_id, workspace, tool, identity,
               upstream, description, why, arguments, steps, call_digest, definition_digest, policy_version,
               requested_at, expires_at, trace)
           VALUES (:tenant, :number, :handle, 'call', 'waiting', :agent, :session_id, :workspace, :tool, :identity,
               :upstream, :description, :why, :arguments, :steps, :call_digest, :definition_digest, :policy_version,
               :now, :expires_at, :trace)""",
        number=number,
        handle=handle,
        agent=exact_call.agent,
        session_id=exact_call.session_id,
        workspace=exact_call.workspace,
        tool=exact_call.tool,
        identity=exact_call.identity,
        upstream=exact_call.upstream,
        description=exact_call.description.replace("\0", "\ufffd"),
        why=None if exact_call.why is None else without_secrets(exact_call.why),
        arguments=exact_call.arguments,
        steps=None if exact_call.steps is None else canonical(exact_call.steps),
        call_digest=exact_call.digest,
        definition_digest=exact_call.definition_digest,
        policy_version=exact_call.policy_version,
        now=now,
        expires_at=expires_at,
        trace=trace,
    )
    found = await find(tx, number)
    assert found is not None
    return found


async def find(tx: Transaction, number: int) -> Decision | None:
    row = await tx.first(f"SELECT {_COLUMNS} FROM decisions WHERE tenant = :tenant AND number = :number", number=number)
    return _decision(row) if row else None


async def by_handle(tx: Transaction, handle: str) -> Decision | None:
    row = await tx.first(f"SELECT {_COLUMNS} FROM decisions WHERE tenant = :tenant AND handle = :handle", handle=handle)
    return _decision(row) if row else None


async def newest_for_call(tx: Transaction, call_digest: str) -> Decision | None:
    row = await tx.first(
        f"""SELECT {_COLUMNS} FROM decisions WHERE tenant = :tenant AND call_digest = :call_digest
            ORDER BY number DESC LIMIT 1""",
        call_digest=call_digest,
    )
    return _decision(row) if row else None


async def decide(tx: Transaction, decision: Decision) -> bool:
    """False when it was decided already."""
    changed = await tx.execute(
        """UPDATE decisions SET status = :status, decided_at = :decided_at, decided_by = :decided_by,
               reason = :reason, expires_at = :expires_at, standing_until = :standing_until, relayed = :relayed
           WHERE tenant = :tenant AND number = :number AND status = 'waiting'""",
        number=decision.number,
        status=decision.status,
        decided_at=decision.decided_at,
        decided_by=decision.decided_by,
        reason=decision.reason,
        expires_at=decision.expires_at,
        standing_until=decision.standing_until,
        relayed=decision.relayed,
    )
    return changed == 1


async def use(tx: Transaction, number: int, now: int) -> bool:
    """True for one caller only, also when several try at once."""
    changed = await tx.execute(
        """UPDATE decisions SET status = 'used', used_at = :now
           WHERE tenant = :tenant AND number = :number AND status = 'approved' AND expires_at > :now""",
        number=number,
        now=now,
    )
    return changed == 1


async def page(tx: Transaction, status: Status | None, before: int, now: int, limit: int) -> list[Decision]:
    """The newest first. A decision past its end counts as expired, also where its row says otherwise."""
    condition, parameters = _with_status(status, now)
    rows = await tx.all(
        f"""SELECT {_COLUMNS} FROM decisions WHERE tenant = :tenant AND number < :before {condition}
            ORDER BY number DESC LIMIT :limit""",
        before=before,
        limit=limit,
        **parameters,
    )
    return [_decision(row) for row in rows]


async def open_of_caller(tx: Transaction, caller: Caller, now: int, limit: int) -> list[tuple[str, str, str]]:
    """Id, tool and status of the caller's calls that wait for a person or may be made now, the newest first."""
    rows = await tx.all(
        """SELECT number, tool, status FROM decisions
           WHERE tenant = :tenant AND status IN ('waiting', 'approved') AND expires_at > :now
             AND agent = :agent AND session_id = :session_id ORDER BY number DESC LIMIT :limit""",
        agent=caller.agent,
        session_id=caller.session,
        now=now,
        limit=limit,
    )
    return [(numbered(PREFIX, row["number"]), row["tool"], row["status"]) for row in rows]


async def newest_waits(tx: Transaction, now: int, limit: int) -> list[DecisionWait]:
    """For the newest calls that needed a person: since when each waits, or until when it waited."""
    rows = await tx.tuples(
        """SELECT agent, session_id, tool, requested_at, decided_at, status, expires_at FROM decisions
           WHERE tenant = :tenant ORDER BY number DESC LIMIT :limit""",
        limit=limit,
    )
    return [
        DecisionWait(agent, session_id, tool, requested_at, decided_at)
        for agent, session_id, tool, requested_at, decided_at, status, expires_at in rows
        if session_id is not None and (decided_at is not None or (status == "waiting" and expires_at > now))
    ]


async def count_waiting(tx: Transaction, now: int, agent: str | None = None) -> int:
    """Of all agents, or of one."""
    of_agent = "" if agent is None else "AND agent = :agent"
    row = await tx.first(
        f"""SELECT COUNT(*) AS waiting FROM decisions
            WHERE tenant = :tenant AND status = 'waiting' AND expires_at > :now {of_agent}""",
        now=now,
        **({} if agent is None else {"agent": agent}),
    )
    return int(row["waiting"]) if row else 0


async def newest_denied(tx: Transaction, exact_call: ExactCall, since: int) -> Decision | None:
    """The same call by the same agent, in whichever session, that was denied after `since`."""
    row = await tx.first(
        f"""SELECT {_COLUMNS} FROM decisions WHERE tenant = :tenant AND status = 'denied' AND decided_at > :since
            AND agent = :agent AND upstream = :upstream AND identity = :identity AND arguments = :arguments
            ORDER BY number DESC LIMIT 1""",
        since=since,
        agent=exact_call.agent,
        upstream=exact_call.upstream,
        identity=exact_call.identity,
        arguments=exact_call.arguments,
    )
    return _decision(row) if row else None


async def forget(tx: Transaction, before: int) -> None:
    """In SYSTEM scope."""
    await tx.execute("DELETE FROM decisions WHERE requested_at < :before", before=before)


def _with_status(status: Status | None, now: int) -> tuple[str, dict[str, Any]]:
    if status is None:
        return "", {}
    if status == "expired":
        return "AND (status = 'expired' OR (status IN ('waiting', 'approved') AND expires_at <= :now))", {"now": now}
    if status in ("waiting", "approved"):
        return "AND status = :status AND expires_at > :now", {"status": status, "now": now}
    return "AND status = :status", {"status": status}


def _decision(row: Row) -> Decision:
    return Decision(**row)
