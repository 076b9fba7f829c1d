"""The way to a table through the balancer: an application that sends every request over a real connection, and what a
test may know of servers that run in other processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import httpx2

from longtable.app import App, open_app
from longtable.server.http import HttpApp
from longtable.settings.load import load
from tests.balanced.cluster import cluster
from tests.balanced.host import Board
from tests.table import Table, Timepiece


class BalancedServers:
    """Stands in for the HTTP application. `authenticator` and `routes` are those of an equal one in this process."""

    def __init__(self, port: int, app: App, equal: HttpApp) -> None:
        self._port = port
        self.app = app
        self._transport = httpx2.AsyncHTTPTransport(limits=httpx2.Limits(max_connections=None))
        self.authenticator = equal.authenticator
        self.routes = equal.routes

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = await _body(scope, receive)
        path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        url = httpx2.URL(scheme="http", host="127.0.0.1", port=self._port, raw_path=path)
        request = httpx2.Request(scope["method"], url, headers=_sendable(scope["headers"]), content=body or None)
        gone = asyncio.ensure_future(_disconnected(receive))
        passing = asyncio.ensure_future(self._pass(request, send))
        try:
            await asyncio.wait({gone, passing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (gone, passing):
                if not task.done():
                    task.cancel()
            await asyncio.gather(gone, passing, return_exceptions=True)
        if not passing.cancelled():
            passing.result()

    async def close(self) -> None:
        await self._transport.aclose()

    async def _pass(self, request: httpx2.Request, send: Any) -> None:
        response = await self._transport.handle_async_request(request)
        try:
            headers = [(name.lower(), value) for name, value in response.headers.raw]
            kept = [pair for pair in headers if pair[0] not in (b"transfer-encoding", b"connection")]
            await send({"type": "http.response.start", "status": response.status_code, "headers": kept})
            async for chunk in cast(httpx2.AsyncByteStream, response.stream):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            await response.aclose()


async def _body(scope: Any, receive: Any) -> bytes:
    if scope["method"] in ("GET", "HEAD"):
        return b""
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _sendable(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Without what a client cannot send and tests in memory may: a second Host, and blanks around a value."""
    plain = [(name.lower(), value.strip(b" \t")) for name, value in headers]
    return [*[pair for pair in plain if pair[0] == b"host"][-1:], *(pair for pair in plain if pair[0] != b"host")]


async def _disconnected(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _Feed:
    """Of this process, with those who listen elsewhere counted in."""

    def __init__(self, own: Any, board: Board, servers: int) -> None:
        self._own, self._board, self._servers = own, board, servers

    @property
    def subscribers(self) -> int:
        return int(self._own.subscribers) + self._board.sums(self._servers)[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


class _Wakeups:
    """Of this process, with those who wait elsewhere counted in."""

    def __init__(self, own: Any, board: Board, servers: int) -> None:
        self._own, self._board, self._servers = own, board, servers

    @property
    def anyone_waiting(self) -> bool:
        return bool(self._own.anyone_waiting) or self._board.sums(self._servers)[1] > 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


class _Ledger:
    """Flushing also asks the servers to write what they keep back."""

    def __init__(self, own: Any, slot: int) -> None:
        self._own, self._slot = own, slot

    async def flush(self) -> None:
        await cluster().do("flush", self._slot)
        await self._own.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


class _FarApp:
    """The application of this process, on the same store as those of the servers."""

    def __init__(self, own: App, slot: int, board: Board) -> None:
        servers = len(cluster().servers)
        self._own = own
        self.feed = _Feed(own.feed, board, servers)
        self.wakeups = _Wakeups(own.wakeups, board, servers)
        self.ledger = _Ledger(own.ledger, slot)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._own, name)


@asynccontextmanager
async def balanced(flags: dict[str, Any]) -> AsyncIterator[Table]:
    """A table whose servers are those of the cluster."""
    servers = cluster()
    slot = servers.free.pop()
    path: Path = servers.folder / f"board{slot}"
    board = Board.new(path)
    clock = Timepiece(board.memory)
    try:
        async with open_app(load(flags, {}).settings, "test", clock) as own:
            equal = HttpApp(own)
            async with equal.running():
                await servers.do("open", slot, flags=flags, board=str(path))
                app = cast(App, _FarApp(own, slot, board))
                served = BalancedServers(servers.port(slot), app, equal)
                try:
                    yield Table(app, cast(HttpApp, served), clock)
                finally:
                    await served.close()
                    with suppress(RuntimeError):
                        await servers.do("close", slot)
    finally:
        servers.free.append(slot)
