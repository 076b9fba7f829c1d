"""The way back to a client while its request lasts: one JSON answer, or a stream as soon as there is something to say
before it."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from pydantic_core import to_json
from starlette.requests import Request
from starlette.types import Send

from longtable.connections.service import Connection
from longtable.server.client_replies import ClientReplies

STREAM_HEADERS = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    # Proxies would otherwise hold events back until a buffer is full.
    (b"x-accel-buffering", b"no"),
)
_REPLY_SECONDS = 300.0


def event(message: Mapping[str, Any], event_id: str | None = None, retry: int | None = None) -> bytes:
    """One JSON-RPC message as a server-sent event."""
    return encoded_event(to_json(message), event_id, retry)


def encoded_event(message: bytes, event_id: str | None = None, retry: int | None = None) -> bytes:
    """The same of a message that is encoded already."""
    lines = [b"event: message", b"data: " + message]
    if event_id is not None:
        lines.append(f"id: {event_id}".encode())
    if retry is not None:
        lines.append(f"retry: {retry}".encode())
    return b"\r\n".join(lines) + b"\r\n\r\n"


@dataclass
class RequestChannel:
    """What a handler has of the HTTP request that it answers; satisfies the SDK's `DispatchContext`. `send` is that of
    the request; a client that does not accept a stream hears nothing but the answer."""

    request: Request
    connection: Connection | None
    params: Mapping[str, Any] | None
    replies: ClientReplies
    send: Send
    headers: list[tuple[bytes, bytes]]
    streams: bool
    request_id: types.RequestId | None = None
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    streaming: bool = False
    answered: bool = False

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
        if not self.streams or self.connection is None or self.answered:
            raise NoBackChannelError(method)
        async with self.replies.expected(self.connection) as (request_id, reply):
            message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params or {})}
            await self._write(event(message))
            try:
                async with asyncio.timeout((opts or {}).get("timeout", _REPLY_SECONDS)):
                    return await reply
            except (asyncio.CancelledError, TimeoutError):
                await self.notify("notifications/cancelled", {"requestId": request_id})
                raise

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        if not self.streams or self.answered:
            return
        fields = {} if params is None else {"params": dict(params)}
        await self._write(event({"jsonrpc": "2.0", "method": method, **fields}))

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        token = progress_token_from_params(self.params)
        if token is None:
            return
        fields = {"progressToken": token, "progress": progress, "total": total, "message": message}
        await self.notify(
            "notifications/progress", {name: value for name, value in fields.items() if value is not None}
        )

    async def answer(self, message: Mapping[str, Any]) -> None:
        """The last message, in either form."""
        self.answered = True
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
