"""Addresses of what can be read and watched as resources: the parts of a session, and the scratchpads of a tenant."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longtable.kernel.errors import NotFound
from longtable.notebooks.ids import SCRATCH_ID

_URI = re.compile(
    r"longtable://session/(?P<session>[^/?#]+)/(?P<part>[a-z]+)(?:/(?P<section>[a-z0-9][a-z0-9_-]{0,63}))?"
)
_REDACTED = "scratchpad/redacted"
_SCRATCHPAD = re.compile(rf"longtable://scratchpad/(?P<scratch>{SCRATCH_ID.pattern})")


@dataclass(frozen=True, slots=True)
class SessionResource:
    """A part of a session: which tool reads it, and which events tell of its change. `redacted_as` is what an
    event of a redaction calls the things in it."""

    tool: str
    title: str
    description: str
    kinds: tuple[str, ...]
    arguments: Mapping[str, Any]
    redacted_as: tuple[str, ...] = ()


_CONTENTS: Mapping[str, SessionResource] = {
    "notes": SessionResource(
        "read_notes",
        "Notes",
        "The newest notes on the session's corkboard.",
        ("scratchpad/note_added",),
        {"limit": 500},
        ("note",),
    ),
    "draft": SessionResource(
        "read_draft",
        "Draft",
        "The session's draft, all sections in order.",
        ("scratchpad/section_created", "scratchpad/section_updated"),
        {},
        ("section", "title"),
    ),
    "plan": SessionResource(
        "read_plan",
        "Plan",
        "The session's tasks and how far they have come.",
        (
            "scratchpad/tasks_added",
            "scratchpad/checklist_updated",
            "scratchpad/task_claimed",
            "scratchpad/task_assigned",
            "scratchpad/task_changed",
            "scratchpad/task_noted",
        ),
        {},
        ("task", "task_note"),
    ),
    "questions": SessionResource(
        "list_questions",
        "Questions",
        "What was asked of people, and their answers.",
        (
            "scratchpad/question_added",
            "scratchpad/question_answered",
            "scratchpad/question_expired",
            "scratchpad/question_withdrawn",
        ),
        {},
        ("question", "answer"),
    ),
    "messages": SessionResource(
        "get_messages",
        "Messages",
        "The newest of the session's messages that you may read.",
        ("message/added", "message/acknowledged"),
        {"limit": 1000},
        ("message",),
    ),
}
_ALL_KINDS = (
    *(kind for part in _CONTENTS.values() for kind in part.kinds),
    "reservation/reserved",
    "reservation/released",
)
_ALL_REDACTED = (*(name for part in _CONTENTS.values() for name in part.redacted_as), "session", "reservation")
PARTS: Mapping[str, SessionResource] = {
    **_CONTENTS,
    "brief": SessionResource("brief", "Brief", "Where the session stands, in short.", _ALL_KINDS, {}, _ALL_REDACTED),
}


@dataclass(frozen=True, slots=True)
class SessionAddress:
    """A part of a session, or one section of its draft."""

    session_id: str
    part: str
    section: str | None = None

    @property
    def uri(self) -> str:
        section = "" if self.section is None else f"/{self.section}"
        return f"longtable://session/{self.session_id}/{self.part}{section}"

    @property
    def kinds(self) -> tuple[str, ...]:
        part = PARTS[self.part]
        return (*part.kinds, _REDACTED) if part.redacted_as else part.kinds

    def is_changed_by(self, event: Mapping[str, Any]) -> bool:
        part = PARTS[self.part]
        if event["kind"] == _REDACTED:
            named, matches = event["object_id"], event["object_kind"] in part.redacted_as
        else:
            named, matches = event.get("section_name"), event["kind"] in part.kinds
        return matches and self.section in (None, named)


@dataclass(frozen=True, slots=True)
class ScratchpadAddress:
    """A scratchpad, which belongs to the tenant and to no session."""

    scratch_id: str
    session_id: None = None

    @property
    def uri(self) -> str:
        return f"longtable://scratchpad/{self.scratch_id}"

    @property
    def kinds(self) -> tuple[str, ...]:
        return ("notebook/*",)

    def is_changed_by(self, event: Mapping[str, Any]) -> bool:
        return event.get("scratch_id") == self.scratch_id


Address = SessionAddress | ScratchpadAddress


def parse_address(uri: str) -> Address:
    """What a URI names; nothing says yet that it exists. Raises NotFound."""
    if scratchpad := _SCRATCHPAD.fullmatch(uri):
        return ScratchpadAddress(scratchpad["scratch"])
    match = _URI.fullmatch(uri)
    if match is None or match["part"] not in PARTS or (match["section"] and match["part"] != "draft"):
        raise NotFound("There is no such resource.", hint="resources/templates/list shows what there can be.")
    return SessionAddress(match["session"], match["part"], match["section"])
