"""Holds back the end of a client's input until what it asked before was answered: `printf ... | longtable` works."""

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any

from mcp.shared.message import SessionMessage

Incoming = SessionMessage | Exception


class Pending:
    """`ending` is called when no more will come. Nobody is waited for longer than `seconds`."""

    def __init__(self, ending: Callable[[], None], seconds: float) -> None:
        self._ending = ending
        self._seconds = seconds
        self._asked: set[Any] = set()
        self._answered = asyncio.Event()

    def came(self, item: Incoming) -> None:
        message = item.message if isinstance(item, SessionMessage) else None
        method, request_id = getattr(message, "method", None), getattr(message, "id", None)
        if method == "notifications/cancelled":
            self._settle((getattr(message, "params", None) or {}).get("requestId"))
        elif method is not None and request_id is not None:
            self._asked.add(request_id)

    def went(self, item: SessionMessage) -> None:
        if getattr(item.message, "method", None) is None:
            self._settle(getattr(item.message, "id", None))

    async def ended(self) -> None:
        self._ending()
        try:
            async with asyncio.timeout(self._seconds):
                while self._asked:
                    self._answered.clear()
                    await self._answered.wait()
        except TimeoutError:
            return

    def _settle(self, request_id: Any) -> None:
        self._asked.discard(request_id)
        self._answered.set()


class _Wrapped:
    def __init__(self, stream: Any, pending: Pending) -> None:
        self._stream = stream
        self._pending = pending

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Any:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)


class PendingRequests(_Wrapped):
    """What comes in. `check` replaces a message that is none; `refuse` is called with a line that is no message."""

    def __init__(
        self,
        stream: Any,
        pending: Pending,
        check: Callable[[Incoming], Incoming],
        refuse: Callable[[Exception], Awaitable[None]],
    ) -> None:
        super().__init__(stream, pending)
        self._check = check
        self._refuse = refuse

    async def receive(self) -> Incoming:
        return await self._came(await self._stream.receive())

    def __aiter__(self) -> "PendingRequests":
        return self

    async def __anext__(self) -> Incoming:
        try:
            item: Incoming = await anext(self._stream)
        except StopAsyncIteration:
            await self._pending.ended()
            raise
        return await self._came(item)

    async def _came(self, item: Incoming) -> Incoming:
        item = self._check(item)
        if isinstance(item, Exception):
            await self._refuse(item)
        self._pending.came(item)
        return item


class PendingReplies(_Wrapped):
    """What goes out."""

    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)
        self._pending.went(item)
