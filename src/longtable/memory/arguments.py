"""What the memory tools take."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtable.kernel.clock import DAY, SECOND
from longtable.kernel.content import Text
from longtable.sessions.arguments import SessionId
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import Arguments, WriteArguments

MAX_LIFETIME = 3650 * DAY

Key = Annotated[Text, StringConstraints(min_length=1, max_length=255, pattern=r"^\S+$")]
Lifetime = Annotated[int, Seconds(1, MAX_LIFETIME // SECOND)]
_WHERE = "The session it belongs to; else it is yours across all sessions."


class SetMemory(WriteArguments):
    key: Key = Field(description="1 to 255 characters without blanks.")
    value: Any = Field(description="Any JSON value, at most 1 MiB.")
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    expires_in: Lifetime | None = Field(default=None, description=f"Forget it after: {FORMS}.")
    expected_version: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Refuse if it is not at this version; 0: it must not exist."
    )


class GetMemory(Arguments):
    key: Key
    session_id: SessionId | None = Field(default=None, description=_WHERE)


class ListMemory(Arguments):
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    prefix: Text = Field(default="", description="Only keys that begin with this.")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class DeleteMemory(WriteArguments):
    key: Key
    session_id: SessionId | None = Field(default=None, description=_WHERE)
