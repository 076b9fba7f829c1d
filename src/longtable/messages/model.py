"""What a message is, its limits, and how visible a reply may be."""

from typing import Any, NamedTuple

from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none
from longtable.log.model import Visibility

MAX_CHARACTERS = 100_000
MAX_METADATA_BYTES = 10_240

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

    def as_json(self) -> dict[str, Any]:
        """A `MessageView` as it is sent."""
        return {
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


def reaches_further(reply: Visibility, parent: Visibility) -> bool:
    """A reply with more readers than its parent would reveal that there is a parent."""
    return _REACH[reply] > _REACH[parent]


class MessageView(Value):
    id: int
    session_id: str
    sender: str
    sender_type: str
    content: str
    visibility: str
    metadata: dict[str, Any]
    parent_message_id: int | None
    timestamp: str


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
        """Of a page that is encoded already: whether there are more messages."""
        return self._end.startswith(b"true,")

    @property
    def is_truncated(self) -> bool:
        return b'"truncated":' in self._end

    @property
    def _end(self) -> bytes:
        return (self.encoded or b"").rpartition(b',"has_more":')[2]
