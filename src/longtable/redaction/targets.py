"""Which statement redacts what an owner has named."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from longtable.kernel.errors import InvalidArgument
from longtable.kernel.ids import likely_id, number_of
from longtable.redaction import place_store, plan_store, question_store, store
from longtable.redaction.arguments import Redact
from longtable.redaction.model import SessionKind
from longtable.storage.database import Transaction

Statement = Callable[[Transaction, str, int], Awaitable[bool]]
"""Redacts in a session at a moment; False where there is nothing of that name."""
_Numbered = Callable[[Transaction, str, int, int], Awaitable[bool]]

_PREFIXES: Final[Mapping[SessionKind, str]] = {
    "note": "n",
    "message": "",
    "question": "q",
    "answer": "q",
    "task": "t",
    "task_note": "t",
}
_OWNERS: Final[Mapping[SessionKind, str]] = {"answer": "question", "task_note": "task"}
"""Whose id names a thing that has none of its own."""


def statement_for(thing: Redact) -> Statement:
    """Raises InvalidArgument where the kind wants another form of id, or a version or number that is missing."""
    _check_place("version", thing.version, required=thing.kind == "section")
    _check_place("number", thing.number, required=thing.kind == "task_note")
    if thing.kind in _PREFIXES:
        return _of_number(thing, _number_in(thing))
    return _of_name(thing, str(thing.id))


def _of_number(thing: Redact, number: int) -> Statement:
    statements: Mapping[SessionKind, _Numbered] = {
        "note": lambda tx, session_id, number, _: store.redact_note(tx, session_id, number),
        "message": lambda tx, session_id, number, _: store.redact_message(tx, session_id, number),
        "question": question_store.redact_question,
        "answer": question_store.redact_answer,
        "task": plan_store.redact_task,
        "task_note": lambda tx, session_id, number, _: plan_store.redact_task_note(
            tx, session_id, number, thing.number or 0
        ),
    }
    redact = statements[thing.kind]
    return lambda tx, session_id, now: redact(tx, session_id, number, now)


def _of_name(thing: Redact, name: str) -> Statement:
    statements: Mapping[SessionKind, Statement] = {
        "section": lambda tx, session_id, _: store.redact_version(tx, session_id, name, thing.version or 0),
        "title": lambda tx, session_id, _: store.redact_title(tx, session_id, name),
        "session": lambda tx, session_id, _: _redact_session(tx, session_id, name),
        "reservation": lambda tx, session_id, _: place_store.redact_reservation(tx, session_id, name),
    }
    return statements[thing.kind]


async def _redact_session(tx: Transaction, session_id: str, name: str) -> bool:
    return name == session_id and await place_store.redact_session(tx, session_id)


def _number_in(thing: Redact) -> int:
    prefix, id = _PREFIXES[thing.kind], str(thing.id)
    number = number_of(prefix, id)
    if number is None:
        owner = _OWNERS.get(thing.kind, thing.kind)
        raise InvalidArgument.at("id", f"must be the id of a {owner}, such as {prefix}3{likely_id(prefix, id)}")
    return number


def _check_place(name: str, value: int | None, *, required: bool) -> None:
    of = "sections" if name == "version" else "notes of tasks"
    if required and value is None:
        reason = "each version is redacted by itself" if name == "version" else "it says which one"
        raise InvalidArgument.at(name, f"is required for {of}: {reason}")
    if value is not None and not required:
        raise InvalidArgument.at(name, f"is for {of} only")
