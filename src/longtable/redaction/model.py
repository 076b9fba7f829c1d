"""What can be redacted, and what the owner gets back."""

from typing import Literal

from longtable.kernel.result import Result, Value, omitted_if_none

SessionKind = Literal["note", "message", "section"]
Kind = Literal["note", "message", "section", "cell"]
TOMBSTONE = "[redacted by the owner]"


class RedactedThing(Value):
    kind: Kind
    id: str
    version: int | None = omitted_if_none()


class Redacted(Result):
    redacted: RedactedThing
    backups: list[str]
    """Earlier copies of the store, which may still hold the text and are not changed."""
