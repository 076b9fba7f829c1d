"""The table at which a script is played: what agents do there, reported one line at a time and at a pace to follow."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from longtable.client import CellInput
from longtable.demo.agent import DemoAgent
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

Report = Callable[[str, str], None]
"""Called with an agent and what it does. Both may hold text of agents and people: it is data, never a format."""

STEP_SECONDS = 0.85
LEASE_SECONDS = 900
ENDING = (SessionClosed, SessionExpired, SessionNotFound, ShuttingDown, Unauthorized)
VERBS = frozenset(
    ("plans", "pins", "says", "claims", "ends", "writes", "files", "discards", "looks_up", "remembers", "checks_pause")
)
"""The methods of a table that a step of a script may name."""


@dataclass(slots=True)
class DemoAnswer:
    """What a person said, word for word; or, until then, what the team assumes."""

    text: str
    by: str | None = None

    @property
    def quoted(self) -> str:
        """As a quotation: whatever it says, it stays a person's words inside our text."""
        lines = "\n".join(f"> {line}".rstrip() for line in self.text.splitlines()) or ">"
        return f"{lines}\n\n" + ("So we were told." if self.by else "That is our assumption: nobody has said so yet.")


@dataclass(slots=True)
class DemoTable:
    """`pause` stretches the time between two steps; 0 leaves none. What was made is kept by its name in the script."""

    session_id: str
    agents: Mapping[str, DemoAgent]
    script: Mapping[str, Any]
    report: Report
    pause: float
    answers: dict[str, DemoAnswer] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    messages: dict[str, int] = field(default_factory=dict)
    leases: dict[str, str | None] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        questions = self.script.get("questions", {})
        self.answers = {name: DemoAnswer(question["assumption"]) for name, question in questions.items()}

    async def perform(self, who: str, verb: str, *arguments: Any) -> None:
        if verb not in VERBS:
            raise ValueError(f"{verb} is no verb of the script")
        await getattr(self, verb)(who, *arguments)

    def context(self, message: str) -> dict[str, str]:
        """What a call to a tool of the office is for."""
        return {"original_message": message, "conversation_id": self.session_id, "intent_hint": "coffee machine"}

    def fill(self, text: str) -> str:
        """Puts what people answered, and what follows from it, into a text of the script."""
        quoted = {name: answer.quoted for name, answer in self.answers.items()}
        choices = self.script.get("choices")
        if choices:
            quoted["choice"] = choices.get(self.answers["budget"].text, choices["otherwise"])
        return text.format_map(quoted)

    async def step(self, who: str, what: str, doing: Awaitable[T]) -> T | None:
        """None when it was refused: people may change the table meanwhile, and the story goes on without the step.
        Raises what ends the story for all."""
        result: T | None = None
        try:
            result = await doing
            self.report(who, what)
        except ENDING:
            raise
        except LongtableError as refused:
            self.report(who, f"is refused ({refused.code}) and goes on: {what}")
        await asyncio.sleep(STEP_SECONDS * self.pause)
        return result

    async def plans(self, who: str) -> None:
        plan = self.script["plan"]
        await self.step(who, f"makes a plan of {len(plan)} tasks", self.agents[who].add_tasks(plan))

    async def pins(self, who: str, name: str) -> None:
        note = self.script["notes"][name]
        old = self.notes.get(note.get("replaces", ""))
        pinned = await self.step(
            who,
            f"pins a note: {note['about']}" + (f" (instead of {old})" if old else ""),
            self.agents[who].add_note(note["text"], tags=note["tags"], source=note.get("source"), supersedes=old),
        )
        if pinned is not None:
            self.notes[name] = pinned.note.id

    async def says(self, who: str, name: str) -> None:
        message = self.script["messages"][name]
        await self.say(who, message["text"], name, message.get("to"), message.get("visibility", "public"))

    async def say(self, who: str, text: str, name: str = "", to: str | None = None, visibility: Any = "public") -> None:
        parent = self.messages.get(to) if to else None
        how = {"public": "", "private": " for itself", "agent_only": " among editors"}[visibility]
        message = await self.step(
            who,
            f"says{how}: {_beginning(text)}",
            self.agents[who].add_message(text, visibility=visibility, parent_message_id=parent),
        )
        if message is not None:
            self.messages[name] = message.message_id

    async def claims(self, who: str, task: str) -> None:
        description = self.script["plan"][int(task[1:]) - 1]["description"]
        claiming = self.agents[who].claim_task(task, lease_seconds=LEASE_SECONDS)
        claimed = await self.step(who, f"claims {task}: {description}", claiming)
        self.leases[task] = claimed.lease if claimed is not None else None

    async def ends(self, who: str, task: str, status: Status = "completed", note: str | None = None) -> None:
        lease = self.leases.pop(task, None)
        what = f"marks {task} as {status}" + (f": {_beginning(note)}" if note else "")
        await self.step(who, what, self.agents[who].update_task(task, status=status, note=note, lease=lease))

    async def writes(self, who: str, section: str, version: int) -> None:
        text = self.fill(self.script["sections"][section][version])
        known = self.versions.get(section, 0)
        title = self.script.get("titles", {}).get(section, section)
        await self.step(who, f"writes {title!r}, version {known + 1}", self._write(who, section, text))

    async def _write(self, who: str, section: str, text: str) -> None:
        async with self.writing:
            known = self.versions.get(section, 0)
            try:
                self.versions[section] = await self._replace(who, section, text, known)
            except VersionConflict as conflict:
                # A person has written here meanwhile: the history keeps their version.
                current = conflict.details["current_version"]
                self.versions[section] = await self._replace(who, section, text, current)

    async def _replace(self, who: str, section: str, text: str, known: int) -> int:
        titles = self.script.get("titles", {})
        written = await self.agents[who].write_draft_section(
            section,
            text,
            title=titles.get(section),
            expected_version=known,
            position=list(titles).index(section) if section in titles else None,
        )
        return written.section.version

    async def files(self, who: str, name: str) -> None:
        pad = self.script["pads"][name]
        scratch_id = pad["scratch_id"]
        creating = self.agents[who].scratch_create(scratch_id, metadata=pad["metadata"], cells=pad["cells"])
        await self.step(who, f"opens the scratchpad {scratch_id}", creating)
        for cell in pad.get("added", ()):
            await self._add_cell(who, scratch_id, cell)

    async def _add_cell(self, who: str, scratch_id: str, cell: CellInput) -> None:
        adding = self.agents[who].scratch_append_cell(scratch_id, cell)
        changed = await self.step(who, f"adds a cell of {cell['language']} to {scratch_id}", adding)
        if changed is not None and changed.validation is not None and not changed.validation.valid:
            wrong = changed.validation.errors[0]
            self.report(who, f"is told what is wrong with it, in line {wrong.line}, column {wrong.column}")

    async def discards(self, who: str, name: str) -> None:
        scratch_id = self.script["pads"][name]["scratch_id"]
        deleting = self.agents[who].scratch_delete(scratch_id)
        await self.step(who, f"deletes the scratchpad {scratch_id}; it is in the trash", deleting)

    async def remembers(self, who: str, key: str, value: Any) -> None:
        await self.step(who, "remembers the prices for other sessions", self.agents[who].set_memory(key, value))

    async def checks_pause(self, who: str) -> None:
        pause = await self.step(who, "looks whether the work has to pause", self.agents[who].check_pause())
        if pause is not None and pause.checkpoint_id is not None:
            self.report(who, f"sets the checkpoint {pause.checkpoint_id}; what needs no answer goes on")

    async def looks_up(self, who: str, item: str) -> None:
        """The office is there on servers that the demo was prepared for; others do without."""
        try:
            found = await self.agents[who].look_up_price(item, self.context(self.script["wish"]))
        except ENDING:
            raise
        except LongtableError as refused:
            self.report(who, f"cannot ask the office about {item} ({refused.code})")
        else:
            self.report(who, f"asks the office about {item}: {found.said}")
        await asyncio.sleep(STEP_SECONDS * self.pause)


def _beginning(text: str) -> str:
    line = " ".join(text.replace("**", "").replace("*", "").split())
    return line if len(line) <= 72 else f"{line[:69].rstrip()}..."
