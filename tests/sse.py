"""A listener to server-sent events inside the test's process: it takes one message at a time, and may take its time."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from httpx2 import ASGITransport, AsyncBaseTransport, AsyncByteStream, Request, Response

from tests.table import ADDRESS

WITHIN = 40.0


@dataclass
class Stream:
    """`events` are what was heard so far, as (id, kind, data); `comments` counts the heartbeats."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    chunks: "asyncio.Queue[bytes | None]" = field(default_factory=lambda: asyncio.Queue(1))
    cursor: int | None = None
    comments: int = 0
    _left: bytes = b""

    async def hears(self) -> tuple[str, dict[str, Any]] | None:
        """The next event with data, or None at the end."""
        async with asyncio.timeout(WITHIN):
            while True:
                block = await self._block()
                if block is None:
                    return None
                event = self._take(block)
                if event is not None:
                    return event

    async def takes(self, count: int) -> list[dict[str, Any]]:
        heard = [await self.hears() for _ in range(count)]
        return [event[1] for event in heard if event is not None]

    async def rest(self) -> list[tuple[str, dict[str, Any]]]:
        """All that comes until the stream ends."""
        found = []
        while (event := await self.hears()) is not None:
            found.append(event)
        return found

    async def beats(self, times: int) -> None:
        async with asyncio.timeout(WITHIN):
            while self.comments < times:
                self._take(await self._block() or "")

    async def begins(self) -> None:
        """Waits for the cursor to come back with."""
        async with asyncio.timeout(WITHIN):
            while self.cursor is None:
                self._take(await self._block() or "")

    async def body(self) -> dict[str, Any]:
        parts = b""
        async with asyncio.timeout(WITHIN):
            while (chunk := await self.chunks.get()) is not None:
                parts += chunk
        body: dict[str, Any] = json.loads(parts)
        return body

    async def _block(self) -> str | None:
        while b"\n\n" not in self._left:
            chunk = await self.chunks.get()
            if chunk is None:
                await self.chunks.put(None)
                return None
            self._left += chunk
        block, _, self._left = self._left.partition(b"\n\n")
        return block.decode()

    def _take(self, block: str) -> tuple[str, dict[str, Any]] | None:
        kind, data = "", None
        for line in block.split("\n"):
            name, _, value = line.partition(": ")
            self.comments += line.startswith(":")
            if name == "id":
                self.cursor = int(value)
            elif name == "event":
                kind = value
            elif name == "data":
                data = json.loads(value)
        return None if data is None else (kind, data)


@asynccontextmanager
async def request_of(app: Any, method: str, target: str, headers: dict[str, str]) -> AsyncIterator[Stream]:
    """Hangs up when the block ends."""
    stream, started, gone = Stream(), asyncio.Event(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            stream.status = message["status"]
            stream.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            started.set()
            return
        if message.get("body"):
            await stream.chunks.put(message["body"])
        if not message.get("more_body"):
            await stream.chunks.put(None)

    answering = asyncio.ensure_future(app(_scope(method, target, headers), receive, send))
    try:
        beginning = asyncio.ensure_future(started.wait())
        await asyncio.wait({answering, beginning}, timeout=WITHIN, return_when=asyncio.FIRST_COMPLETED)
        beginning.cancel()
        if answering.done():
            answering.result()
        yield stream
    finally:
        gone.set()
        await _ends(answering, stream)


def _scope(method: str, target: str, headers: dict[str, str]) -> dict[str, Any]:
    path, _, query = target.partition("?")
    given = {"host": ADDRESS.removeprefix("http://"), **headers}
    return {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
    }


async def _ends(answering: "asyncio.Future[None]", stream: Stream) -> None:
    while not answering.done():
        while not stream.chunks.empty():
            stream.chunks.get_nowait()
        await asyncio.wait({answering}, timeout=0.05)
    answering.result()


@asynccontextmanager
async def listens(app: Any, target: str, **headers: str) -> AsyncIterator[Stream]:
    """GET, with headers as keywords: `_` stands for `-`."""
    async with request_of(app, "GET", target, {name.replace("_", "-"): value for name, value in headers.items()}) as it:
        yield it


class StreamingTransport(AsyncBaseTransport):
    """Like the ASGI transport of the HTTP client, but an event stream arrives as it is told."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._plain = ASGITransport(app)

    async def handle_async_request(self, request: Request) -> Response:
        if request.method != "GET" or not request.url.path.endswith("/events"):
            return await self._plain.handle_async_request(request)
        headers = {name.decode(): value.decode() for name, value in request.headers.raw}
        opened = request_of(self._app, "GET", request.url.raw_path.decode(), headers)
        stream = await opened.__aenter__()
        return Response(stream.status, headers=stream.headers, stream=_Body(stream, opened))


class _Body(AsyncByteStream):
    def __init__(self, stream: Stream, opened: Any) -> None:
        self._stream = stream
        self._opened = opened

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await self._stream.chunks.get()) is not None:
            yield chunk

    async def aclose(self) -> None:
        await self._opened.__aexit__(None, None, None)
