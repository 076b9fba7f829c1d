"""Events of messages, visible to the callers that may read the message."""

from typing import Any

from longtable.log.model import Event, Visibility
from longtable.messages.model import Message


def added(message: Message) -> Event:
    payload: dict[str, Any] = {"message_id": message.number, "visibility": message.visibility.value}
    if message.addressee is not None:
        payload["to"] = message.addressee
    if message.control is not None:
        payload["control"] = message.control
    return Event(
        "message/added",
        payload,
        message.visibility,
        addressed=True,
        about=message.number,
        addressee=message.addressee,
    )


def acknowledged(message: Message) -> Event:
    payload = {"message_id": message.number, "control": message.control}
    return Event("message/acknowledged", payload, Visibility.PRIVATE, addressee=message.sender)
