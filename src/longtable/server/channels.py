"""The way back to a client while its request lasts: one JSON answer, or a stream as soon as there is something to say
before it."""

import asyncio
import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from pydantic_core import to_json
from starlette.requests import Request
from starlette.types import Send

STREAM_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    # Proxies would otherwise hold events back until a buffer is full.
    (b"x-accel-buffering", b"no"),
)
_REPLY_SECONDS = 300.0


def event(message: Mapping[str, Any], event_id: str | None = None, retry: int | None = None) -> bytes:
    """One JSON-RPC message as a server-sent event."""
    lines = [b"event: message", b"data: " + to_json(message)]
    if event_id is not None:
        lines.append(f"id: {event_id}".encode())
    if retry is not None:
        lines.append(f"retry: {retry}".encode())
    return b"\r\n".join(lines) + b"\r\n\r\n"


class ClientReplies:
    """Requests of ours to clients of this process, by the connection and the id that we gave them."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], asyncio.Future[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)

    def expect(self, connection_id: str) -> tuple[str, "asyncio.Future[dict[str, Any]]"]:
        request_id = f"server-{next(self._numbers)}"
        reply = self._waiting[connection_id, request_id] = asyncio.get_running_loop().create_future()
        return request_id, reply

    def forget(self, connection_id: str, request_id: str) -> None:
        self._waiting.pop((connection_id, request_id), None)

    def came(self, connection_id: str, reply: types.JSONRPCResponse | types.JSONRPCError) -> None:
        waiting = self._waiting.pop((connection_id, str(reply.id)), None)
        if waiting is None or waiting.done():
            return
        if isinstance(reply, types.JSONRPCError):
            waiting.set_exception(MCPError.from_error_data(reply.error))
        else:
            waiting.set_result(reply.result)


@dataclass
class RequestChannel:
    """What a handler has of the HTTP request that it answers; satisfies the SDK's `DispatchContext`. `send` is that of
    the request; a client that does not accept a stream hears nothing but the answer."""

    request: Request
    connection_id: str
    params: Mapping[str, Any] | None
    replies: ClientReplies
    send: Send
    headers: list[tuple[bytes, bytes]]
    streams: bool
    request_id: types.RequestId | None = None
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    streaming: bool = False

    def __post_init__(self) -> None:
        self.transport = TransportContext(
            kind="streamable-http", can_send_request=self.streams, headers=self.request.headers
        )
        self.message_metadata: MessageMetadata = ServerMessageMetadata(request_context=self.request)
        self._writing = asyncio.Lock()

    @property
    def can_send_request(self) -> bool:
        return self.streams

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        if not self.streams:
            raise NoBackChannelError(method)
        request_id, reply = self.replies.expect(self.connection_id)
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params or {})}
        try:
            await self._write(event(message))
            async with asyncio.timeout((opts or {}).get("timeout", _REPLY_SECONDS)):
                return await reply
        finally:
            self.replies.forget(self.connection_id, request_id)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        if not self.streams:
            return
        told = {} if params is None else {"params": dict(params)}
        await self._write(event({"jsonrpc": "2.0", "method": method, **told}))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token = progress_token_from_params(self.params)
        if token is None:
            return
        told = {"progressToken": token, "progress": progress, "total": total, "message": message}
        await self.notify("notifications/progress", {name: value for name, value in told.items() if value is not None})

    async def answer(self, message: Mapping[str, Any]) -> None:
        """The last message, in either form."""
        if self.streaming:
            await self._write(event(message), last=True)
            return
        body = to_json(message)
        length = (b"content-length", str(len(body)).encode())
        headers = [(b"content-type", b"application/json"), length, *self.headers]
        await self.send({"type": "http.response.start", "status": 200, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})

    async def _write(self, frame: bytes, last: bool = False) -> None:
        async with self._writing:
            if not self.streaming:
                self.streaming = True
                headers = [*STREAM_HEADERS, *self.headers]
                await self.send({"type": "http.response.start", "status": 200, "headers": headers})
            await self.send({"type": "http.response.body", "body": frame, "more_body": not last})
