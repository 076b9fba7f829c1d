"""MCP over HTTP to checked addresses. A transport failure becomes the error of its own request, and no response is read
beyond its limit."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import LAST_EVENT_ID, MCP_SESSION_ID, streamable_http_client
from mcp.shared.exceptions import MCPError

from longtable.kernel.errors import UpstreamError
from longtable.kernel.tracing import trace_fields
from longtable.upstreams.authorization import Authorization, AuthorizedTransport
from longtable.upstreams.entries import MIB, HttpEntry, Kind
from longtable.upstreams.framing import truncated_result
from longtable.upstreams.safety import Destination, SafeTransport, describe, read_body, safe_client

LARGEST_BODY = 16 * MIB
_LARGEST_ERROR = 65_536
_TRANSPORT_FAILED = -32_055
_SPARE_SECONDS = 5.0
_LISTENS = "subscriptions/listen"
_JSON = "application/json"

Streams = tuple[Any, Any]
"""Incoming and outgoing messages, as the SDK expects them."""


class McpResponse(NamedTuple):
    """`data` is a whole body of JSON, already read; without it, the body of the response is still to be read."""

    response: httpx2.Response
    data: bytes | None = None


class McpTransport(httpx2.AsyncBaseTransport):
    """Keeps one failed request from ending the SDK's session. `on_stream` is called when the stream for what the server
    sends by itself was opened or has ended."""

    def __init__(
        self,
        entry: HttpEntry,
        destination: Destination,
        on_stream: Callable[[], None],
        authorization: Authorization | None = None,
    ) -> None:
        self._inner: httpx2.AsyncBaseTransport = SafeTransport(destination)
        if authorization is not None:
            self._inner = AuthorizedTransport(self._inner, entry.url, authorization)
        self._limits = entry.limits
        self._largest = largest_message(entry)
        self._on_stream = on_stream
        self.session_id: str | None = None
        """As the SDK last sent it."""
        self.session_is_gone = False
        self.stream_is_open = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            return self._watched(request, await self._inner.handle_async_request(request))
        if request.method != "POST":
            return await self._inner.handle_async_request(request)
        self.session_id = request.headers.get(MCP_SESSION_ID)
        answer = await self.post(request)
        if answer.data is None:
            return answer.response
        return _json(answer.response.status_code, answer.data, answer.response.headers.get(MCP_SESSION_ID))

    async def post(self, request: httpx2.Request) -> McpResponse:
        """Never raises for a failure of the network or of the server."""
        request.extensions = {**request.extensions, "timeout": self._timeouts(request)}
        if trace := trace_fields():
            request.headers.update(trace)
        try:
            response = await self._inner.handle_async_request(request)
        except httpx2.TransportError as error:
            return _failure(502, describe(error))
        response.request = request
        try:
            return await self._checked(request, response)
        except (httpx2.TransportError, UpstreamError) as error:
            await response.aclose()
            return _failure(502, describe(error))

    def _watched(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        # With the id of an event it may resume the response to a single request instead.
        if response.status_code == 200 and LAST_EVENT_ID not in request.headers:
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _WatchedBody(response.stream, self._stream_ended)
            self.stream_is_open = True
            self._on_stream()
        return response

    def _stream_ended(self) -> None:
        self.stream_is_open = False
        self._on_stream()

    async def _checked(self, request: httpx2.Request, response: httpx2.Response) -> McpResponse:
        if response.status_code >= 400:
            return await self._error_response(request, response)
        if response.status_code >= 300:
            await response.aclose()
            where = response.headers.get("location")
            return McpResponse(
                httpx2.Response(response.status_code, headers={"location": where} if where else {}, request=request)
            )
        if not response.headers.get("content-type", "").lower().startswith(_JSON):
            return McpResponse(response)
        body = await read_body(response, self._largest)
        await response.aclose()
        if body.is_whole:
            return McpResponse(response, body.data)
        head = body.data[: self._limits.max_response_bytes]
        message = {
            "jsonrpc": "2.0",
            "id": json.loads(await request.aread()).get("id"),
            "result": truncated_result(head),
        }
        return McpResponse(httpx2.Response(200), json.dumps(message).encode())

    async def _error_response(self, request: httpx2.Request, response: httpx2.Response) -> McpResponse:
        body = await read_body(response, _LARGEST_ERROR)
        await response.aclose()
        if response.status_code == 404 and MCP_SESSION_ID in request.headers:
            self.session_is_gone = True
        elif response.status_code == 401:
            return _failure(401, _credential_problem(request, response))
        elif _is_rpc_error(body.data):
            return McpResponse(httpx2.Response(response.status_code), body.data)
        return _failure(response.status_code, f"it answered with HTTP {response.status_code}")

    def _timeouts(self, request: httpx2.Request) -> dict[str, float | None]:
        timeouts = request.extensions.get("timeout", {})
        listens = request.headers.get("mcp-method") == _LISTENS
        # Longer than the timeout of a call, which then closes the response itself.
        return {**timeouts, "read": None if listens else self._limits.timeout + _SPARE_SECONDS}

    async def aclose(self) -> None:
        await self._inner.aclose()


class _WatchedBody(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, on_end: Callable[[], None]) -> None:
        self._inner = inner
        self._on_end = on_end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                yield chunk
        finally:
            self._on_end()

    async def aclose(self) -> None:
        self._on_end()
        await self._inner.aclose()


def _credential_problem(request: httpx2.Request, response: httpx2.Response) -> str:
    """Why an upstream without `oauth` in its entry answers 401, and what helps."""
    if "authorization" in request.headers:
        return "it refuses the Authorization in the headers of its entry (HTTP 401)"
    if "resource_metadata" in response.headers.get("www-authenticate", ""):
        return 'it wants OAuth (HTTP 401): add "oauth": {} to its entry, then an owner can connect it'
    return 'it wants a credential (HTTP 401): give it one in the headers of its entry, or "oauth": {} if it has OAuth'


def _is_rpc_error(data: bytes) -> bool:
    try:
        body = json.loads(data)
    except ValueError:
        return False
    return isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("error"), dict)


def _failure(status: int, problem: str) -> McpResponse:
    error = {"code": _TRANSPORT_FAILED, "message": problem, "data": {"status": status}}
    data = json.dumps({"jsonrpc": "2.0", "id": 0, "error": error}).encode()
    return McpResponse(httpx2.Response(max(status, 400)), data)


def _json(status: int, data: bytes, session: str | None = None) -> httpx2.Response:
    headers = {"content-type": _JSON} | ({MCP_SESSION_ID: session} if session else {})
    return httpx2.Response(status, headers=headers, content=data)


def transport_status(error: MCPError) -> int | None:
    """The HTTP status of an error that the transport made; None for one of the server."""
    data: Any = error.error.data
    return data.get("status") if error.error.code == _TRANSPORT_FAILED and isinstance(data, dict) else None


def open_transport(
    entry: HttpEntry,
    allowed_hosts: frozenset[str],
    on_stream: Callable[[], None] = lambda: None,
    authorization: Authorization | None = None,
) -> tuple[McpTransport, httpx2.AsyncClient]:
    destination = Destination(urlsplit(entry.url).hostname or "", allowed_hosts)
    transport = McpTransport(entry, destination, on_stream, authorization)
    client = safe_client(destination, headers=entry.headers, timeout=10.0, transport=transport)
    # A stream may be silent for any time; POST requests have their own timeout.
    client.timeout = httpx2.Timeout(10.0, read=None)
    return transport, client


@asynccontextmanager
async def http_streams(entry: HttpEntry, client: httpx2.AsyncClient, kind: Kind) -> AsyncIterator[Streams]:
    if kind == "sse":

        def our_client(*_: Any, **__: Any) -> httpx2.AsyncClient:
            """The legacy transport wants to create its own."""
            return client

        async with sse_client(entry.url, sse_read_timeout=86_400.0, httpx_client_factory=our_client) as streams:
            yield streams
        return
    async with (
        client,
        streamable_http_client(entry.url, http_client=client, max_sse_event_size=largest_message(entry)) as streams,
    ):
        yield streams


def largest_message(entry: HttpEntry) -> int:
    return max(LARGEST_BODY, 4 * entry.limits.max_response_bytes)
