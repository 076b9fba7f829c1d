"""Fills a store with notes in bulk, by the same statements and into the same log as the tools."""

from pathlib import Path

from benchmarks.serve_longtable import settings_for
from longtable.app import App, open_app
from longtable.identity.resolve import LOCAL, Claims, resolve_caller
from longtable.kernel.call import Call, Seat
from longtable.kernel.caller import Caller, Surface
from longtable.log.model import AuditRecord, Entry
from longtable.notes import events, store
from longtable.notes.model import Note
from longtable.server.serve import DEFAULT_PROJECT
from longtable.storage.database import Transaction
from longtable.toolkit.dispatch import Invocation

CHUNK = 1_000
RARE_EVERY = 250
"""A note in so many has the rare word and the rare tag, but no more than `RARE_NOTES` of them."""
RARE_NOTES = 4
RARE_WORD = "quokka"
COMMON_WORD = COMMON_TAG = "importer"
CONTENT = (
    "Build {number} of the importer took twice as long as the one before it; the profile shows that most of the"
    " time goes into parsing dates. A cache for the parsed ones should bring it back."
)


def local_caller(agent: str = "benchmark") -> Caller:
    return resolve_caller(LOCAL, Claims(Surface.HTTP, agent=agent))


async def call_tool(app: App, name: str, **arguments: object) -> dict[str, object]:
    """One call inside this process. Raises RuntimeError when it is refused."""
    outcome = await app.dispatcher.call(Invocation(name, arguments, local_caller(), Seat(lasting=False)))
    if outcome.error is not None:
        raise RuntimeError(f"{name}: {outcome.error.message}")
    return outcome.body


async def preload(data_dir: Path, count: int) -> None:
    """Gives the session that callers without one share `count` notes."""
    async with open_app(settings_for(data_dir), DEFAULT_PROJECT) as app:
        session_id = str((await call_tool(app, "add_note", content="The first note."))["session_id"])
        caller = local_caller().inside(session_id)
        for first in range(2, count + 1, CHUNK):
            await _add_chunk(app, caller, range(first, min(first + CHUNK, count + 1)))


async def _add_chunk(app: App, caller: Caller, numbers: range) -> None:
    now = app.clock()
    notes = [_note(number, now) for number in numbers]
    record = AuditRecord.of(Call(caller, "add_note", "note_added"), "SUCCESS", now)

    async def body(tx: Transaction) -> None:
        for note in notes:
            await store.insert(tx, caller.session, note)
        await tx.execute(
            "UPDATE counters SET value = :value WHERE tenant = :tenant AND scope = :session_id AND name = 'note'",
            value=numbers[-1],
            session_id=caller.session,
        )
        happened = [events.added(note) for note in notes]
        entry = Entry(caller.tenant, caller.agent, caller.agent_type, caller.session_id, now, happened)
        entry.audit = [record] * len(notes)
        tx.defer(entry)

    await app.database.write(caller.tenant, body)


def _note(number: int, now: int) -> Note:
    content, tags = CONTENT.format(number=number), [COMMON_TAG, "speed"]
    if number % RARE_EVERY == 0 and number // RARE_EVERY <= RARE_NOTES:
        content, tags = f"{content} {RARE_WORD}", [*tags, RARE_WORD]
    return Note(
        number=number,
        content=content,
        tags=tuple(tags),
        author="benchmark",
        source=None,
        supersedes=None,
        superseded_by=None,
        created_at=now,
    )
