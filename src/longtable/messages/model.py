"""What a message is, its limits, and how visible a reply may be."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from longtable.kernel.clock import to_iso
from longtable.kernel.control import Control, ControlAction
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none
from longtable.log.model import Visibility

MAX_CHARACTERS = 100_000
MAX_METADATA_BYTES = 10_240

_ACTIONS: Final[Mapping[str, ControlAction]] = {"pause": "pause", "resume": "resume", "stop": "stop"}
_REACH = {Visibility.PRIVATE: 0, Visibility.AGENT_ONLY: 1, Visibility.PUBLIC: 2}


class Message(NamedTuple):
    number: int
    session_id: str
    sender: str
    sender_type: str
    content: str
    visibility: Visibility
    metadata: dict[str, Any]
    parent: int | None
    thread: int
    created_at: int
    addressee: str | None = None
    control: ControlAction | None = None
    acknowledged_at: int | None = None
    origin: str | None = None
    """Where it was said, if that was not here."""

    def as_control(self, action: ControlAction) -> Control:
        """The message as the agent sees it that it is for."""
        return Control(
            action=action,
            by=self.sender,
            message_id=self.number,
            at=to_iso(self.created_at),
            reason=self.content.partition(":")[2].strip() or None,
        )

    def as_json(self) -> dict[str, Any]:
        """A `MessageView` as it is sent."""
        shown: dict[str, Any] = {
            "id": self.number,
            "session_id": self.session_id,
            "sender": self.sender,
            "sender_type": self.sender_type,
            "content": self.content,
            "visibility": self.visibility.value,
            "metadata": self.metadata,
            "parent_message_id": self.parent,
            "timestamp": to_iso(self.created_at),
        }
        if self.origin is not None:
            shown["imported"] = True
        return shown if self.addressee is None else {**shown, **self._directed_as_json()}

    def _directed_as_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"to": self.addressee}
        if self.control is not None:
            shown["kind"] = "control"
            if self.acknowledged_at is not None:
                shown["acknowledged_at"] = to_iso(self.acknowledged_at)
        return shown


def reaches_further(reply: Visibility, addressee: str | None, parent: Message) -> bool:
    """A reply with more readers than its parent would reveal that there is a parent."""
    if addressee is not None:
        return parent.visibility is not Visibility.PUBLIC and addressee not in (parent.sender, parent.addressee)
    return _REACH[reply] > _REACH[parent.visibility]


def control_in(content: str) -> ControlAction | None:
    """What a message of control asks for: its content is that word, or that word, a colon and why."""
    return _ACTIONS.get(content.partition(":")[0])


class MessageView(Value):
    """`to` is whom a private message is for, besides its sender. `kind` is control where a person asks that agent to
    pause, to go on or to stop; `acknowledged_at` is when it has learnt of that."""

    id: int
    session_id: str
    sender: str
    sender_type: str
    content: str
    visibility: str
    metadata: dict[str, Any]
    parent_message_id: int | None
    timestamp: str
    imported: bool | None = omitted_if_none()
    to: str | None = omitted_if_none()
    kind: Literal["control"] | None = omitted_if_none()
    acknowledged_at: str | None = omitted_if_none()


class MessageAdded(Result):
    message_id: int
    timestamp: str


class MessagePage(LimitedResult):
    """In the order in which they were written. `older` is the cursor of the page before this one; `next_after_id`
    leads to what is said after it. In an answer of limited length, `session_id` stands here and not in each message;
    so do `sender_type` and `visibility` in a long page in which they are the same for all."""

    messages: list[MessageView]
    count: int
    has_more: bool
    next_after_id: int
    older: str | None = omitted_if_none()
    session_id: str | None = omitted_if_none()
    sender_type: str | None = omitted_if_none()
    visibility: str | None = omitted_if_none()

    @property
    def is_followed(self) -> bool:
        """Whether there are more messages after this page, which is encoded already."""
        return self._end.startswith(b"true,")

    @property
    def is_truncated(self) -> bool:
        return b'"truncated":' in self._end

    @property
    def _end(self) -> bytes:
        return (self.encoded or b"").rpartition(b',"has_more":')[2]
