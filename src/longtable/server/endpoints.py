"""The MCP endpoints of the listener: streamable HTTP for every protocol revision, and the legacy SSE transport."""

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable.gateway import CALL
from longtable.gateway.resource_links import PREFIX
from longtable.identity.model import Credential
from longtable.kernel.caller import Surface
from longtable.kernel.tracing import is_recording
from longtable.server.admission import IN_ADDRESS
from longtable.server.agent_keys import with_cookie
from longtable.server.body import MESSAGE
from longtable.server.fast_path import FastPath
from longtable.server.fast_path_lists import FastPathLists
from longtable.server.handshake import HandshakeEndpoint, Refusal, check_formats
from longtable.server.malformed import ODD_ID, has_odd_id
from longtable.server.notifications import WATCH
from longtable.server.senders import CREDENTIAL
from longtable.server.streams import RETRY
from longtable.server.traced_fast_path import TracedFastPathLists
from longtable.toolkit.catalogue import catalogue

SSE_MESSAGES = "/messages"
EVENT_STREAM = "text/event-stream"
ALIAS = "/http"


@dataclass(frozen=True, slots=True)
class Paths:
    streamable: frozenset[str]
    sse: str | None

    @property
    def surfaces(self) -> dict[str, Surface]:
        sse = [path for path in (self.sse, self.sse_messages) if path is not None]
        return dict.fromkeys(sse, Surface.SSE) | dict.fromkeys(self.streamable, Surface.HTTP)

    @property
    def sse_messages(self) -> str | None:
        return SSE_MESSAGES if self.sse is not None else None


class McpEndpoints:
    """An ASGI application that answers the MCP paths and leaves the others to `rest`."""

    def __init__(
        self,
        server: Server[Any],
        paths: Paths,
        handshake: HandshakeEndpoint,
        rest: ASGIApp,
        max_request_bytes: int,
        fast_path: FastPath | None,
    ) -> None:
        """Without `fast_path` the SDK answers every call."""
        self._server = server
        self._fast_path = fast_path
        encoded_lists = getattr(server, "encoded_lists", None)
        fast_lists = TracedFastPathLists if is_recording() else FastPathLists
        self._lists = fast_lists(encoded_lists, fast_path, self._serve_by_sdk) if fast_path and encoded_lists else None
        self._paths = paths
        self._handshake = handshake
        self._rest = rest
        # Host and Origin are the guard's work, so the SDK's own check stays off.
        self._streamable = StreamableHTTPSessionManager(
            server, json_response=True, max_request_body_size=max_request_bytes
        )
        # What is sent while a request lasts does not fit into one JSON response.
        self._streaming = StreamableHTTPSessionManager(
            server, json_response=False, max_request_body_size=max_request_bytes
        )
        self._own_tools = frozenset(entry["wire"]["name"] for entry in catalogue())
        self._sse = SseServerTransport(SSE_MESSAGES, max_request_body_size=max_request_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path")
        if path in self._paths.streamable:
            if self._fast_path is None or (call := self._fast_path.accept(scope)) is None:
                # Not awaited on the way: the frames of a stream that is held open are kept as long.
                await self._streamable_answer(scope, receive, send)
            else:
                await self._fast_path.answer(call, scope, send)
        elif path is not None and path == self._paths.sse:
            await self._serve_sse(scope, receive, send)
        elif path is not None and path == self._paths.sse_messages:
            await self._take_sse_message(scope, receive, send)
        else:
            await self._rest(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._streamable.run(), self._streaming.run(), self._handshake.running():
            yield

    def _streamable_answer(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if self._lists is not None and (request := self._lists.accept(scope)) is not None:
            return self._lists.answer(request, scope, receive, send)
        return self._serve_by_sdk(scope, receive, send)

    def _serve_by_sdk(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        scope["user"] = _sdk_user(scope[CREDENTIAL])
        headers = Headers(scope=scope)
        if headers.get("mcp-protocol-version", HANDSHAKE_PROTOCOL_VERSIONS[0]) not in HANDSHAKE_PROTOCOL_VERSIONS:
            # Only with a stream does the end of the request end the call, and can anything come before the answer.
            watches = headers.get("mcp-method") == WATCH
            try:
                _check_stateless(Request(scope), needs_stream=watches)
            except Refusal as refusal:
                return refusal.response(scope, receive, send)
            manager = self._streaming if watches or self._may_be_upstream(headers) else self._streamable
            return manager.handle_request(scope, receive, with_cookie(scope, send))
        return self._handshake(scope, receive, send)

    def _may_be_upstream(self, headers: Headers) -> bool:
        """Whether it may be for another server, by a client that accepts notifications before the answer."""
        if EVENT_STREAM not in headers.get("accept", ""):
            return False
        method, name = headers.get("mcp-method"), headers.get("mcp-name")
        if method == "tools/call":
            return name is not None and (name not in self._own_tools or name == CALL)
        return method == "prompts/get" or (method == "resources/read" and (name or "").startswith(PREFIX))

    async def _take_sse_message(self, scope: Scope, receive: Receive, send: Send) -> None:
        if has_odd_id(scope.get(MESSAGE)):
            await Refusal(400, f"Invalid request: {ODD_ID}").response(scope, receive, send)
            return
        scope["user"] = _sdk_user(scope[CREDENTIAL])
        await self._sse.handle_post_message(scope, receive, send)

    async def _serve_sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            await Response(status_code=405, headers={"Allow": "GET"})(scope, receive, send)
            return
        scope["user"] = _sdk_user(scope[CREDENTIAL])
        async with self._sse.connect_sse(scope, receive, _with_retry(send, scope["query_string"])) as (
            incoming,
            outgoing,
        ):
            await self._server.run(incoming, outgoing, self._server.create_initialization_options())


def _check_stateless(request: Request, *, needs_stream: bool) -> None:
    """Raises Refusal for what the SDK would refuse without a word."""
    if request.method != "POST":
        raise Refusal(405, "Method Not Allowed: this revision of the protocol has POST alone", Allow="POST")
    if not check_formats(request) and needs_stream:
        raise Refusal(406, "Not Acceptable: Client must accept text/event-stream")


def _sdk_user(credential: Credential) -> AuthenticatedUser:
    """Makes the SDK tie a protocol session to the credential that opened it."""
    return _user(credential.key)


@lru_cache(maxsize=1_000)
def _user(identity: str) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=identity, scopes=[]))


def _with_retry(send: Send, query: bytes) -> Send:
    """Puts the delay before a client comes back into the first event: alone, clients would take it for a message. That
    event tells the address for messages, which names the agent like the one of the stream."""
    named = next((part for part in query.split(b"&") if part.startswith(IN_ADDRESS)), None)
    has_begun = False

    async def with_delay(message: Message) -> None:
        nonlocal has_begun
        if message["type"] == "http.response.body" and message.get("body") and not has_begun:
            has_begun = True
            body = message["body"]
            if named is not None:
                body = body.replace(b"?session_id=", b"?" + named + b"&session_id=", 1)
            message = {**message, "body": f"retry: {RETRY}\r\n".encode() + body}
        await send(message)

    return with_delay
