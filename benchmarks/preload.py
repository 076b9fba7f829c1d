"""Fills a store in bulk, by the same statements and into the same log as the tools."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from longtable.app import App
from longtable.identity.resolve import LOCAL, Claims, resolve_caller
from longtable.kernel.call import Call, CurrentSession
from longtable.kernel.caller import Caller, Surface
from longtable.log.model import AuditRecord, Event, LogEntry, Visibility
from longtable.messages import events as message_events
from longtable.messages import store as message_store
from longtable.messages.model import Message
from longtable.notes import events as note_events
from longtable.notes import store as note_store
from longtable.notes.model import Note
from longtable.storage.database import Transaction
from longtable.toolkit.dispatch import Invocation

AGENT = "benchmark"
SENDERS = (AGENT, "alice", "bob", "carol")
THREAD = 50
"""So many messages after another are one thread."""

CHUNK = 1_000
BATCH = 200
RARE_EVERY = 100
"""A text in so many has the rare word, and a note the rare tag, but no more than `RARE_TEXTS` of them."""
RARE_TEXTS = 4
RARE_WORD = "quokka"
COMMON_WORD = COMMON_TAG = "importer"
CONTENT = (
    "Build {number} of the importer took twice as long as the one before it; the profile shows that most of the"
    " time goes into parsing dates. A cache for the parsed ones should bring it back."
)

FIRST = CONTENT.format(number=1)
CELL = {"language": "md", "content": CONTENT, "tags": [COMMON_TAG]}
PLAN = 200
"""Tasks of the plan that is read."""

Insert = Callable[[Transaction, int], Awaitable[Event]]
"""Inserts the thing of this number and says what happened."""


def local_caller(agent: str = AGENT) -> Caller:
    return resolve_caller(LOCAL, Claims(Surface.HTTP, agent=agent))


async def call_tool(app: App, name: str, **arguments: object) -> dict[str, Any]:
    """One call inside this process, in the session that callers without one share."""
    return await call_in(app, None, name, arguments)


async def call_in(
    app: App, session_id: str | None, name: str, arguments: Mapping[str, object], agent: str = AGENT
) -> dict[str, Any]:
    """One call inside this process. Raises RuntimeError when it is refused."""
    caller = local_caller(agent)
    return await call_as(app, caller.inside(session_id) if session_id else caller, name, arguments)


async def call_as(app: App, caller: Caller, name: str, arguments: Mapping[str, object]) -> dict[str, Any]:
    outcome = await app.dispatcher.call(Invocation(name, arguments, caller, CurrentSession(lasting=False)))
    if outcome.error is not None:
        raise RuntimeError(f"{name}: {outcome.error.message}")
    return outcome.body


async def add_notes(app: App, count: int, session_id: str | None = None, caller: Caller | None = None) -> str:
    """`count` notes in a session that must have none, or in the one that callers without one share; answers its id."""
    caller = caller or local_caller()
    first = await call_as(app, caller.inside(session_id) if session_id else caller, "add_note", {"content": FIRST})
    inside = caller.inside(session_id or str(first["session_id"]))

    async def insert(tx: Transaction, number: int) -> Event:
        note = _note(number, app.clock())
        await note_store.insert(tx, inside.session, note)
        return note_events.added(note)

    await _add_in_chunks(app, Call(inside, "add_note", "note_added"), "note", range(2, count + 1), insert)
    return inside.session


async def add_messages(app: App, session_id: str, count: int) -> None:
    """`count` messages of several senders in a session that must have none."""
    caller = local_caller().inside(session_id)
    await call_in(app, session_id, "add_message", {"content": FIRST})

    async def insert(tx: Transaction, number: int) -> Event:
        message = _message(number, session_id, app.clock())
        await message_store.insert(tx, message)
        return message_events.added(message)

    await _add_in_chunks(app, Call(caller, "add_message", "message_added"), "message", range(2, count + 1), insert)


async def add_tasks(app: App, session_id: str, count: int) -> None:
    for first in range(0, count, BATCH):
        batch = tasks(range(first + 1, min(first + BATCH, count) + 1))
        await call_in(app, session_id, "add_tasks", {"tasks": batch})


def tasks(numbers: Sequence[int]) -> list[dict[str, object]]:
    """Every fourth waits for the one before it."""
    return [
        {
            "description": f"Measure build {number} of the importer, and say what became slower.",
            "depends_on": [f"#{place - 1}"] if number % 4 == 0 and place else [],
            "priority": ("high", "medium", "low")[number % 3],
        }
        for place, number in enumerate(numbers)
    ]


async def _add_in_chunks(app: App, call: Call, counter: str, numbers: range, insert: Insert) -> None:
    for first in range(0, len(numbers), CHUNK):
        await _add_chunk(app, call, counter, numbers[first : first + CHUNK], insert)


async def _add_chunk(app: App, call: Call, counter: str, numbers: range, insert: Insert) -> None:
    caller, now = call.caller, app.clock()
    record = AuditRecord.of(call, "SUCCESS", now)

    async def body(tx: Transaction) -> None:
        happened = [await insert(tx, number) for number in numbers]
        await tx.execute(
            "UPDATE counters SET value = :value WHERE tenant = :tenant AND scope = :session_id AND name = :counter",
            value=numbers[-1],
            session_id=caller.session,
            counter=counter,
        )
        entry = LogEntry(caller.tenant, caller.agent, caller.agent_type, caller.session_id, now, happened)
        entry.audit = [record] * len(numbers)
        tx.defer(entry)

    await app.database.write(caller.tenant, body)


def _note(number: int, now: int) -> Note:
    return Note(
        number=number,
        content=_text(number),
        tags=(COMMON_TAG, "speed", RARE_WORD) if _is_rare(number) else (COMMON_TAG, "speed"),
        author=AGENT,
        source=None,
        supersedes=None,
        superseded_by=None,
        created_at=now,
    )


def _message(number: int, session_id: str, now: int) -> Message:
    return Message(
        number=number,
        session_id=session_id,
        sender=SENDERS[number % len(SENDERS)],
        sender_type="",
        content=_text(number),
        visibility=Visibility.PRIVATE if number % 10 == 0 else Visibility.PUBLIC,
        metadata={"build": number},
        parent=None,
        thread=number - (number - 1) % THREAD,
        created_at=now,
    )


def _text(number: int) -> str:
    text = CONTENT.format(number=number)
    return f"{text} {RARE_WORD}" if _is_rare(number) else text


def _is_rare(number: int) -> bool:
    return number % RARE_EVERY == 0 and number // RARE_EVERY <= RARE_TEXTS
