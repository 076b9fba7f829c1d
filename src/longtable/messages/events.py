"""What happens to messages, as the log tells it: only to those who may read them."""

from longtable.log.model import Event, preview
from longtable.messages.model import Message


def added(message: Message) -> Event:
    payload = {
        "message_id": message.number,
        "visibility": message.visibility.value,
        "content_preview": preview(message.content),
    }
    return Event("message/added", payload, message.visibility, addressed=True)
