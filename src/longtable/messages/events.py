"""Events of messages, visible to the callers that may read the message."""

from longtable.log.model import Event
from longtable.messages.model import Message


def added(message: Message) -> Event:
    payload = {"message_id": message.number, "visibility": message.visibility.value}
    return Event("message/added", payload, message.visibility, addressed=True, about=message.number)
