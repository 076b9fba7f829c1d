"""SQL for questions and checkpoints."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from longtable.log.model import Replaced
from longtable.questions.model import Checkpoint, Priority, Question, Status, TableQuestion
from longtable.storage import counters
from longtable.storage.database import Row, Transaction

_STATUS = "CASE WHEN status = 'pending' AND expires_at <= :now THEN 'expired' ELSE status END"
_COLUMNS = f"""number, question, context, asked_by, asked_at, priority, blocking, options, expires_at,
               {_STATUS} AS status, answer, answered_at, answered_by, by_human, require_human, origin,
               answer_origin"""
_HAS_STATUS: Mapping[Status, str] = {
    "pending": "status = 'pending' AND (expires_at IS NULL OR expires_at > :now)",
    "answered": "status = 'answered'",
    "expired": "(status = 'expired' OR (status = 'pending' AND expires_at <= :now))",
    "withdrawn": "status = 'withdrawn'",
}
_OURS = "tenant = :tenant AND session_id = :session_id"
_RANK = "CASE priority WHEN 'high' THEN 2 WHEN 'medium' THEN 1 ELSE 0 END"
_URGENCY = ("blocking", _RANK, "asked_at", "session_id", "number")
"""In the order of the index."""
_SESSION = "FROM sessions WHERE sessions.tenant = :tenant AND sessions.session_id = questions.session_id"

Urgency = tuple[int, int, int, str, int]
"""Whether it blocks, its priority, its moment, its session and its number: the higher, the earlier in the list."""


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    """`since` is the earliest moment of an answer; `after` the number that a page goes on from."""

    status: Status | None = None
    priority: Priority | None = None
    blocking: bool | None = None
    asked_by: str | None = None
    since: int | None = None
    after: int = 0
    limit: int | None = None


async def next_number(tx: Transaction, session_id: str, name: Literal["question", "checkpoint"]) -> int:
    return await counters.advance(tx, session_id, name)


async def insert(tx: Transaction, session_id: str, question: Question) -> None:
    await tx.execute(
        """INSERT INTO questions (tenant, session_id, number, question, context, asked_by, asked_at, priority,
                                  blocking, options, expires_at, status, by_human, require_human)
           VALUES (:tenant, :session_id, :number, :question, :context, :asked_by, :asked_at, :priority,
                   :blocking, :options, :expires_at, :status, 0, :require_human)""",
        session_id=session_id,
        number=question.number,
        question=question.question,
        context=question.context,
        asked_by=question.asked_by,
        asked_at=question.asked_at,
        priority=question.priority,
        blocking=int(question.blocking),
        options=json.dumps(question.options, ensure_ascii=False) if question.options is not None else None,
        expires_at=question.expires_at,
        status=question.status,
        require_human=int(question.require_human),
    )


async def find(tx: Transaction, session_id: str, numbers: Sequence[int], now: int) -> dict[int, Question]:
    """The questions with these numbers that exist, in order."""
    if not numbers:
        return {}
    names, parameters = _listed(numbers)
    rows = await tx.all(
        f"SELECT {_COLUMNS} FROM questions WHERE {_OURS} AND number IN ({names}) ORDER BY number",
        session_id=session_id,
        now=now,
        **parameters,
    )
    return {row["number"]: _question(row) for row in rows}


async def select(tx: Transaction, session_id: str, where: QuestionFilter, now: int) -> list[Question]:
    conditions, parameters = _conditions(where)
    cut = ""
    if where.limit is not None:
        cut = "LIMIT :limit"
        parameters["limit"] = where.limit
    rows = await tx.all(
        f"SELECT {_COLUMNS} FROM questions WHERE {_OURS} AND {conditions} ORDER BY number {cut}",
        session_id=session_id,
        now=now,
        **parameters,
    )
    return [_question(row) for row in rows]


async def pending(tx: Transaction, session_id: str, now: int) -> list[Question]:
    return await select(tx, session_id, QuestionFilter(status="pending"), now)


async def most_urgent(
    tx: Transaction, status: Status, after: Urgency | None, limit: int, now: int
) -> list[tuple[TableQuestion, Urgency]]:
    """Of all sessions: what blocks first, then by priority, then the newest. Only where a session is still open can a
    question wait for an answer."""
    conditions = _HAS_STATUS[status]
    if status == "pending":
        conditions += f" AND (SELECT sessions.expires_at {_SESSION} AND sessions.status = 'active') > :now"
    place: dict[str, Any] = {}
    if after is not None:
        place = {f"after_{position}": part for position, part in enumerate(after)}
        conditions += f" AND ({', '.join(_URGENCY)}) < ({', '.join(f':{name}' for name in place)})"
    rows = await tx.all(
        f"""SELECT {_COLUMNS}, session_id, {_RANK} AS rank, (SELECT sessions.purpose {_SESSION}) AS purpose
            FROM questions WHERE tenant = :tenant AND {conditions}
            ORDER BY {", ".join(f"{part} DESC" for part in _URGENCY)} LIMIT :limit""",
        now=now,
        limit=limit,
        **place,
    )
    return [(_table_question(row), _urgency(row)) for row in rows]


async def settled(tx: Transaction, session_id: str, numbers: Sequence[int], now: int) -> set[int]:
    """Which of these questions are settled."""
    names, parameters = _listed(numbers)
    rows = await tx.all(
        f"SELECT number FROM questions WHERE {_OURS} AND number IN ({names}) AND ({_STATUS}) <> 'pending'",
        session_id=session_id,
        now=now,
        **parameters,
    )
    return {row["number"] for row in rows}


async def count_answers_since(tx: Transaction, session_id: str, agent: str, since: int) -> int:
    """How many questions of `agent` were answered after the moment `since`."""
    row = await tx.first(
        f"""SELECT COUNT(*) AS total FROM questions
            WHERE {_OURS} AND status = 'answered' AND asked_by = :agent AND answered_at > :since""",
        session_id=session_id,
        agent=agent,
        since=since,
    )
    assert row is not None
    return int(row["total"])


async def expire(tx: Transaction, session_id: str, now: int) -> list[int]:
    """Expires the questions whose time is over, and returns their numbers."""
    rows = await tx.all(
        f"""UPDATE questions SET status = 'expired'
            WHERE {_OURS} AND status = 'pending' AND expires_at <= :now RETURNING number""",
        session_id=session_id,
        now=now,
    )
    return sorted(row["number"] for row in rows)


async def has_overdue(tx: Transaction, session_id: str, now: int) -> bool:
    """Whether a question of the session is pending though its time is over."""
    rows = await tx.tuples(
        f"SELECT 1 FROM questions WHERE {_OURS} AND status = 'pending' AND expires_at <= :now LIMIT 1",
        session_id=session_id,
        now=now,
    )
    return bool(rows)


async def overdue(tx: Transaction, now: int, limit: int) -> list[tuple[str, str]]:
    """Tenant and id of open sessions with pending questions whose time is over; in SYSTEM scope."""
    rows = await tx.all(
        """SELECT DISTINCT questions.tenant, questions.session_id FROM questions
           JOIN sessions ON sessions.tenant = questions.tenant AND sessions.session_id = questions.session_id
           WHERE questions.status = 'pending' AND questions.expires_at <= :now
             AND sessions.status = 'active' AND sessions.expires_at > :now LIMIT :limit""",
        now=now,
        limit=limit,
    )
    return [(row["tenant"], row["session_id"]) for row in rows]


async def answer(tx: Transaction, session_id: str, answered: Sequence[Question]) -> None:
    await tx.execute_many(
        f"""UPDATE questions SET status = :status, answer = :answer, answered_at = :answered_at,
                                 answered_by = :answered_by, by_human = :by_human,
                                 answer_origin = NULL, told_by_human = 0
            WHERE {_OURS} AND number = :number""",
        [
            {
                "session_id": session_id,
                "number": question.number,
                "status": question.status,
                "answer": question.answer,
                "answered_at": question.answered_at,
                "answered_by": question.answered_by,
                "by_human": int(question.by_human),
            }
            for question in answered
        ],
    )


async def replaced_answers(tx: Transaction, session_id: str, answered: Sequence[Question]) -> dict[int, Replaced]:
    """The answers that these questions have, before they get others."""
    rows = []
    if answered:
        names, parameters = _listed([question.number for question in answered])
        rows = await tx.all(
            f"""SELECT number, status, answer, answered_at, answered_by, by_human, answer_origin, told_by_human
                FROM questions WHERE {_OURS} AND status = 'answered' AND number IN ({names})""",
            session_id=session_id,
            **parameters,
        )
    return {row["number"]: Replaced("questions", row.pop("number"), row) for row in map(dict, rows)}


async def withdraw(tx: Transaction, session_id: str, number: int) -> None:
    await tx.execute(
        f"UPDATE questions SET status = 'withdrawn' WHERE {_OURS} AND number = :number",
        session_id=session_id,
        number=number,
    )


async def insert_checkpoint(tx: Transaction, session_id: str, checkpoint: Checkpoint) -> None:
    await tx.execute(
        """INSERT INTO checkpoints (tenant, session_id, number, event_seq, reasons, questions, created_at)
           VALUES (:tenant, :session_id, :number, :event_seq, :reasons, :questions, :created_at)""",
        session_id=session_id,
        number=checkpoint.number,
        event_seq=checkpoint.event_seq,
        reasons=json.dumps(checkpoint.reasons),
        questions=json.dumps(checkpoint.questions),
        created_at=checkpoint.created_at,
    )


_CHECKPOINT = "SELECT number, event_seq, reasons, questions, created_at, resumed_at FROM checkpoints"


async def open_checkpoints(tx: Transaction, session_id: str) -> list[Checkpoint]:
    rows = await tx.all(
        f"{_CHECKPOINT} WHERE {_OURS} AND resumed_at IS NULL ORDER BY number",
        session_id=session_id,
    )
    return [_checkpoint(row) for row in rows]


async def find_checkpoint(tx: Transaction, session_id: str, number: int) -> Checkpoint | None:
    row = await tx.first(f"{_CHECKPOINT} WHERE {_OURS} AND number = :number", session_id=session_id, number=number)
    return _checkpoint(row) if row else None


async def resume(tx: Transaction, session_id: str, number: int, now: int) -> None:
    await tx.execute(
        f"UPDATE checkpoints SET resumed_at = :now WHERE {_OURS} AND number = :number",
        session_id=session_id,
        number=number,
        now=now,
    )


async def purge(tx: Transaction, session_id: str) -> None:
    for table in ("checkpoints", "questions"):
        await tx.execute(f"DELETE FROM {table} WHERE {_OURS}", session_id=session_id)


def _listed(numbers: Sequence[int]) -> tuple[str, dict[str, int]]:
    parameters = {f"number_{position}": number for position, number in enumerate(numbers)}
    return ", ".join(f":{name}" for name in parameters), parameters


def _conditions(where: QuestionFilter) -> tuple[str, dict[str, Any]]:
    columns: dict[str, tuple[str, Any]] = {
        "priority": ("priority = :priority", where.priority),
        "blocking": ("blocking = :blocking", None if where.blocking is None else int(where.blocking)),
        "asked_by": ("asked_by = :asked_by", where.asked_by),
        "since": ("answered_at >= :since", where.since),
        "after": ("number > :after", where.after),
    }
    chosen = {name: choice for name, choice in columns.items() if choice[1] is not None}
    conditions = [condition for condition, _ in chosen.values()]
    if where.status is not None:
        conditions.append(_HAS_STATUS[where.status])
    return " AND ".join(conditions), {name: value for name, (_, value) in chosen.items()}


def _question(row: Row) -> Question:
    options = None if row["options"] is None else tuple(json.loads(row["options"]))
    flags = {name: bool(row[name]) for name in ("blocking", "by_human", "require_human")}
    return Question(**{**row, "options": options, **flags})


def _checkpoint(row: Row) -> Checkpoint:
    return Checkpoint(**{**row, **{name: tuple(json.loads(row[name])) for name in ("reasons", "questions")}})


def _table_question(row: Row) -> TableQuestion:
    columns = {name: value for name, value in row.items() if name not in ("session_id", "rank", "purpose")}
    view = _question(columns).view()
    return TableQuestion(**dict(view), session_id=row["session_id"], purpose=row["purpose"] or "")


def _urgency(row: Row) -> Urgency:
    return (row["blocking"], row["rank"], row["asked_at"], row["session_id"], row["number"])
