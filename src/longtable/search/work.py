"""Finds tasks and questions by their words. They are short and change often, so they stand in no index: the texts of
the sessions within reach are compared where they are stored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from longtable.fulltext.index import one_of
from longtable.fulltext.snippet import snippet
from longtable.fulltext.words import parse_query
from longtable.search.finder import TextHit
from longtable.search.keywords import LEAST, word_scores
from longtable.search.model import WorkKind
from longtable.storage.database import Row, Transaction

_MOST_COMPARED = 100
"""Of each kind, those that have all the words and are ranked: of more, the newest."""
_TEXT_READ = 2_000
_MOST_WORDS = 12
_TEXTS: dict[WorkKind, tuple[str, str]] = {
    "task": (
        "description",
        """SELECT 'task' AS kind, session_id, 't' || number AS ref, SUBSTR(description, 1, :read) AS content, status,
                  created_by AS author, created_at AS at FROM tasks WHERE tenant = :tenant""",
    ),
    "question": (
        "question || ' ' || COALESCE(context, '')",
        """SELECT 'question' AS kind, session_id, 'q' || number AS ref, SUBSTR(question, 1, :read) AS content,
                  CASE WHEN status = 'pending' AND expires_at <= :now THEN 'expired' ELSE status END AS status,
                  asked_by AS author, asked_at AS at FROM questions WHERE tenant = :tenant""",
    ),
}


@dataclass(frozen=True, slots=True)
class WorkRequest:
    kinds: Sequence[WorkKind]
    sessions: Sequence[str]
    query: str
    limit: int


async def find_work(tx: Transaction, request: WorkRequest, now: int) -> list[TextHit]:
    """Those that have all the words, the best first; of equal ones the newer."""
    words = request.query.replace('"', " ").split()[:_MOST_WORDS]
    if not words or not request.sessions:
        return []
    rows = [row for kind in request.kinds for row in await _having(tx, kind, request.sessions, words, now)]
    parsed = parse_query(request.query)
    scores = word_scores(parsed, [row["content"] for row in rows])
    hits = [
        TextHit(row, round(max(score, LEAST), 6), snippet(row["content"], parsed))
        for row, score in zip(rows, scores, strict=True)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.row["at"]))[: request.limit]


async def _having(
    tx: Transaction, kind: WorkKind, sessions: Sequence[str], words: Sequence[str], now: int
) -> list[Row]:
    text, selected = _TEXTS[kind]
    conditions, parameters = [], dict[str, str | int]({"now": now} if kind == "question" else {})
    for number, word in enumerate(words):
        # SQLite lowers the letters of ASCII alone: other capitals are looked for as well.
        forms = {f"word_{number}": word.lower(), f"begun_{number}": word.lower().capitalize()}
        conditions.append(f"(LOWER({text}) LIKE :word_{number} ESCAPE '!' OR {text} LIKE :begun_{number} ESCAPE '!')")
        parameters |= {name: f"%{_literal(form)}%" for name, form in forms.items()}
    return await tx.all(
        f"""{selected} AND {one_of(tx.dialect, "session_id", "sessions")}
            AND {" AND ".join(conditions)} ORDER BY at DESC, session_id, number DESC LIMIT :most""",
        sessions=json.dumps(list(sessions)),
        most=_MOST_COMPARED,
        read=_TEXT_READ,
        **parameters,
    )


def _literal(word: str) -> str:
    return "".join(f"!{sign}" if sign in "!%_" else sign for sign in word)
