"""SQL for who does what. No statement reads more of the log than it shows: each goes through an index, and each has a
limit."""

import json
from collections.abc import Iterable, Mapping, Sequence

from longtable.fulltext.index import one_of
from longtable.kernel.caller import Caller
from longtable.kernel.clock import HOUR
from longtable.kernel.names import HUMAN_PREFIX
from longtable.log.model import viewer, visible_rows
from longtable.log.reader import COLUMNS, LoggedEvent
from longtable.now.model import MAX_COUNTED, HeldTask, Place, Span, TaskStatusChange
from longtable.sessions.store import WITH_STATUS
from longtable.storage.database import Dialect, Transaction

_VISIBLE = visible_rows("events.actor", "events.actor_type")
_MOVED = "kind = 'scratchpad/checklist_updated'"
"""The condition of the index `events_of_tasks`, to the letter."""
_HOURS: Mapping[Dialect, str] = {
    "sqlite": "SELECT value AS hour FROM json_each(:hours)",
    "postgres": """SELECT CAST(item AS BIGINT) AS hour
        FROM jsonb_array_elements_text(CAST(:hours AS jsonb)) AS list(item)""",
}
_TITLE = "SUBSTR(description, 1, 400)"


async def busiest(tx: Transaction, caller: Caller, now: int, limit: int) -> dict[str, str]:
    """The purposes of the open sessions in which something happened last, by id."""
    rows = await tx.tuples(
        f"""SELECT session_id, purpose, (SELECT seq FROM events WHERE events.tenant = :tenant
                AND events.session_id = sessions.session_id AND {_VISIBLE} ORDER BY seq DESC LIMIT 1) AS newest
            FROM sessions WHERE tenant = :tenant {WITH_STATUS["active"]}
            ORDER BY newest DESC NULLS LAST, session_id LIMIT :limit""",
        now=now,
        limit=limit,
        **viewer(caller),
    )
    return {session_id: purpose for session_id, purpose, _ in rows}


async def last_events(tx: Transaction, caller: Caller, sessions: Iterable[str], limit: int) -> list[LoggedEvent]:
    """What each agent of these sessions did last, the newest first. The query jumps from name to name in the index, so
    that a million events of one agent cost as much as one."""
    next_name = "SELECT MIN(actor) FROM events WHERE events.tenant = :tenant AND events.session_id = {place}"
    numbers = await tx.tuples(
        f"""WITH RECURSIVE seen AS (
                SELECT session_id, ({next_name.format(place="sessions.session_id")}) AS actor
                FROM sessions WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "sessions")}
                UNION ALL
                SELECT session_id, ({next_name.format(place="seen.session_id")} AND events.actor > seen.actor)
                FROM seen WHERE actor IS NOT NULL
            )
            SELECT (SELECT seq FROM events WHERE events.tenant = :tenant
                        AND events.session_id = seen.session_id AND events.actor = seen.actor
                        AND actor_type <> 'system' AND {_VISIBLE} ORDER BY created_at DESC, seq DESC LIMIT 1) AS last
            FROM seen WHERE actor IS NOT NULL AND SUBSTR(actor, 1, {len(HUMAN_PREFIX)}) <> '{HUMAN_PREFIX}'
            ORDER BY last DESC NULLS LAST LIMIT :limit""",
        sessions=json.dumps(list(sessions)),
        limit=limit,
        **viewer(caller),
    )
    rows = await tx.all(
        f"""SELECT {COLUMNS} FROM events WHERE tenant = :tenant AND {one_of(tx.dialect, "seq", "numbers", "bigint")}
            ORDER BY seq DESC""",
        numbers=json.dumps([number for (number,) in numbers if number is not None]),
    )
    return [LoggedEvent(**row) for row in rows]


async def count_by_hour(
    tx: Transaction, places: Iterable[Place], hours: Iterable[int]
) -> list[tuple[str, str, int, int]]:
    """Session, agent, hour since 1970 and number of events: so many stretches of an index, of which each is counted up
    to a limit. To group them would mean to sort them all."""
    rows = await tx.tuples(
        f"""SELECT places.session_id, places.name, hours.hour, (SELECT COUNT(*) FROM (SELECT 1 FROM events
                WHERE events.tenant = :tenant AND events.session_id = places.session_id AND events.actor = places.name
                  AND events.created_at >= hours.hour * {HOUR} AND events.created_at < (hours.hour + 1) * {HOUR}
                LIMIT {MAX_COUNTED}) AS counted)
            FROM ({_listed(tx.dialect, "text")}) AS places CROSS JOIN ({_HOURS[tx.dialect]}) AS hours""",
        listed=json.dumps(list(places)),
        hours=json.dumps(list(hours)),
    )
    return [(session_id, agent, hour, count) for session_id, agent, hour, count in rows]


async def held_tasks(tx: Transaction, sessions: Iterable[str], now: int, limit: int) -> list[HeldTask]:
    """The tasks that somebody works on, the most recently changed first."""
    rows = await tx.tuples(
        f"""SELECT session_id, number, {_TITLE}, COALESCE(lease_holder, assigned_to), lease_expires_at, updated_at
            FROM tasks WHERE tenant = :tenant AND {one_of(tx.dialect, "session_id", "sessions")}
              AND status = 'in_progress' AND (lease_expires_at IS NULL OR lease_expires_at > :now)
            ORDER BY updated_at DESC, number LIMIT :limit""",
        sessions=json.dumps(list(sessions)),
        now=now,
        limit=limit,
    )
    return [HeldTask(*row) for row in rows]


async def task_status_changes(tx: Transaction, since: int, limit: int) -> list[TaskStatusChange]:
    """The newest changes, in the order in which they happened."""
    rows = await tx.tuples(
        f"""SELECT session_id, actor, payload, created_at FROM events
            WHERE tenant = :tenant AND created_at > :since AND {_MOVED} AND session_id IS NOT NULL
            ORDER BY created_at DESC, seq DESC LIMIT :limit""",
        since=since,
        limit=limit,
    )
    changes = [(session_id, actor, json.loads(payload), at) for session_id, actor, payload, at in reversed(rows)]
    return [
        TaskStatusChange(session_id, event["item_id"], actor, event["old_status"], event["new_status"], at)
        for session_id, actor, event, at in changes
    ]


async def open_questions(tx: Transaction, now: int, limit: int) -> list[tuple[Place, int, str, bool]]:
    """For each question: session and asker, moment, text, and whether the work waits for the answer."""
    rows = await tx.tuples(
        """SELECT session_id, asked_by, asked_at, SUBSTR(question, 1, 400), blocking FROM questions
           WHERE tenant = :tenant AND status = 'pending' AND (expires_at IS NULL OR expires_at > :now)
           ORDER BY blocking DESC, CASE priority WHEN 'high' THEN 2 WHEN 'medium' THEN 1 ELSE 0 END DESC,
               asked_at DESC LIMIT :limit""",
        now=now,
        limit=limit,
    )
    return [((session_id, agent), at, text, bool(blocking)) for session_id, agent, at, text, blocking in rows]


async def answered_questions(tx: Transaction, since: int, limit: int) -> list[Span]:
    """The waits for answers that ended since then."""
    rows = await tx.tuples(
        """SELECT asked_by, session_id, SUBSTR(question, 1, 400), asked_at, answered_at FROM questions
           WHERE tenant = :tenant AND status = 'answered' AND answered_at > :since
           ORDER BY answered_at DESC LIMIT :limit""",
        since=since,
        limit=limit,
    )
    return [
        Span(agent, session_id, "wait", text, max(asked_at, since), answered_at)
        for agent, session_id, text, asked_at, answered_at in rows
    ]


async def task_titles(tx: Transaction, tasks: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """The descriptions of tasks, by session and number."""
    return await _texts(tx, "tasks", "description", tasks)


async def question_titles(tx: Transaction, questions: Sequence[tuple[str, int]]) -> dict[tuple[str, int], str]:
    return await _texts(tx, "questions", "question", questions)


async def _texts(
    tx: Transaction, table: str, column: str, listed: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    if not listed:
        return {}
    rows = await tx.tuples(
        f"""SELECT listed.session_id, listed.name, SUBSTR({table}.{column}, 1, 400)
            FROM ({_listed(tx.dialect, "bigint")}) AS listed CROSS JOIN {table}
            WHERE {table}.tenant = :tenant AND {table}.session_id = listed.session_id
              AND {table}.number = listed.name""",
        listed=json.dumps(listed),
    )
    return {(session_id, number): text for session_id, number, text in rows}


def _listed(dialect: Dialect, kind: str) -> str:
    """Pairs of a session and a name or number, bound as JSON. CROSS JOIN makes SQLite look up each of them."""
    if dialect == "postgres":
        return f"""SELECT item ->> 0 AS session_id, CAST(item ->> 1 AS {kind}) AS name
            FROM jsonb_array_elements(CAST(:listed AS jsonb)) AS list(item)"""
    return (
        "SELECT json_extract(value, '$[0]') AS session_id, json_extract(value, '$[1]') AS name FROM json_each(:listed)"
    )
