"""Streamable HTTP for the revisions with a handshake: every request is answered by itself, from the row of its
connection, by whichever process it reaches."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import pydantic_core
from mcp.server.connection import Connection as SdkConnection
from mcp.server.lowlevel import Server
from mcp.server.runner import ServerRunner, aclose_shielded, serve_one
from mcp.server.streamable_http import check_accept_headers
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params, handler_exception_to_error_data
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from longtable.connections.model import ClientFacts
from longtable.connections.service import Connection, Connections
from longtable.identity.model import Credential
from longtable.kernel.errors import LongtableError
from longtable.kernel.logs import logger
from longtable.server.agent_keys import AGENT_KEY
from longtable.server.body import BODY, MESSAGE
from longtable.server.cancellations import REQUEST_CANCELLED, Cancellations
from longtable.server.channels import RequestChannel
from longtable.server.client_replies import ClientReplies
from longtable.server.malformed import NOT_A_MESSAGE, ODD_ID, has_odd_id
from longtable.server.replies import rpc_error
from longtable.server.senders import CONNECTION, CREDENTIAL
from longtable.server.streams import ConnectionStreams

SESSION_HEADER = b"mcp-session-id"
_JSON = "application/json"
_NO_CONNECTION = (
    "Bad Request: Missing session ID. Send initialize, then Mcp-Session-Id from its answer with every request"
)
_MAX_WORDS = 2_000


class Refusal(Exception):
    """A request that is answered with an HTTP status and a JSON-RPC error."""

    def __init__(self, status: int, message: str, code: int = types.INVALID_REQUEST, **headers: str) -> None:
        super().__init__(message)
        error = {"code": code, "message": message[:_MAX_WORDS]}
        body = pydantic_core.to_json({"jsonrpc": "2.0", "id": None, "error": error})
        self.response = Response(body, status, headers, _JSON)


def unknown_connection() -> Refusal:
    """The same for an id that was never issued, that has ended, or that belongs to another credential."""
    return Refusal(404, "Session not found")


class HandshakeEndpoint:
    """Answers POST, GET and DELETE. Nothing of a connection is kept here but the requests that are under way."""

    def __init__(self, server: Server[Any], connections: Connections, streams: ConnectionStreams) -> None:
        self._server = server
        self._connections = connections
        self._streams = streams
        self._replies = ClientReplies(connections.wakeups)
        self.under_way = Cancellations(connections.wakeups)
        self._lifespan: Any = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._server.lifespan(self._server) as self._lifespan:
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._serve(scope, receive, send)
        except Refusal as refusal:
            await refusal.response(scope, receive, send)
        except LongtableError as error:
            await rpc_error(error, scope.get(BODY))(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        connection: Connection | None = scope.get(CONNECTION)
        if connection is None and CONNECTION in scope:
            raise unknown_connection()
        if request.method == "POST":
            await self._post(request, connection, send)
            return
        if request.method not in ("GET", "DELETE"):
            raise Refusal(405, "Method Not Allowed", Allow="GET, POST, DELETE")
        if request.method == "GET" and not check_accept_headers(request)[1]:
            raise Refusal(406, "Not Acceptable: Client must accept text/event-stream")
        if connection is None:
            raise Refusal(400, _NO_CONNECTION)
        if request.method == "GET":
            await self._streams.serve(request, connection, send)
        else:
            await connection.end()
            await Response(None, 200, _id_header(connection), _JSON)(scope, receive, send)

    async def _post(self, request: Request, connection: Connection | None, send: Send) -> None:
        message, streams = await _message(request)
        if connection is None:
            if not isinstance(message, types.JSONRPCRequest) or message.method != "initialize":
                raise Refusal(400, _NO_CONNECTION)
            await self._initialize(request, message, send)
            return
        if isinstance(message, types.JSONRPCRequest):
            headers = [(SESSION_HEADER, connection.id.encode())]
            channel = RequestChannel(
                request, connection, message.params, self._replies, send, headers, streams, message.id
            )
            await channel.answer(await self._answer(connection, channel, message))
            return
        # Before the answer: who sends a notification has been heard when it is accepted.
        await self._take_notification(request, connection, message, send)
        await Response(None, 202, _id_header(connection), _JSON)(request.scope, request.receive, send)

    async def _initialize(self, request: Request, message: types.JSONRPCRequest, send: Send) -> None:
        sdk = SdkConnection.from_envelope(LATEST_HANDSHAKE_VERSION, None, {})
        channel = RequestChannel(request, None, message.params, self._replies, send, [], False, message.id)
        reply = await self._replied(message, self._run(channel, message.method, message.params, sdk))
        if "result" in reply:
            params: Mapping[str, Any] = message.params or {}
            client = ClientFacts(
                reply["result"]["protocolVersion"], params.get("clientInfo"), params.get("capabilities") or {}
            )
            credential: Credential = request.scope[CREDENTIAL]
            opened = await self._connections.open(credential, client, request.scope.get(AGENT_KEY))
            channel.headers.append((SESSION_HEADER, opened.id.encode()))
        await channel.answer(reply)

    async def _answer(
        self, connection: Connection, channel: RequestChannel, message: types.JSONRPCRequest
    ) -> dict[str, Any]:
        with anyio.CancelScope() as scope:
            async with self.under_way.cancelling(connection, str(message.id), scope):
                handled = self._run(channel, message.method, message.params, _sdk_connection(connection))
                return await self._replied(message, handled)
        error = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        return {"jsonrpc": "2.0", "id": message.id, "error": error}

    async def _run(
        self, channel: RequestChannel, method: str, params: Mapping[str, Any] | None, sdk: SdkConnection
    ) -> dict[str, Any]:
        return await serve_one(self._server, channel, method, params, connection=sdk, lifespan_state=self._lifespan)

    async def _replied(self, message: types.JSONRPCRequest, handled: Any) -> dict[str, Any]:
        """The JSON-RPC response to the request, whether it succeeds or fails."""
        try:
            return {"jsonrpc": "2.0", "id": message.id, "result": await handled}
        except Exception as problem:  # noqa: BLE001 - the edge of the protocol: every failure becomes an error of it
            error = handler_exception_to_error_data(problem)
            if error is None:
                logger.failed("request_failed", problem, method=message.method[:100])
                error = types.ErrorData(code=types.INTERNAL_ERROR, message="Internal server error")
            dumped = error.model_dump(mode="json", by_alias=True, exclude_unset=True)
            return {"jsonrpc": "2.0", "id": message.id, "error": dumped}

    async def _take_notification(self, request: Request, connection: Connection, message: Any, send: Send) -> None:
        if not isinstance(message, types.JSONRPCNotification):
            await self._replies.came(connection, message)
            return
        if message.method == "notifications/cancelled":
            request_id = cancelled_request_id_from_params(message.params)
            if request_id is not None:
                await self.under_way.cancel(connection, str(request_id))
            return
        channel = RequestChannel(request, connection, message.params, self._replies, send, [], False)
        sdk = _sdk_connection(connection)
        runner = ServerRunner(self._server, sdk, self._lifespan)
        try:
            await runner.on_notify(channel, message.method, message.params)
        finally:
            await aclose_shielded(sdk)


def check_formats(request: Request) -> bool:
    """Whether the answer to a POST may be a stream. Raises Refusal where it is not JSON, or its answer may not be."""
    content_type = request.headers.get("content-type", "")
    if not content_type.lower().startswith(_JSON):
        raise Refusal(400, "Invalid Content-Type header: it must be application/json")
    has_json, has_stream = check_accept_headers(request)
    if not has_json:
        raise Refusal(406, "Not Acceptable: Client must accept application/json")
    if _JSON not in [part.strip() for part in content_type.split(";")[0].split(",")]:
        raise Refusal(415, "Unsupported Media Type: Content-Type must be application/json")
    return has_stream


async def _message(request: Request) -> tuple[types.JSONRPCMessage, bool]:
    """The one message of a POST, and whether its answer may be a stream."""
    has_stream = check_formats(request)
    raw = request.scope.get(MESSAGE)
    if raw is None:
        raw = _parsed(await request.body())
    try:
        message = types.jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except ValidationError:
        raise Refusal(400, f"Invalid request: {NOT_A_MESSAGE}") from None
    if has_odd_id(raw):
        raise Refusal(400, f"Invalid request: {ODD_ID}")
    return message, has_stream


def _parsed(body: bytes) -> Any:
    """Parses a body that was not accepted as JSON before, so that a refusal has the parser's words."""
    try:
        return pydantic_core.from_json(body)
    except ValueError as error:
        raise Refusal(400, f"Parse error: {error}", types.PARSE_ERROR) from None


def _sdk_connection(connection: Connection) -> SdkConnection:
    client = connection.row.client
    return SdkConnection.from_envelope(client.protocol_version, client.info, client.capabilities)


def _id_header(connection: Connection) -> dict[str, str]:
    return {SESSION_HEADER.decode(): connection.id}
