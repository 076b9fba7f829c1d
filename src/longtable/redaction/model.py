"""What can be redacted, and what the owner gets back."""

from typing import Literal

from longtable.kernel.result import Result, Value, omitted_if_none

SessionKind = Literal[
    "note", "message", "section", "title", "question", "answer", "task", "task_note", "session", "reservation"
]
Kind = SessionKind | Literal["cell", "scratchpad", "memory"]
TOMBSTONE = "[redacted by the owner]"


class RedactedThing(Value):
    kind: Kind
    id: str
    version: int | None = omitted_if_none()
    number: int | None = omitted_if_none()


class Redacted(Result):
    redacted: RedactedThing
    backups: list[str]
    """Earlier copies of the store, which may still hold the text and are not changed."""
