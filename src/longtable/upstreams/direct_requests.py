"""Requests to an MCP server over HTTP past the SDK's client: encoded once, sent, and decoded once. The connection is
still the SDK's: it has made the handshake, names the revision, and answers what the server asks on the way."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, cast

import anyio
import httpx2
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.client.streamable_http import LAST_EVENT_ID, MCP_SESSION_ID
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from longtable.kernel.background import owned_task
from longtable.kernel.tracing import trace_fields
from longtable.upstreams.entries import HttpEntry
from longtable.upstreams.keep_alive import DRAIN
from longtable.upstreams.mcp_http import McpResponse, McpTransport
from longtable.upstreams.port import Progress

_FIRST_ID: Final = 1_000_000_000
"""The SDK counts its own requests from zero."""
_MAX_KNOWN_HEADERS: Final = 256
_MAX_RESUMES: Final = 2
_RESUME_SECONDS: Final = 1.0
_CANCEL_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class _RequestContext:
    """What the SDK wants to know of a request of the server."""

    request_id: int | str


class RedirectedRequest(Exception):
    """The server has run nothing and refers to another address, which the SDK knows how to judge."""


class DirectRequests:
    """`largest` bounds one event of a stream."""

    def __init__(self, entry: HttpEntry, transport: McpTransport, session: ClientSession, largest: int) -> None:
        self._transport = transport
        self._session = session
        self._largest = largest
        self._url = httpx2.URL(entry.url)
        self._headers = {
            "accept-encoding": "identity",
            "user-agent": "longtable",
            **{name.lower(): value for name, value in entry.headers.items()},
            "host": self._url.netloc.decode("ascii"),
            "accept": "application/json, text/event-stream",
            "content-type": "application/json",
        }
        self._known_headers: dict[tuple[tuple[str, str], ...], httpx2.Headers] = {}
        self._ids = itertools.count(_FIRST_ID)
        self._is_modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def send(self, method: str, params: Mapping[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """The result as it came. Raises MCPError as the SDK's session does, and RedirectedRequest. Cancellation is sent
        to the server."""
        number = next(self._ids)
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)}
        options: dict[str, Any] = {}
        self._session._stamp(message, cast(Any, options))
        meta = {**trace_fields(), **({} if progress is None else {"progressToken": number})}
        if meta:
            message["params"]["_meta"] = {**message["params"].get("_meta", {}), **meta}
        try:
            response = await self._post(message, options.get("headers", {}))
            return await self._result(response, number, progress)
        except asyncio.CancelledError:
            await self._cancel(number)
            raise

    async def _post(self, message: Mapping[str, Any], headers: Mapping[str, str]) -> McpResponse:
        data = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
        request = httpx2.Request(
            "POST", self._url, headers=self._prepared({**self._place(), **headers}), stream=httpx2.ByteStream(data)
        )
        return await self._transport.post(request)

    def _place(self) -> dict[str, str]:
        session_id = self._transport.session_id
        return {} if session_id is None else {MCP_SESSION_ID: session_id}

    def _prepared(self, more: Mapping[str, str]) -> httpx2.Headers:
        """Most requests have the headers of an earlier one."""
        key = tuple(more.items())
        found = self._known_headers.get(key)
        if found is None:
            if len(self._known_headers) >= _MAX_KNOWN_HEADERS:
                self._known_headers.clear()
            found = self._known_headers[key] = httpx2.Headers({**self._headers, **more}, encoding="utf-8")
        return found

    async def _result(self, answer: McpResponse, number: int, progress: Progress | None) -> dict[str, Any]:
        response = answer.response
        if answer.data is not None:
            return _result_of(_decoded(answer.data))
        if 300 <= response.status_code < 400:
            raise RedirectedRequest
        kind = response.headers.get("content-type", "").lower()
        if response.status_code == 202 or not kind.startswith("text/event-stream"):
            await response.aclose()
            problem = f"It answered with HTTP {response.status_code} and {kind or 'nothing'}."
            raise MCPError(types.INVALID_REQUEST, problem)
        return await self._streamed_result(response, number, progress)

    async def _streamed_result(
        self, response: httpx2.Response, number: int, progress: Progress | None
    ) -> dict[str, Any]:
        answering: dict[Any, asyncio.Task[None]] = {}
        try:
            async with aclosing(self._events(response)) as events:
                async for data in events:
                    message = _decoded(data)
                    if "method" not in message:
                        # The stream ends now; its connection can serve the next request.
                        response.extensions.get(DRAIN, _ignore)()
                        return _result_of(message)
                    await self._take(message, number, progress, answering)
        finally:
            for task in answering.values():
                task.cancel()
        raise MCPError(types.CONNECTION_CLOSED, "The stream ended without a response.")

    async def _events(self, response: httpx2.Response) -> AsyncGenerator[str]:
        """Resumed where the server has named its events."""
        last, pause = "", _RESUME_SECONDS
        for _ in range(_MAX_RESUMES + 1):
            try:
                async for event in httpx2.EventSource(response, max_event_size=self._largest):
                    last, pause = event.id or last, pause if event.retry is None else event.retry / 1000
                    if event.event == "message" and event.data:
                        yield event.data
            except httpx2.SSEError as error:
                raise MCPError(types.CONNECTION_CLOSED, f"The stream failed: {error}") from None
            except httpx2.TransportError:
                pass
            finally:
                await response.aclose()
            if not last:
                return
            await asyncio.sleep(pause)
            response = await self._resumed(last)

    async def _resumed(self, last: str) -> httpx2.Response:
        headers = {**self._headers, **self._place(), "accept": "text/event-stream", LAST_EVENT_ID: last}
        if self._session.protocol_version is not None:
            headers["mcp-protocol-version"] = self._session.protocol_version
        request = httpx2.Request("GET", self._url, headers=headers)
        try:
            response = await self._transport.handle_async_request(request)
        except httpx2.TransportError:
            response = httpx2.Response(502)
        response.request = request
        return response

    async def _take(
        self,
        message: Mapping[str, Any],
        number: int,
        progress: Progress | None,
        answering: dict[Any, asyncio.Task[None]],
    ) -> None:
        """Something that the server says or asks before the response."""
        method, params = message["method"], message.get("params")
        if "id" in message:
            answering[message["id"]] = owned_task(self._answer(message))
        elif method == "notifications/progress" and isinstance(params, dict):
            if progress is not None and params.get("progressToken") == number:
                await _report(progress, params)
        elif method == "notifications/cancelled" and isinstance(params, dict):
            task = answering.get(params.get("requestId"))
            if task is not None:
                task.cancel()
        else:
            await self._session._on_notify(cast(Any, None), method, params)

    async def _answer(self, message: Mapping[str, Any]) -> None:
        number = message["id"]
        answer: dict[str, Any]
        try:
            context = cast(Any, _RequestContext(number))
            answer = {"result": await self._session._on_request(context, message["method"], message.get("params"))}
        except MCPError as error:
            answer = {"error": error.error.model_dump(mode="json", exclude_none=True)}
        except ValidationError:
            answer = {"error": {"code": types.INVALID_PARAMS, "message": "Invalid request parameters"}}
        version = self._session.protocol_version
        headers = {} if version is None else {"mcp-protocol-version": version}
        posted = await self._post({"jsonrpc": "2.0", "id": number, **answer}, headers)
        await posted.response.aclose()

    async def _cancel(self, number: int) -> None:
        """In the newer revision the end of the request says it."""
        if self._is_modern:
            return
        params = types.CancelledNotificationParams(request_id=number, reason="the caller has cancelled it")
        with anyio.move_on_after(_CANCEL_SECONDS, shield=True):
            await self._session.send_notification(types.CancelledNotification(params=params))


def _ignore() -> None:
    """For a response that has no connection."""


async def _report(progress: Progress, params: Mapping[str, Any]) -> None:
    try:
        known = types.ProgressNotificationParams.model_validate(params, by_name=False)
    except ValidationError:
        return
    await progress(known.progress, known.total, known.message)


def _decoded(data: bytes | str) -> dict[str, Any]:
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise MCPError(types.PARSE_ERROR, "It answered with something that is not a message.")
    return message


def _result_of(message: Mapping[str, Any]) -> dict[str, Any]:
    result = message.get("result")
    if isinstance(result, dict):
        return result
    try:
        error = types.ErrorData.model_validate(message.get("error"))
    except ValidationError:
        error = types.ErrorData(code=types.PARSE_ERROR, message="It answered with something that is not a response.")
    raise MCPError.from_error_data(error)
