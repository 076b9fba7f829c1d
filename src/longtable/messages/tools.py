"""The message tools: their arguments, their words for the model, their routes."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from longtable.identity.model import EVERYONE, POSTERS
from longtable.kernel.call import Call
from longtable.kernel.clock import from_iso
from longtable.kernel.content import Moment, Text
from longtable.log.model import Visibility
from longtable.messages.model import MessageAdded, MessagePage, NewMessage
from longtable.messages.service import Messages, Wait
from longtable.messages.store import MessageFilter
from longtable.sessions.tools import SessionId
from longtable.toolkit.durations import BRIEF_FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Envelope, Route, Scope, Tool, WriteArguments

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


class MessageTools:
    def __init__(self, messages: Messages) -> None:
        self._messages = messages

    async def add(self, call: Call, arguments: AddMessage) -> MessageAdded:
        new = NewMessage(
            arguments.content,
            Visibility(arguments.visibility),
            arguments.metadata or {},
            arguments.parent_message_id,
        )
        return await self._messages.add(call, new)

    async def get(self, call: Call, arguments: GetMessages) -> MessagePage:
        wanted = MessageFilter(
            limit=arguments.limit,
            offset=arguments.offset,
            after_id=arguments.after_id or 0,
            before_id=arguments.before_id,
            visibility=Visibility(arguments.visibility_filter) if arguments.visibility_filter else None,
            sender=arguments.sender,
            since=from_iso(arguments.since) if arguments.since else None,
            until=from_iso(arguments.until) if arguments.until else None,
            thread=arguments.thread,
        )
        return await self._messages.get(call, wanted)

    async def wait(self, call: Call, arguments: WaitForMessages) -> MessagePage:
        return await self._messages.wait(call, Wait(arguments.after_id, arguments.timeout_seconds))


def message_tools(tools: MessageTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="messages", envelope=Envelope.SUCCESS, scope=Scope.NAMED_SESSION)
    return [
        tool(
            name="add_message",
            title="Say something",
            description="Say something to everyone in the session, to agents of your type, or to yourself alone.",
            arguments=AddMessage,
            result=MessageAdded,
            run=tools.add,
            roles=POSTERS,
            audited_as="message_added",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/messages", 201),),
        ),
        tool(
            name="get_messages",
            title="Read messages",
            description="Read the session's messages that you may see, oldest first.",
            arguments=GetMessages,
            result=MessagePage,
            run=tools.get,
            roles=EVERYONE,
            audited_as="messages_read",
            routes=(Route("GET", "/sessions/{session_id}/messages"),),
        ),
        tool(
            name="wait_for_messages",
            title="Wait for messages",
            description="Wait until somebody else says something; returns at once what was said since you last looked.",
            arguments=WaitForMessages,
            result=MessagePage,
            run=tools.wait,
            roles=EVERYONE,
            audited_as="messages_awaited",
        ),
    ]
