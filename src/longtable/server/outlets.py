"""The stream that a client of the older revisions holds open beside its requests, for what it did not ask for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from starlette.types import ASGIApp, Message, Receive, Scope, Send

OUTLET = "longtable.outlet"
"""Where the scope of a request has the outlet of its connection."""


class Outlet:
    """The SDK drops what it is given while no stream is open, and stops answering the connection's own requests
    while one is full. So whoever has something to say waits for a turn here."""

    def __init__(self, connection_id: str) -> None:
        self.connection_id = connection_id
        self._free = asyncio.Event()
        self._queue = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        async with self._queue:
            await self._free.wait()
            yield

    async def carry(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers the request that opens the stream. A second one is refused and changes nothing."""
        is_open = False

        async def watched(message: Message) -> None:
            nonlocal is_open
            is_open = is_open or message.get("status") == 200
            if not is_open:
                await send(message)
                return
            self._free.clear()
            await send(message)
            self._free.set()

        try:
            await app(scope, receive, watched)
        finally:
            if is_open:
                self._free.clear()


class Outlets:
    """By the connection's id, for as long as anybody holds on to one."""

    def __init__(self) -> None:
        self._outlets: WeakValueDictionary[str, Outlet] = WeakValueDictionary()

    def of(self, connection_id: str) -> Outlet:
        outlet = self._outlets.get(connection_id)
        if outlet is None:
            outlet = self._outlets[connection_id] = Outlet(connection_id)
        return outlet
