"""What agents say to each other in the session, what each remembers, and how to find it again."""

from collections.abc import Sequence
from typing import Any, Literal

from longtable.client.tool_methods import ToolMethods
from longtable.memory.model import MemoryDeleted, MemoryList, MemoryRead, MemorySet
from longtable.messages.model import MessageAdded, MessagePage
from longtable.search.model import Found, Mode, ScratchFound

Sight = Literal["public", "private", "agent_only"]
MemoryScopeName = Literal["global", "session"]
"""Where a memory is kept: across all sessions of the agent, or for this one."""


class Conversation(ToolMethods):
    async def add_message(
        self,
        content: str,
        *,
        visibility: Sight = "public",
        metadata: dict[str, Any] | None = None,
        parent_message_id: int | None = None,
        idempotency_key: str | None = None,
    ) -> MessageAdded:
        return await self._write(
            "add_message",
            MessageAdded,
            idempotency_key,
            content=content,
            visibility=visibility,
            metadata=metadata,
            parent_message_id=parent_message_id,
        )

    async def get_messages(  # noqa: PLR0913 - each one is an argument of the tool
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        visibility_filter: Sight | None = None,
        after_id: int | None = None,
        before_id: int | None = None,
        sender: str | None = None,
        since: str | None = None,
        until: str | None = None,
        thread: int | None = None,
    ) -> MessagePage:
        return await self._read(
            "get_messages",
            MessagePage,
            limit=limit,
            offset=offset,
            visibility_filter=visibility_filter,
            after_id=after_id,
            before_id=before_id,
            sender=sender,
            since=since,
            until=until,
            thread=thread,
        )

    async def wait_for_messages(self, after_id: int | None = None, *, timeout_seconds: float | str = 25) -> MessagePage:
        """Without `after_id`: what others have said since this agent was last shown messages."""
        return await self._read("wait_for_messages", MessagePage, after_id=after_id, timeout_seconds=timeout_seconds)

    async def search_context(
        self,
        query: str,
        *,
        mode: Mode = "hybrid",
        limit: int = 10,
        scope: Literal["messages", "notes", "draft", "all"] = "all",
    ) -> Found:
        return await self._read("search_context", Found, query=query, mode=mode, limit=limit, scope=scope)

    async def scratch_search(
        self,
        query: str,
        *,
        namespaces: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        languages: Sequence[str] | None = None,
        limit: int = 10,
        mode: Mode = "hybrid",
    ) -> ScratchFound:
        """Among the cells and scratchpads of the whole tenant."""
        return await self._read(
            "scratch_search",
            ScratchFound,
            query=query,
            namespaces=None if namespaces is None else list(namespaces),
            tags=None if tags is None else list(tags),
            languages=None if languages is None else list(languages),
            limit=limit,
            mode=mode,
        )

    async def set_memory(
        self,
        key: str,
        value: Any,
        *,
        scope: MemoryScopeName = "global",
        expires_in: str | int | None = None,
        expected_version: int | None = None,
        idempotency_key: str | None = None,
    ) -> MemorySet:
        arguments = {
            "key": key,
            **await self._in(scope),
            **({} if expires_in is None else {"expires_in": expires_in}),
            **({} if expected_version is None else {"expected_version": expected_version}),
            # Null is a value like any other here.
            "value": value,
        }
        return await self._connection.write("set_memory", MemorySet, arguments, idempotency_key)

    async def get_memory(self, key: str, *, scope: MemoryScopeName = "global") -> MemoryRead:
        return await self._read("get_memory", MemoryRead, key=key, **await self._in(scope))

    async def list_memory(
        self, *, scope: MemoryScopeName = "global", prefix: str = "", limit: int = 50, cursor: str | None = None
    ) -> MemoryList:
        memory_scope = await self._in(scope)
        return await self._read("list_memory", MemoryList, prefix=prefix, limit=limit, cursor=cursor, **memory_scope)

    async def delete_memory(
        self, key: str, *, scope: MemoryScopeName = "global", idempotency_key: str | None = None
    ) -> MemoryDeleted:
        return await self._write("delete_memory", MemoryDeleted, idempotency_key, key=key, **await self._in(scope))

    async def session_id(self) -> str:
        """The session of this place."""
        raise NotImplementedError

    async def _in(self, scope: MemoryScopeName) -> dict[str, str]:
        return {"session_id": await self.session_id()} if scope == "session" else {}
