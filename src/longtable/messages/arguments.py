"""What the message tools take."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, StringConstraints

from longtable.kernel.content import MomentOrAge, Text, is_age
from longtable.kernel.page import Order
from longtable.sessions.arguments import AgentName, SessionId
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import Seconds
from longtable.toolkit.json_objects import JsonObject
from longtable.toolkit.tool import WriteArguments

Sight = Literal["public", "private", "agent_only"]
MessageId = Annotated[int, Field(ge=1, le=2**62)]


class AddMessage(WriteArguments):
    session_id: SessionId | None = None
    content: Annotated[Text, StringConstraints(min_length=1)] = Field(description="At most 100,000 characters.")
    visibility: Sight = Field(default="public", description="private: you alone; agent_only: your type.")
    metadata: JsonObject | None = Field(default=None, description="A JSON object, at most 10 KB.")
    parent_message_id: MessageId | None = Field(default=None, description="What it answers.")
    to: AgentName | None = Field(default=None, description="For this agent alone.")
    kind: Literal["message", "control"] = Field(
        default="message",
        description="control, by people alone: content is pause, resume or stop, and may go on with a colon and why.",
    )
    unlisted: ClassVar[frozenset[str]] = frozenset({"kind"})


class GetMessages(MaxChars):
    session_id: SessionId | None = None
    limit: int = Field(default=50, ge=1, le=1000, description="Most messages.")
    order: Order | None = Field(default=None, description="Default: newest.")
    cursor: str | None = Field(default=None, description="An older.")
    offset: Annotated[int, Field(ge=0, le=2**62)] | None = Field(default=None, description="Skip the oldest.")
    visibility_filter: Sight | None = Field(default=None, description="Only these.")
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(default=None, description="After this id.")
    before_id: MessageId | None = Field(default=None, description="Just before this id.")
    sender: Text | None = Field(default=None, description="By this agent.")
    since: MomentOrAge | None = Field(default=None, description="ISO 8601 time, or 24h.")
    until: MomentOrAge | None = Field(default=None, description="ISO 8601 time, or 24h.")
    thread: MessageId | None = Field(default=None, description="Its first id.")

    @property
    def looks_back(self) -> bool:
        """Whether it depends on the time of the call."""
        return any(text is not None and is_age(text) for text in (self.since, self.until))

    @property
    def begins_at_the_end(self) -> bool:
        """`after_id` and `offset` go forward, `before_id` and `cursor` go back."""
        if self.order is not None:
            return self.order == "newest"
        if self.before_id is not None or self.cursor is not None:
            return True
        return self.after_id is None and self.offset is None


class WaitForMessages(MaxChars):
    session_id: SessionId | None = None
    after_id: Annotated[int, Field(ge=0, le=2**62)] | None = Field(
        default=None, description="Default: after what you were shown."
    )
    timeout_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(default=25, description="At most 50 seconds.")
