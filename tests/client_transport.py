"""Workspaces at a server in the test's process, over a transport that can lose responses and break streams."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx2

from longtable.client import Link, TableEvent, Workspace
from tests.sse import StreamingTransport
from tests.table import ADDRESS, Table


@dataclass
class LossyTransport(httpx2.AsyncBaseTransport):
    """Loses the responses of the next `drops` calls after they have taken effect, and cuts each stream
    after as many pieces as `cuts` says."""

    app: Any
    drops: int = 0
    cuts: list[int] = field(default_factory=list)
    sent: list[httpx2.Request] = field(default_factory=list)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.sent.append(request)
        response = await StreamingTransport(self.app).handle_async_request(request)
        if request.method == "POST" and self.drops:
            self.drops -= 1
            raise httpx2.ReadError("cut off", request=request)
        if request.url.path.endswith("/events") and self.cuts:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            return httpx2.Response(
                response.status_code, headers=response.headers, stream=Cut(response.stream, self.cuts.pop(0))
            )
        return response


class Cut(httpx2.AsyncByteStream):
    def __init__(self, whole: httpx2.AsyncByteStream, pieces: int) -> None:
        self.whole = whole
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self.whole:
            if self.pieces == 0:
                raise httpx2.ReadError("cut off")
            self.pieces -= 1
            yield piece

    async def aclose(self) -> None:
        await self.whole.aclose()


def link(app: Any, **more: Any) -> Link:
    options = {"transport": StreamingTransport(app), "first_wait": 0.01, "longest_wait": 0.05, **more}
    return Link(**options)


def opened(
    table: Table, agent: str = "ada", session: str | None = "sess_one", **more: Any
) -> AbstractAsyncContextManager[Workspace]:
    return Workspace.open(ADDRESS, None, session, agent, link=link(table.http, **more))


async def take(events: Any, count: int) -> list[TableEvent]:
    taken: list[TableEvent] = []
    async with asyncio.timeout(40), aclosing(events):
        async for event in events:
            taken.append(event)
            if len(taken) == count:
                break
    return taken
