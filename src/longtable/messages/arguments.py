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
    visibility: Sight = Field(
        default="public", description="public: all; private: you alone; agent_only: agents of your type."
    )
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="A JSON object of your own, at most 10 KB."
    )
    parent_message_id: MessageId | None = Field(default=None, description="The message that this one answers.")


class GetMessages(Arguments):
    session_id: SessionId | None = None
    limit: int = Field(default=50, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=2**62)
    visibility_filter: Sight | None = Field(default=None, description="Only messages of this visibility.")
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(default=None, description="Only newer ones.")
    before_id: MessageId | None = Field(default=None, description="Only older ones, as many as fit just before it.")
    sender: Text | None = None
    since: Moment | None = None
    until: Moment | None = None
    thread: MessageId | None = Field(default=None, description="The first message of a thread: it and all answers.")


class WaitForMessages(Arguments):
    session_id: SessionId | None = None
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(
        default=None, description="Without it: after those that you have been shown."
    )
    timeout_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(
        default=25, description=f"How long to wait: {BRIEF_FORMS}; at most 50."
    )
