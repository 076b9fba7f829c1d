"""SQL for notifiers and notices."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from longtable.fulltext.index import one_of
from longtable.gateway.model import PREFIX as DECISION
from longtable.kernel.clock import MINUTE
from longtable.kernel.ids import number_of, numbered
from longtable.kernel.names import HUMAN_PREFIX
from longtable.notifiers.model import Notifier, OutgoingNotice, subject
from longtable.plan.model import task_id
from longtable.questions.model import question_id
from longtable.storage.database import Row, Transaction

_NOTIFIER = ", ".join(Notifier._fields)
_NOTICE = ", ".join(OutgoingNotice._fields)
_MAX_DUE: Final = 1_000
_KINDS = "kind IN ('scratchpad/question_added', 'gateway/approval_requested', 'scratchpad/checklist_updated')"
_OPEN_SESSION = """(SELECT sessions.expires_at FROM sessions WHERE sessions.tenant = :tenant
    AND sessions.session_id = {table}.session_id AND sessions.status = 'active') > :now"""
_HOLDER = "COALESCE(tasks.lease_holder, tasks.assigned_to)"


class LoggedNeed(NamedTuple):
    """An event of one of the kinds that people may be called for."""

    seq: int
    kind: str
    session_id: str | None
    actor: str
    payload: dict[str, Any]
    created_at: int


class SilentAgent(NamedTuple):
    session_id: str
    agent: str
    since: int


async def every(tx: Transaction) -> list[Notifier]:
    rows = await tx.all(f"SELECT {_NOTIFIER} FROM notifiers WHERE tenant = :tenant ORDER BY name")
    return [_notifier(row) for row in rows]


async def find(tx: Transaction, name: str) -> Notifier | None:
    row = await tx.first(f"SELECT {_NOTIFIER} FROM notifiers WHERE tenant = :tenant AND name = :name", name=name)
    return _notifier(row) if row else None


async def find_to_change(tx: Transaction, name: str) -> Notifier | None:
    """Locked until the end of the transaction, so that two processes never take the same notice."""
    row = await tx.first(
        f"UPDATE notifiers SET failures = failures WHERE tenant = :tenant AND name = :name RETURNING {_NOTIFIER}",
        name=name,
    )
    return _notifier(row) if row else None


async def insert(tx: Transaction, notifier: Notifier) -> bool:
    """False where there is one of this name."""
    row = await tx.first(
        f"""INSERT INTO notifiers (tenant, {_NOTIFIER})
            VALUES (:tenant, {", ".join(f":{name}" for name in Notifier._fields)})
            ON CONFLICT (tenant, name) DO NOTHING RETURNING name""",
        **{
            **notifier._asdict(),
            "events": ",".join(notifier.events),
            "allow_private": int(notifier.allow_private),
            "gone": int(notifier.gone),
        },
    )
    return row is not None


async def remove(tx: Transaction, name: str) -> bool:
    await tx.execute("DELETE FROM notices WHERE tenant = :tenant AND notifier = :name", name=name)
    return await tx.execute("DELETE FROM notifiers WHERE tenant = :tenant AND name = :name", name=name) == 1


async def advance(tx: Transaction, name: str, position: int) -> None:
    await tx.execute(
        "UPDATE notifiers SET position = :position WHERE tenant = :tenant AND name = :name AND position < :position",
        name=name,
        position=position,
    )


async def set_health(tx: Transaction, notifier: Notifier) -> None:
    await tx.execute(
        """UPDATE notifiers SET failures = :failures, paused_until = :paused_until, gone = :gone
           WHERE tenant = :tenant AND name = :name""",
        name=notifier.name,
        failures=notifier.failures,
        paused_until=notifier.paused_until,
        gone=int(notifier.gone),
    )


async def tenants(tx: Transaction) -> list[str]:
    """Those that have notifiers; in SYSTEM scope."""
    return [tenant for (tenant,) in await tx.tuples("SELECT DISTINCT tenant FROM notifiers ORDER BY tenant")]


async def tenants_of_file(tx: Transaction) -> list[str]:
    """Those that have notifiers of the file; in SYSTEM scope."""
    return [tenant for (tenant,) in await tx.tuples("SELECT DISTINCT tenant FROM notifiers WHERE source = 'file'")]


async def due(tx: Transaction, now: int) -> list[tuple[str, str]]:
    """Tenant and name of the notifiers that have something to send; in SYSTEM scope."""
    rows = await tx.tuples(
        """SELECT DISTINCT notices.tenant, notices.notifier FROM notices
           JOIN notifiers ON notifiers.tenant = notices.tenant AND notifiers.name = notices.notifier
           WHERE notices.status = 'waiting' AND notices.due_at <= :now
             AND notifiers.paused_until <= :now AND notifiers.gone = 0""",
        now=now,
    )
    return [(tenant, name) for tenant, name in rows]


async def needs_after(tx: Transaction, after: int, limit: int) -> list[LoggedNeed]:
    rows = await tx.tuples(
        f"""SELECT seq, kind, session_id, actor, payload, created_at FROM events
            WHERE tenant = :tenant AND seq > :after AND {_KINDS} ORDER BY seq LIMIT :limit""",
        after=after,
        limit=limit,
    )
    needs = [LoggedNeed(row[0], row[1], row[2], row[3], json.loads(row[4]), row[5]) for row in rows]
    numbers = [number_of(DECISION, need.payload.get("decision_id", "")) for need in needs]
    sessions = await _sessions_of_decisions(tx, [number for number in numbers if number is not None])
    return [
        need if number is None else need._replace(session_id=sessions.get(number))
        for need, number in zip(needs, numbers, strict=True)
    ]


async def _sessions_of_decisions(tx: Transaction, numbers: Sequence[int]) -> dict[int, str | None]:
    """The events of decisions belong to no session."""
    if not numbers:
        return {}
    rows = await tx.tuples(
        f"""SELECT number, session_id FROM decisions
            WHERE tenant = :tenant AND {one_of(tx.dialect, "number", "numbers", "bigint")}""",
        numbers=json.dumps(numbers),
    )
    return {number: session_id for number, session_id in rows}


async def silent_agents(tx: Transaction, before: int, now: int, limit: int) -> list[SilentAgent]:
    """Agents with a task in progress that have done nothing since `before` and do not wait for a person. The task of
    one whose lease ran out is still theirs, until another takes it."""
    rows = await tx.tuples(
        f"""SELECT session_id, agent, MAX(since) FROM (
                SELECT tasks.session_id AS session_id, {_HOLDER} AS agent,
                    COALESCE((SELECT events.created_at FROM events WHERE events.tenant = :tenant
                        AND events.session_id = tasks.session_id AND events.actor = {_HOLDER}
                        ORDER BY events.created_at DESC LIMIT 1), tasks.updated_at) AS since
                FROM tasks WHERE tasks.tenant = :tenant AND tasks.status = 'in_progress' AND tasks.updated_at < :before
                  AND {_HOLDER} IS NOT NULL AND SUBSTR({_HOLDER}, 1, {len(HUMAN_PREFIX)}) <> '{HUMAN_PREFIX}'
                  AND {_OPEN_SESSION.format(table="tasks")}
                  AND NOT EXISTS (SELECT 1 FROM questions WHERE questions.tenant = :tenant
                      AND questions.session_id = tasks.session_id AND questions.asked_by = {_HOLDER}
                      AND questions.status = 'pending'
                      AND (questions.expires_at IS NULL OR questions.expires_at > :now))
                  AND NOT EXISTS (SELECT 1 FROM decisions WHERE decisions.tenant = :tenant
                      AND decisions.session_id = tasks.session_id AND decisions.agent = {_HOLDER}
                      AND decisions.status = 'waiting' AND decisions.expires_at > :now)
            ) AS held WHERE since < :before GROUP BY session_id, agent ORDER BY session_id, agent LIMIT :limit""",
        before=before,
        now=now,
        limit=limit,
    )
    return [SilentAgent(session_id, agent, since) for session_id, agent, since in rows]


async def add(tx: Transaction, notices: Iterable[OutgoingNotice]) -> None:
    """What a notifier was sent before is left out."""
    await tx.execute_many(
        f"""INSERT INTO notices (tenant, {_NOTICE})
            VALUES (:tenant, {", ".join(f":{name}" for name in OutgoingNotice._fields)})
            ON CONFLICT (tenant, notifier, about) DO NOTHING""",
        [notice._asdict() for notice in notices],
    )


async def waiting(tx: Transaction, notifier: str, now: int) -> list[OutgoingNotice]:
    """The oldest first."""
    rows = await tx.all(
        f"""SELECT {_NOTICE} FROM notices WHERE tenant = :tenant AND notifier = :notifier
            AND status = 'waiting' AND due_at <= :now ORDER BY created_at, notice_id LIMIT {_MAX_DUE}""",
        notifier=notifier,
        now=now,
    )
    return [OutgoingNotice(**row) for row in rows]


async def attempts_in_last_minute(tx: Transaction, notifier: str, now: int) -> int:
    row = await tx.first(
        """SELECT COUNT(*) AS number FROM notices
           WHERE tenant = :tenant AND notifier = :notifier AND attempted_at > :since""",
        notifier=notifier,
        since=now - MINUTE,
    )
    assert row is not None
    return int(row["number"])


async def save(tx: Transaction, notice: OutgoingNotice) -> None:
    await tx.execute(
        """UPDATE notices SET status = :status, attempts = :attempts, due_at = :due_at, attempted_at = :attempted_at,
               response = :response, problem = :problem
           WHERE tenant = :tenant AND notice_id = :notice_id""",
        notice_id=notice.notice_id,
        status=notice.status,
        attempts=notice.attempts,
        due_at=notice.due_at,
        attempted_at=notice.attempted_at,
        response=notice.response,
        problem=notice.problem,
    )


async def set_status(tx: Transaction, notices: Sequence[OutgoingNotice], status: str) -> None:
    if notices:
        await tx.execute(
            f"""UPDATE notices SET status = :status
                WHERE tenant = :tenant AND {one_of(tx.dialect, "notice_id", "listed")}""",
            status=status,
            listed=json.dumps([notice.notice_id for notice in notices]),
        )


async def still_open(tx: Transaction, notices: Sequence[OutgoingNotice], now: int) -> set[str]:
    """What notices may be about that still waits for a person: questions, decisions, and tasks that have failed."""
    sessions = json.dumps(sorted({notice.session_id for notice in notices if notice.session_id is not None}))
    types = {notice.type for notice in notices}
    found: set[str] = set()
    if "question" in types:
        rows = await tx.tuples(
            f"""SELECT session_id, number FROM questions WHERE tenant = :tenant AND status = 'pending'
                AND (expires_at IS NULL OR expires_at > :now) AND {one_of(tx.dialect, "session_id", "sessions")}
                AND {_OPEN_SESSION.format(table="questions")}""",
            sessions=sessions,
            now=now,
        )
        found |= {subject("question", session_id, question_id(number)) for session_id, number in rows}
    if "approval" in types:
        rows = await tx.tuples(
            "SELECT number FROM decisions WHERE tenant = :tenant AND status = 'waiting' AND expires_at > :now", now=now
        )
        found |= {subject("approval", None, numbered(DECISION, number)) for (number,) in rows}
    if "task_failed" in types:
        rows = await tx.tuples(
            f"""SELECT session_id, number FROM tasks WHERE tenant = :tenant AND status = 'failed'
                AND {one_of(tx.dialect, "session_id", "sessions")}""",
            sessions=sessions,
        )
        found |= {subject("task_failed", session_id, task_id(number)) for session_id, number in rows}
    return found


async def purpose_of(tx: Transaction, session_id: str) -> str | None:
    row = await tx.first(
        "SELECT purpose FROM sessions WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id
    )
    return None if row is None else str(row["purpose"])


async def deliveries(tx: Transaction, notifier: str, limit: int) -> list[OutgoingNotice]:
    """The newest first; those that became part of a digest are counted there."""
    rows = await tx.all(
        f"""SELECT {_NOTICE} FROM notices WHERE tenant = :tenant AND notifier = :notifier AND status <> 'in_digest'
            ORDER BY created_at DESC, notice_id DESC LIMIT :limit""",
        notifier=notifier,
        limit=limit,
    )
    return [OutgoingNotice(**row) for row in rows]


async def last_attempt(tx: Transaction, notifier: str) -> OutgoingNotice | None:
    row = await tx.first(
        f"""SELECT {_NOTICE} FROM notices WHERE tenant = :tenant AND notifier = :notifier AND attempted_at IS NOT NULL
            ORDER BY attempted_at DESC LIMIT 1""",
        notifier=notifier,
    )
    return OutgoingNotice(**row) if row else None


async def forget(tx: Transaction, before: int) -> None:
    """In SYSTEM scope."""
    await tx.execute("DELETE FROM notices WHERE created_at < :before", before=before)


async def purge(tx: Transaction, session_id: str) -> None:
    await tx.execute("DELETE FROM notices WHERE tenant = :tenant AND session_id = :session_id", session_id=session_id)


def _notifier(row: Row) -> Notifier:
    flags = {name: bool(row[name]) for name in ("allow_private", "gone")}
    return Notifier(**{**row, "events": tuple(row["events"].split(",")), **flags})
