"""What the message tools take."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtable.kernel.content import Moment, Text
from longtable.sessions.arguments import SessionId
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

Sight = Literal["public", "private", "agent_only"]
MessageId = Annotated[int, Field(ge=1, le=2**62)]


class AddMessage(WriteArguments):
    session_id: SessionId | None = None
    content: Annotated[Text, StringConstraints(min_length=1)] = Field(description="At most 100,000 characters.")
    visibility: Sight = Field(default="public", description="private: you alone; agent_only: your type.")
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="Your own JSON, at most 10 KB."
    )
    parent_message_id: MessageId | None = Field(default=None, description="Id of the message it answers.")


class GetMessages(Arguments):
    session_id: SessionId | None = None
    limit: int = Field(default=50, ge=1, le=1000, description="Most messages.")
    offset: int = Field(default=0, ge=0, le=2**62, description="Leave out so many.")
    visibility_filter: Sight | None = Field(default=None, description="Only these.")
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(default=None, description="Only after this id.")
    before_id: MessageId | None = Field(default=None, description="Only those just before this id.")
    sender: Text | None = Field(default=None, description="Only of this agent.")
    since: Moment | None = Field(default=None, description="ISO 8601 time.")
    until: Moment | None = Field(default=None, description="ISO 8601 time.")
    thread: MessageId | None = Field(default=None, description="Id of its first message.")


class WaitForMessages(Arguments):
    session_id: SessionId | None = None
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(
        default=None, description="Default: after what you were shown."
    )
    timeout_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(
        default=25, description=f"In {BRIEF_FORMS}; at most 50."
    )
