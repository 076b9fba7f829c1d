"""The table at which the story is played: what agents do there, told one line at a time and at a pace to follow."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from longtable.client import CellInput
from longtable.demo.agent import DemoAgent
from longtable.demo.coffee import WISH
from longtable.demo.coffee.notes import DemoFinding
from longtable.demo.coffee.pads import Pad
from longtable.demo.coffee.sections import TITLES
from longtable.demo.coffee.talk import DemoLine
from longtable.demo.coffee.tasks import DESCRIPTIONS
from longtable.kernel.errors import (
    LongtableError,
    SessionClosed,
    SessionExpired,
    SessionNotFound,
    ShuttingDown,
    Unauthorized,
    VersionConflict,
)
from longtable.plan.model import Status

T = TypeVar("T")

Tell = Callable[[str, str], None]
"""Told who does what. What it is told may hold words of agents and people: they are data, whatever they look like."""

STEP_SECONDS = 0.85
LEASE_SECONDS = 900
ENDING = (SessionClosed, SessionExpired, SessionNotFound, ShuttingDown, Unauthorized)


@dataclass(slots=True)
class Table:
    """`pause` stretches the time between two steps; 0 leaves none."""

    session_id: str
    agents: Mapping[str, DemoAgent]
    tell: Tell
    pause: float
    notes: dict[DemoFinding, str] = field(default_factory=dict)
    messages: dict[DemoLine, int] = field(default_factory=dict)
    leases: dict[str, str | None] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def context(self, message: str = WISH) -> dict[str, str]:
        """What a call to a tool of others is for."""
        return {"original_message": message, "conversation_id": self.session_id, "intent_hint": "coffee machine"}

    async def step(self, who: str, what: str, doing: Awaitable[T]) -> T | None:
        """None when it was refused: people may change the table meanwhile, and the story goes on without the step.
        Raises what ends the story for all."""
        result: T | None = None
        try:
            result = await doing
            self.tell(who, what)
        except ENDING:
            raise
        except LongtableError as refused:
            self.tell(who, f"is refused ({refused.code}) and goes on: {what}")
        await asyncio.sleep(STEP_SECONDS * self.pause)
        return result

    async def pins(self, finding: DemoFinding) -> None:
        old = self.notes.get(finding.replaces) if finding.replaces else None
        pinned = await self.step(
            finding.by,
            f"pins a note: {finding.about}" + (f" (instead of {old})" if old else ""),
            self.agents[finding.by].add_note(finding.text, tags=finding.tags, source=finding.source, supersedes=old),
        )
        if pinned is not None:
            self.notes[finding] = pinned.note.id

    async def says(self, line: DemoLine) -> None:
        parent = self.messages.get(line.to) if line.to else None
        how = {"public": "", "private": " for itself", "agent_only": " among editors"}[line.seen_by]
        said = await self.step(
            line.by,
            f"says{how}: {_beginning(line.text)}",
            self.agents[line.by].add_message(line.text, visibility=line.seen_by, parent_message_id=parent),
        )
        if said is not None:
            self.messages[line] = said.message_id

    async def begins(self, who: str, task: str) -> None:
        claimed = await self.step(
            who, f"claims {task}: {DESCRIPTIONS[task]}", self.agents[who].claim_task(task, lease_seconds=LEASE_SECONDS)
        )
        self.leases[task] = claimed.lease if claimed is not None else None

    async def ends(self, who: str, task: str, status: Status = "completed", note: str | None = None) -> None:
        lease = self.leases.pop(task, None)
        told = f"marks {task} as {status}" + (f": {_beginning(note)}" if note else "")
        await self.step(who, told, self.agents[who].update_task(task, status=status, note=note, lease=lease))

    async def writes(self, who: str, section: str, text: str) -> None:
        known = self.versions.get(section, 0)
        await self.step(who, f"writes {TITLES[section]!r}, version {known + 1}", self._write(who, section, text))

    async def _write(self, who: str, section: str, text: str) -> None:
        async with self.writing:
            known = self.versions.get(section, 0)
            try:
                self.versions[section] = await self._replace(who, section, text, known)
            except VersionConflict as conflict:
                # Somebody else has written here: the history keeps their version.
                current = conflict.details["current_version"]
                self.versions[section] = await self._replace(who, section, text, current)

    async def _replace(self, who: str, section: str, text: str, known: int) -> int:
        written = await self.agents[who].write_draft_section(
            section,
            text,
            title=TITLES[section],
            expected_version=known,
            position=list(TITLES).index(section),
        )
        return written.section.version

    async def files(self, pad: Pad) -> None:
        agent = self.agents[pad.by]
        await self.step(
            pad.by,
            f"opens the scratchpad {pad.scratch_id}",
            agent.scratch_create(pad.scratch_id, metadata=pad.metadata, cells=pad.cells),
        )
        for cell in pad.added:
            await self._adds_cell(pad, cell)

    async def _adds_cell(self, pad: Pad, cell: CellInput) -> None:
        doing = self.agents[pad.by].scratch_append_cell(pad.scratch_id, cell)
        changed = await self.step(pad.by, f"adds a cell of {cell['language']} to {pad.scratch_id}", doing)
        if changed is not None and changed.validation is not None and not changed.validation.valid:
            wrong = changed.validation.errors[0]
            self.tell(pad.by, f"is told what is wrong with it, in line {wrong.line}, column {wrong.column}")

    async def throws_away(self, pad: Pad) -> None:
        doing = self.agents[pad.by].scratch_delete(pad.scratch_id)
        await self.step(pad.by, f"deletes the scratchpad {pad.scratch_id}; it is in the trash", doing)

    async def looks_up(self, who: str, item: str) -> None:
        """The office is there on servers that the demo was prepared for; others do without."""
        try:
            found = await self.agents[who].look_up_price(item, self.context())
        except ENDING:
            raise
        except LongtableError as refused:
            self.tell(who, f"cannot ask the office about {item} ({refused.code})")
        else:
            self.tell(who, f"asks the office about {item}: {found.said}")
        await asyncio.sleep(STEP_SECONDS * self.pause)


def _beginning(text: str) -> str:
    line = " ".join(text.replace("**", "").replace("*", "").split())
    return line if len(line) <= 72 else f"{line[:69].rstrip()}..."
