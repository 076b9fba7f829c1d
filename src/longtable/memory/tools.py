"""The memory tools: their arguments and their words for the model."""

from functools import partial
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from longtable.identity.model import EVERYONE, POSTERS
from longtable.kernel.call import Call
from longtable.kernel.clock import DAY, SECOND
from longtable.kernel.content import Text
from longtable.memory.model import MemoryDeleted, MemoryList, MemoryRead, MemorySet
from longtable.memory.service import Memory, NewValue
from longtable.sessions.tools import SessionId
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import Arguments, Envelope, Scope, Tool, WriteArguments

MAX_LIFETIME = 3650 * DAY


Key = Annotated[Text, StringConstraints(min_length=1, max_length=255, pattern=r"^\S+$")]
Lifetime = Annotated[int, Seconds(1, MAX_LIFETIME // SECOND)]
_WHERE = "The session it belongs to; else it is yours across all sessions."


class SetMemory(WriteArguments):
    key: Key = Field(description="1 to 255 characters without blanks.")
    value: Any = Field(description="Any JSON value, at most 1 MiB.")
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    expires_in: Lifetime | None = Field(default=None, description=f"Forget it after: {FORMS}.")
    expected_version: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Refuse if it is not at this version; 0: it must not exist."
    )


class GetMemory(Arguments):
    key: Key
    session_id: SessionId | None = Field(default=None, description=_WHERE)


class ListMemory(Arguments):
    session_id: SessionId | None = Field(default=None, description=_WHERE)
    prefix: Text = Field(default="", description="Only keys that begin with this.")
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class DeleteMemory(WriteArguments):
    key: Key
    session_id: SessionId | None = Field(default=None, description=_WHERE)


class MemoryTools:
    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    async def set(self, call: Call, arguments: SetMemory) -> MemorySet:
        lifetime = None if arguments.expires_in is None else arguments.expires_in * SECOND
        new = NewValue(arguments.key, arguments.value, lifetime, arguments.expected_version)
        return await self._memory.set(call, new)

    async def get(self, call: Call, arguments: GetMemory) -> MemoryRead:
        return await self._memory.get(call, arguments.key)

    async def list(self, call: Call, arguments: ListMemory) -> MemoryList:
        return await self._memory.list(call, arguments.prefix, arguments.limit, arguments.cursor)

    async def delete(self, call: Call, arguments: DeleteMemory) -> MemoryDeleted:
        return await self._memory.delete(call, arguments.key)


def memory_tools(tools: MemoryTools) -> list[Tool[Any]]:
    tool: Any = partial(Tool, group="messages", envelope=Envelope.SUCCESS, scope=Scope.SESSION_IF_NAMED)
    return [
        tool(
            name="set_memory",
            title="Remember",
            description="Keep a value for yourself under a key; no other agent can read it.",
            arguments=SetMemory,
            result=MemorySet,
            run=tools.set,
            roles=POSTERS,
            audited_as="memory_set",
            writes=True,
        ),
        *_reading(tool, tools),
        tool(
            name="delete_memory",
            title="Forget",
            description="Remove a value that you kept.",
            arguments=DeleteMemory,
            result=MemoryDeleted,
            run=tools.delete,
            frees=True,
            roles=POSTERS,
            audited_as="memory_deleted",
            writes=True,
            destructive=True,
            repeatable=True,
        ),
    ]


def _reading(tool: Any, tools: MemoryTools) -> list[Tool[Any]]:
    return [
        tool(
            name="get_memory",
            title="Recall",
            description="Read a value that you kept.",
            arguments=GetMemory,
            result=MemoryRead,
            run=tools.get,
            roles=EVERYONE,
            audited_as="memory_read",
        ),
        tool(
            name="list_memory",
            title="List what you remember",
            description="List the keys that you keep, without their values.",
            arguments=ListMemory,
            result=MemoryList,
            run=tools.list,
            roles=EVERYONE,
            audited_as="memory_listed",
        ),
    ]
