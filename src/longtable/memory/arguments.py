"""What the memory tools take."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtable.kernel.clock import DAY, SECOND
from longtable.kernel.content import Text
from longtable.sessions.arguments import SessionId
from longtable.toolkit.answer_size import MaxChars, Offset
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import WriteArguments

MAX_LIFETIME = 3650 * DAY

Key = Annotated[Text, StringConstraints(min_length=1, max_length=255, pattern=r"^\S+$")]
Lifetime = Annotated[int, Seconds(1, MAX_LIFETIME // SECOND)]
_WHERE = "Only in this session."


class SetMemory(WriteArguments):
    key: Key = Field(description="255 characters, no blanks.")
    value: Any = Field(description="Any JSON, at most 1 MiB.")
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    expires_in: Lifetime | None = Field(default=None, description=f"In {FORMS}.")
    expected_version: Annotated[int, Field(ge=0)] | None = Field(default=None, description="Must be current; 0: new.")


class GetMemory(Offset):
    key: Key = Field(description="Its key.")
    session_id: SessionId | None = Field(default=None, description=_WHERE)


class ListMemory(MaxChars):
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    prefix: Text = Field(default="", description="Only keys that begin so.")
    limit: int = Field(default=50, ge=1, le=500, description="Most keys.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class DeleteMemory(WriteArguments):
    unlisted = frozenset({"expected_version"})
    key: Key = Field(description="Its key.")
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    expected_version: Annotated[int, Field(ge=0)] | None = Field(default=None, description="Must be current; 0: none.")
