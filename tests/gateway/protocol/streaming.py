"""An HTTP client's way to a server in the process of the test, on which every response arrives as it is sent, and a
request that is given up is seen to end."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from httpx2 import AsyncBaseTransport, AsyncByteStream, Request, Response


class _Exchange(AsyncByteStream):
    def __init__(self, app: Any, request: Request, body: bytes) -> None:
        self.started = asyncio.Event()
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._gone = asyncio.Event()
        self._body: bytes | None = body
        self._task = asyncio.ensure_future(self._run(app, request))

    async def _run(self, app: Any, request: Request) -> None:
        scope = {
            "type": "http",
            "method": request.method,
            "scheme": "http",
            "path": request.url.path,
            "raw_path": request.url.raw_path,
            "query_string": request.url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
        }
        try:
            await app(scope, self._receive, self._send)
        finally:
            self.started.set()
            self._chunks.put_nowait(None)

    async def _receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
            self.started.set()
        elif message.get("body"):
            self._chunks.put_nowait(message["body"])

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (chunk := await self._chunks.get()) is not None:
            yield chunk

    async def aclose(self) -> None:
        self._gone.set()
        await asyncio.wait({self._task}, timeout=20)


class StreamingExchanges(AsyncBaseTransport):
    def __init__(self, app: Any) -> None:
        self._app = app

    async def handle_async_request(self, request: Request) -> Response:
        exchange = _Exchange(self._app, request, await request.aread())
        try:
            await exchange.started.wait()
        except BaseException:
            await asyncio.shield(exchange.aclose())
            raise
        return Response(exchange.status, headers=exchange.headers, stream=exchange)
