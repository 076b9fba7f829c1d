"""A store of a hundred tenants, one of them large, as small or as large as is wanted."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import Effort
from benchmarks.preload import (
    AGENT,
    CELL,
    CONTENT,
    PLAN,
    RARE_WORD,
    add_messages,
    add_notes,
    add_tasks,
    call_in,
    call_tool,
)
from benchmarks.serve_longtable import settings_for
from longtable.app import App, open_app
from longtable.fulltext.segments import merge_segments
from longtable.kernel.caller import Caller, Role, Surface
from longtable.server.serve import DEFAULT_PROJECT
from longtable.storage.database import SYSTEM, Transaction

LARGE, SMALL, CLAIMS = "large", "small", "claims"
"""Sessions of the large tenant: one with half of all notes, one with ten, one with nothing but tasks to claim."""

SMALL_NOTES = 10
MESSAGES_SHARE = 10
"""A message in the large session for so many notes of the store."""

SECTIONS = QUESTIONS = 10
PAD = "pad"
TENANTS = 100


@dataclass(frozen=True, slots=True)
class StoreSize:
    """Of a store: its notes, and what else there is more of in a large one."""

    notes: int
    tenants: int
    tasks: int
    """To be claimed."""

    pads: int
    cells: int
    """In the scratchpad that is appended to."""

    sessions: int
    """That nobody looks into, and as many entries of the memory."""

    @property
    def in_large(self) -> int:
        return self.notes // 2

    @property
    def messages(self) -> int:
        return max(400, self.notes // MESSAGES_SHARE)


def few(effort: Effort) -> StoreSize:
    """With as much as one page shows, and as many texts as a search compares."""
    return _size(effort, effort.few, (400, 400, 32, 60))


def many(effort: Effort) -> StoreSize:
    """As many cells as an answer shows in the small one, and many more here."""
    return _size(effort, effort.many, (5_000, 4_000, 1_000, 1_000))


def _size(effort: Effort, notes: int, others: tuple[int, int, int, int]) -> StoreSize:
    tasks, pads, cells, sessions = (effort.part_of(count) for count in others)
    return StoreSize(notes, effort.part_of(TENANTS), tasks, pads, cells, sessions)


async def build(data_dir: Path, size: StoreSize) -> float:
    """Answers how many bytes a note of the other tenants takes on disk. Without vectors: the search for them has a
    part of its own."""
    async with open_app(settings_for(data_dir, embeds=False), DEFAULT_PROJECT) as app:
        await _large_tenant(app, size)
        before = await app.database.read(SYSTEM, bytes_on_disk)
        each = max(1, (size.notes - size.in_large) // (size.tenants - 1))
        for number in range(1, size.tenants):
            caller = Caller(f"tenant{number}", Role.LOCAL, AGENT, "generic", Surface.HTTP)
            await add_notes(app, each, caller=caller)
        # As a server does within a minute: it must not do that while it is measured.
        await app.slices.words.index_all()
        await merge_segments(app.database)
        after = await app.database.read(SYSTEM, bytes_on_disk)
    return (after - before) / (each * (size.tenants - 1))


async def _large_tenant(app: App, size: StoreSize) -> None:
    for session_id in (LARGE, SMALL, CLAIMS):
        await call_tool(app, "create_session", session_id=session_id)
    await add_notes(app, size.in_large, LARGE)
    await add_messages(app, LARGE, size.messages)
    for session_id in (LARGE, SMALL):
        await add_tasks(app, session_id, PLAN)
        for number in range(SECTIONS):
            section = {"section_id": f"s{number}", "content": CONTENT.format(number=number)}
            await call_in(app, session_id, "write_draft_section", section)
            await call_in(app, session_id, "add_question", {"question": f"Which build is number {number}?"})
    for number in range(SMALL_NOTES):
        await call_in(app, SMALL, "add_note", {"content": _text(number), "tags": ["importer", "speed"]})
        await call_in(app, SMALL, "add_message", {"content": _text(number)})
    await add_tasks(app, CLAIMS, size.tasks)
    for number in range(size.sessions):
        await call_tool(app, "create_session", session_id=f"other{number}")
        await call_tool(app, "set_memory", key=f"key{number}", value={"build": number})
    await _pads(app, size)


async def _pads(app: App, size: StoreSize) -> None:
    for number in range(1, size.pads):
        await call_tool(app, "scratch_create", scratch_id=f"{PAD}{number}", cells=[CELL])
    rare = {**CELL, "content": _text(0)}
    await call_tool(app, "scratch_create", scratch_id=PAD, cells=[rare, *[CELL] * (size.cells - 1)])


def _text(number: int) -> str:
    """Two in ten have the rare word."""
    text = CONTENT.format(number=number)
    return f"{text} {RARE_WORD}" if number % 5 == 0 else text


async def bytes_on_disk(tx: Transaction) -> int:
    row = await tx.first("SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()")
    assert row is not None
    return int(row["bytes"])
