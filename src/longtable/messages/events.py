"""Events of messages, visible to the callers that may read the message."""

from longtable.log.model import Event
from longtable.log.page_cache import MESSAGE_ADDED
from longtable.messages.model import Message


def added(message: Message) -> Event:
    payload = {"message_id": message.number, "visibility": message.visibility.value}
    return Event(MESSAGE_ADDED, payload, message.visibility, addressed=True, about=message.number)
