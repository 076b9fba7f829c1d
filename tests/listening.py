"""Clients that listen, in plain JSON-RPC: over a pipe of their own, and over HTTP answers that come bit by bit."""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage

from longtable.app import App
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.server.http import HttpApp
from longtable.server.mcp import build_server
from longtable.server.senders import Context, MessageSender
from tests.table import MODERN, modern_meta

LEGACY = "2025-11-25"
SOON = 40.0
ENVELOPE = modern_meta("listener")


def local(name: str, session: str | None = None, agent_type: str = "generic") -> Caller:
    return Caller("default", Role.LOCAL, name, agent_type, Surface.STDIO, session, session is not None)


def server_for(app: App, caller: Caller) -> Server[Any]:
    """A server whose only client is `caller`, as on stdio."""
    current_session = CurrentSession()

    async def recognise(ctx: Context) -> MessageSender:
        return MessageSender(caller, current_session)

    return build_server(app, recognise)


@dataclass
class Pipe:
    """What comes besides the answers waits in `notifications`."""

    sending: MemoryObjectSendStream[SessionMessage | Exception]
    receiving: MemoryObjectReceiveStream[SessionMessage]
    modern: bool
    notifications: "asyncio.Queue[dict[str, Any]]" = field(default_factory=asyncio.Queue)
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))
    answers: dict[Any, "asyncio.Future[dict[str, Any]]"] = field(default_factory=dict)

    async def asks(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The whole answer."""
        _, answer = await self.begins(method, params)
        async with asyncio.timeout(SOON):
            return await answer

    async def begins(
        self, method: str, params: dict[str, Any] | None = None
    ) -> tuple[int, "asyncio.Future[dict[str, Any]]"]:
        number = next(self.ids)
        answer = self.answers[number] = asyncio.get_running_loop().create_future()
        meta = {"_meta": ENVELOPE} if self.modern else {}
        await self._send({"id": number, "method": method, "params": {**(params or {}), **meta}})
        return number, answer

    async def tells(self, method: str, params: dict[str, Any] | None = None) -> None:
        await self._send({"method": method, **({} if params is None else {"params": params})})

    async def hears(self, count: int = 1) -> list[dict[str, Any]]:
        async with asyncio.timeout(SOON):
            return [await self.notifications.get() for _ in range(count)]

    async def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = await self.asks("tools/call", {"name": tool, "arguments": arguments})
        body: dict[str, Any] = answer["result"]["structuredContent"]
        return body

    async def _send(self, message: dict[str, Any]) -> None:
        parsed = types.jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **message})
        await self.sending.send(SessionMessage(parsed))

    async def read(self) -> None:
        async for item in self.receiving:
            message = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            answer = self.answers.pop(message.get("id"), None)
            if answer is None:
                self.notifications.put_nowait(message)
            elif not answer.done():
                answer.set_result(message)


@asynccontextmanager
async def piped(app: App, caller: Caller, modern: bool = False, stalls: bool = False) -> AsyncIterator[Pipe]:
    """A connection. One that `stalls` never takes anything that the server says."""
    sending, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](1000)
    outgoing, receiving = anyio.create_memory_object_stream[SessionMessage](0)
    server = server_for(app, caller)
    running = asyncio.ensure_future(server.run(incoming, outgoing, server.create_initialization_options()))
    pipe = Pipe(sending, receiving, modern)
    reading = asyncio.ensure_future(asyncio.sleep(3600) if stalls else pipe.read())
    try:
        if not modern:
            hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "listener", "version": "1"}}
            await (pipe.begins if stalls else pipe.asks)("initialize", hello)
            if stalls:
                await receiving.receive()
            await pipe.tells("notifications/initialized")
        yield pipe
    finally:
        sending.close()
        reading.cancel()
        receiving.close()
        await asyncio.gather(running, reading, return_exceptions=True)


@dataclass
class Streamed:
    """A request over HTTP whose answer is read line by line while it lasts."""

    task: "asyncio.Task[None]"
    hung_up: asyncio.Event
    parts: "asyncio.Queue[dict[str, Any]]"
    reading: asyncio.Event
    buffer: str = ""
    ended: bool = False
    last_id: str | None = None

    async def status(self) -> int:
        async with asyncio.timeout(SOON):
            start = await self.parts.get()
        return int(start["status"])

    async def hears(self, count: int = 1) -> list[dict[str, Any]]:
        """The next messages of the stream, without its comments."""
        found: list[dict[str, Any]] = []
        async with asyncio.timeout(SOON):
            while len(found) < count:
                found.append(json.loads(await self.line()))
        return found

    async def hangs_up(self) -> None:
        self.hung_up.set()
        async with asyncio.timeout(SOON):
            await self.task

    async def line_after(self) -> None:
        """Takes in the rest of the event whose data was read last: its id follows them."""
        while not self.buffer.startswith("\n"):
            line, _, self.buffer = self.buffer.partition("\n")
            if line.startswith("id:"):
                self.last_id = line.removeprefix("id:").strip()

    async def line(self) -> str:
        """The data of the next event."""
        while True:
            line, newline, rest = self.buffer.partition("\n")
            if newline:
                self.buffer = rest
                if line.startswith("id:"):
                    self.last_id = line.removeprefix("id:").strip()
                if line.startswith("data:") and line.strip() != "data:":
                    return line.removeprefix("data:").strip()
                continue
            assert not self.ended, "the stream is over"
            part = await self.parts.get()
            self.buffer += part["body"].decode().replace("\r\n", "\n")
            self.ended = not part.get("more_body", False)


@asynccontextmanager
async def streamed(
    http: HttpApp, method: str, address: str, headers: dict[str, str], message: Any = None
) -> AsyncIterator[Streamed]:
    path, _, query = address.partition("?")
    body = b"" if message is None else json.dumps(message).encode()
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    stream = Streamed(asyncio.ensure_future(asyncio.sleep(0)), asyncio.Event(), asyncio.Queue(), asyncio.Event())
    stream.reading.set()

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await stream.hung_up.wait()
        return {"type": "http.disconnect"}

    async def send(part: Any) -> None:
        await stream.reading.wait()
        stream.parts.put_nowait(part)

    given = {"Host": "127.0.0.1:8765", "Content-Type": "application/json", **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "scheme": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8765),
    }
    stream.task = asyncio.ensure_future(http(scope, receive, send))
    try:
        yield stream
    finally:
        stream.hung_up.set()
        stream.reading.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(SOON):
                await stream.task


@dataclass
class HandshakeClient:
    """A client of the older revisions over HTTP."""

    http: HttpApp
    headers: dict[str, str]
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(2))

    async def asks(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": params}
        _, answer = await self.posts(message)
        result: dict[str, Any] = json.loads(answer)
        return result

    async def tells(self, method: str, params: dict[str, Any]) -> None:
        status, _ = await self.posts({"jsonrpc": "2.0", "method": method, "params": params})
        assert status == 202

    async def posts(self, message: Any, verb: str = "POST") -> tuple[int, str]:
        async with streamed(self.http, verb, "/mcp", self.headers, message) as stream:
            status = await stream.status()
            async with asyncio.timeout(SOON):
                part = await stream.parts.get()
            return status, part["body"].decode()

    def listens(self, last_id: str | None = None) -> Any:
        """Opens its stream for what it did not ask for; after the last event of an earlier one, if it names that."""
        resumed = {} if last_id is None else {"Last-Event-ID": last_id}
        return streamed(self.http, "GET", "/mcp", {**self.headers, "Accept": "text/event-stream", **resumed})


async def connected(http: HttpApp, client_name: str = "listener", **headers: str) -> HandshakeClient:
    given = {"Accept": "application/json, text/event-stream", **headers}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": client_name, "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    async with streamed(http, "POST", "/mcp", given, opening) as stream:
        async with asyncio.timeout(SOON):
            start = await stream.parts.get()
            await stream.parts.get()
    found = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    known = {"Mcp-Session-Id": found["mcp-session-id"], "MCP-Protocol-Version": LEGACY}
    connection = HandshakeClient(http, {**given, **known})
    await connection.tells("notifications/initialized", {})
    return connection


def watching(http: HttpApp, params: dict[str, Any], method: str = "scratchpad/watch", **headers: str) -> Any:
    """One long request of the current revision."""
    given = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    message = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {**params, "_meta": ENVELOPE}}
    return streamed(http, "POST", "/mcp", {**given, **headers}, message)


async def none_left(app: App) -> None:
    """Waits until nobody listens any more."""
    await subscribed(app, 0)


async def subscribed(app: App, count: int) -> None:
    deadline = time.monotonic() + SOON
    while app.feed.subscribers != count:
        assert time.monotonic() < deadline, f"{app.feed.subscribers} listen, not {count}"
        await asyncio.sleep(0.005)
