"""The fast path of plain requests over streamable HTTP: decoded once, encoded once. It only ever accepts; whatever is
not plainly right is left to the SDK, which knows what is wrong with it and how to say so."""

import json
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import anyio
import mcp_types as types
from mcp.server.connection import Connection as SdkConnection
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json
from starlette.types import Scope, Send

from longtable.connections.service import Connection
from longtable.kernel.delivery import DELIVERY
from longtable.server.admission import Admission
from longtable.server.agent_keys import request_key
from longtable.server.body import MESSAGE
from longtable.server.cancellations import REQUEST_CANCELLED, Cancellations
from longtable.server.elicitation import WAIT_FOR_ANSWERS
from longtable.server.guard import ADMISSION, CURRENT_SESSION, RECOGNISE
from longtable.server.incoming_request import HEADERS
from longtable.server.senders import CONNECTION, MessageSender
from longtable.server.table_app.page import shows_apps
from longtable.toolkit.dispatch import CallOutcome, Dispatcher, Invocation
from longtable.toolkit.keys import META_KEY, CallMetadata, usage_in_meta

T = TypeVar("T")
_CALL: Final = "tools/call"
_MESSAGE_KEYS: Final = frozenset({"jsonrpc", "id", "method", "params"})
_CALL_KEYS: Final = frozenset({"name", "arguments", "_meta"})
_LIST: Final = "tools/list"
_LIST_KEYS: Final = frozenset({"_meta"})
_ENVELOPE_PREFIX: Final = "io.modelcontextprotocol/"
_PARAMETER_HEADER: Final = b"mcp-param-"
_MAX_ENVELOPES: Final = 1_000
_MAX_ENVELOPE_BYTES: Final = 4_096
_LARGEST_ID: Final = 2**63
_MODERN: Final = {version.encode(): version for version in MODERN_PROTOCOL_VERSIONS}
_HANDSHAKE: Final = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)
_OLDEST: Final = HANDSHAKE_PROTOCOL_VERSIONS[0].encode()
_TOKENS: Final = (str, int)
"""The types of a progress token. What else `_meta` holds is free, but for what belongs to the protocol."""
_NOT_PLAIN: Final = frozenset({"progressToken", f"{_ENVELOPE_PREFIX}logLevel", "traceparent"})
"""With one of these in its `_meta` a client wants to hear of a call before it has the result, or traces it."""
_ASKED_FOR: Final = frozenset({"elicitation", "sampling", "roots"})
JSON: Final = (b"content-type", b"application/json")
_COMPLETE: Final = b',"resultType":"complete"'


class UpstreamCalls(Protocol):
    prefix: str
    """What the names of all tools of other servers begin with."""

    async def run(
        self, sender: MessageSender, name: str, arguments: dict[str, Any], metadata: CallMetadata
    ) -> dict[str, Any]:
        """Calls a tool of another server. Never raises: a refusal is a result."""


@dataclass(frozen=True, slots=True)
class FastPathClient:
    """Who sends a request. `connection` is None in the revision that has none."""

    name: str | None
    connection: Connection | None = None
    can_be_asked: bool = False
    """Whether a server may ask it for something, or send it log messages, while a call lasts."""
    shows_apps: bool = False


class FastPathCall(NamedTuple):
    """A call of which everything was found right."""

    request_id: int | str
    tool: str
    arguments: dict[str, Any]
    client: FastPathClient
    key: Any
    upstream_calls: UpstreamCalls | None = None
    """Set for a tool of another server."""
    usage: Mapping[str, Any] | None = None


class FastPathList(NamedTuple):
    """A request for all tools, by a client of this protocol version."""

    request_id: int | str
    client: FastPathClient
    version: str


class FastPath:
    """`answered` counts the calls that took it, `lists_answered` the lists."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        cancellations: Cancellations,
        server_info: Mapping[str, Any],
        upstream_calls: UpstreamCalls | None = None,
    ) -> None:
        self._dispatcher = dispatcher
        self._upstream_calls = upstream_calls
        self._server_info = server_info
        self._cancellations = cancellations
        self._stamp = b',"_meta":' + to_json({types.SERVER_INFO_META_KEY: server_info})
        self._clients: dict[bytes, FastPathClient] = {}
        self.answered = 0
        self.lists_answered = 0

    def accept(self, scope: Scope) -> FastPathCall | None:
        """None for what the SDK has to look at."""
        headers = _plain_headers(scope)
        message = _message(scope[MESSAGE], _CALL, _CALL_KEYS) if headers is not None else None
        if headers is None or message is None or type(name := message["params"].get("name")) is not str:
            return None
        if headers.get(b"mcp-protocol-version", _OLDEST) in _HANDSHAKE:
            client = _connected_client(scope, message["params"])
        else:
            client = self._modern_client(headers, message["params"], b"tools/call", name.encode())
        call = None if client is None else self._call(message, client)
        is_traced = call is not None and call.upstream_calls is not None and b"traceparent" in headers
        return None if is_traced else call

    def accept_list(self, scope: Scope) -> FastPathList | None:
        """The same for a request for all tools."""
        headers, message = _plain_headers(scope), scope.get(MESSAGE)
        if headers is None or type(message) is not dict or message.get("method") != _LIST:
            return None
        message = _message({"params": {}, **message}, _LIST, _LIST_KEYS)
        if message is None:
            return None
        if headers.get(b"mcp-protocol-version", _OLDEST) in _HANDSHAKE:
            client = _connected_client(scope, message["params"])
            version = client.connection.row.client.protocol_version if client and client.connection else ""
        else:
            client = self._modern_client(headers, message["params"], b"tools/list", None)
            version = headers[b"mcp-protocol-version"].decode("latin-1")
        # The list for those that show apps is another one; they ask for it once.
        return None if client is None or client.shows_apps else FastPathList(message["id"], client, version)

    async def answer(self, call: FastPathCall, scope: Scope, send: Send) -> None:
        self.answered += 1
        # The call has all that is needed of it, and may wait for long.
        del scope[MESSAGE]
        admission: Admission = scope[ADMISSION]
        caller = admission.caller
        if not admission.is_named:
            caller = await admission.as_declared(call.client.name, partial(request_key, scope))
        if call.upstream_calls is not None:
            sender = MessageSender(caller, scope[CURRENT_SESSION], admission.refusal, scope[RECOGNISE])
            await self._answer_for_upstream(call, call.upstream_calls, sender, send)
            return
        invocation = Invocation(
            call.tool,
            call.arguments,
            caller,
            scope[CURRENT_SESSION],
            call.key,
            admission.refusal,
            is_session_checked=caller.bound,
            meta=call.usage,
        )
        connection = call.client.connection
        if connection is None:
            # Without a connection there is no way to take a call back.
            DELIVERY.get().is_in_cancel_scope = False
            body = _result(call, await self._dispatcher.call(invocation), _COMPLETE, self._stamp)
            headers = [(b"content-length", b"%d" % len(body)), JSON]
        else:
            outcome = await self._unless_cancelled(connection, call, self._dispatcher.call(invocation))
            body = _cancelled(call) if outcome is None else _result(call, outcome, b"", b"")
            connection_id = connection.id.encode()
            headers = [JSON, (b"content-length", b"%d" % len(body)), (b"mcp-session-id", connection_id)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _unless_cancelled(
        self, connection: Connection, call: FastPathCall, work: Coroutine[Any, Any, T]
    ) -> T | None:
        with anyio.CancelScope() as cancel:
            async with self._cancellations.cancelling(connection, str(call.request_id), cancel):
                return await work
        return None

    async def _answer_for_upstream(
        self, call: FastPathCall, upstream_calls: UpstreamCalls, sender: MessageSender, send: Send
    ) -> None:
        work = upstream_calls.run(sender, call.tool, call.arguments, CallMetadata(call.key, call.usage))
        connection = call.client.connection
        if connection is None:
            body = _upstream_result(call.request_id, await work, MODERN_PROTOCOL_VERSIONS[-1], self._server_info)
            headers = [(b"content-length", b"%d" % len(body)), JSON]
        else:
            result, version = (
                await self._unless_cancelled(connection, call, work),
                connection.row.client.protocol_version,
            )
            body = _cancelled(call) if result is None else _upstream_result(call.request_id, result, version, None)
            headers = [JSON, (b"content-length", b"%d" % len(body)), (b"mcp-session-id", connection.id.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _call(self, message: dict[str, Any], client: FastPathClient) -> FastPathCall | None:
        params = message["params"]
        tool = self._dispatcher.tools.get(params["name"])
        arguments = params.get("arguments", {})
        if type(arguments) is not dict:
            return None
        meta = params.get("_meta") or {}
        key, usage = meta.get(META_KEY), usage_in_meta(meta)
        if tool is None:
            call = FastPathCall(message["id"], params["name"], arguments, client, key, self._upstream_calls, usage)
            return call if _is_plain_upstream_call(call, meta) else None
        if not tool.over_mcp or tool.group == "gateway":
            return None
        if client.can_be_asked and tool.name == WAIT_FOR_ANSWERS:
            return None
        return FastPathCall(message["id"], tool.name, arguments, client, key, usage=usage)

    def _modern_client(
        self, headers: dict[bytes, bytes], params: dict[str, Any], method: bytes, name: bytes | None
    ) -> FastPathClient | None:
        """A client that sends headers which say the same as the body, and a proper envelope."""
        version = _MODERN.get(headers.get(b"mcp-protocol-version", b""))
        meta = params.get("_meta")
        if headers.get(b"mcp-method") != method or headers.get(b"mcp-name") != name:
            return None
        if version is None or type(meta) is not dict or type(meta.get("progressToken", "")) not in _TOKENS:
            return None
        envelope = {key: value for key, value in meta.items() if key.startswith(_ENVELOPE_PREFIX)}
        return self._client(version, envelope) if envelope.get(types.PROTOCOL_VERSION_META_KEY) == version else None

    def _client(self, version: str, envelope: dict[str, Any]) -> FastPathClient | None:
        """None for an envelope that the SDK would not take. Clients send the same one with every request, so it is
        looked at once."""
        try:
            key = to_json(envelope)
        except (ValueError, PydanticSerializationError):
            return None
        known = self._clients.get(key)
        if known is not None or len(key) > _MAX_ENVELOPE_BYTES:
            return known
        try:
            methods.validate_client_request(_CALL, version, {"name": "", "_meta": envelope})
            types.CallToolRequestParams.model_validate({"name": "", "_meta": envelope}, by_name=False)
        except (ValidationError, KeyError, ValueError):
            return None
        info, capabilities = envelope.get(types.CLIENT_INFO_META_KEY), envelope[types.CLIENT_CAPABILITIES_META_KEY]
        declared = SdkConnection.from_envelope(version, info, capabilities).client_params
        if len(self._clients) >= _MAX_ENVELOPES:
            self._clients.clear()
        client = self._clients[key] = FastPathClient(
            declared.client_info.name if declared is not None else None,
            can_be_asked=_can_be_asked(capabilities),
            shows_apps=shows_apps(capabilities),
        )
        return client


def _connected_client(scope: Scope, params: dict[str, Any]) -> FastPathClient | None:
    """A client that sends the id of a connection. What it said of itself was checked when it connected."""
    connection: Connection | None = scope.get(CONNECTION)
    meta = params.get("_meta", {})
    if connection is None or type(meta) is not dict or type(meta.get("progressToken", "")) not in _TOKENS:
        return None
    info = connection.row.client.info or {}
    if type(info.get("name")) is not str or type(info.get("version")) is not str:
        return None
    if any(key.startswith(_ENVELOPE_PREFIX) for key in meta):
        return None
    wants_log, declared = connection.state.log_level is not None, connection.row.client.capabilities
    return FastPathClient(info["name"], connection, wants_log or _can_be_asked(declared), shows_apps(declared))


def _is_plain_upstream_call(call: FastPathCall, meta: Mapping[str, Any]) -> bool:
    if call.upstream_calls is None or call.client.can_be_asked or not _NOT_PLAIN.isdisjoint(meta):
        return False
    # Other names that are not ours are most likely mistakes.
    return call.tool.startswith(call.upstream_calls.prefix) and call.tool.isascii()


def _can_be_asked(capabilities: Mapping[str, Any]) -> bool:
    return not _ASKED_FOR.isdisjoint(capabilities)


def _plain_headers(scope: Scope) -> dict[bytes, bytes] | None:
    """The headers of a POST of JSON by a client that takes JSON; None if any is repeated, or repeats an argument."""
    headers: dict[bytes, bytes] | None = scope[HEADERS]
    if headers is None or scope["method"] != "POST" or headers.get(b"content-type") != b"application/json":
        return None
    if _PARAMETER_HEADER in b"\n".join(headers) or not _takes_json(headers.get(b"accept", b"")):
        return None
    return headers


@lru_cache(maxsize=256)
def _takes_json(accept: bytes) -> bool:
    return any(kind.split(b";")[0].strip().lower() == b"application/json" for kind in accept.split(b","))


def _message(message: Any, method: str, keys: frozenset[str]) -> dict[str, Any] | None:
    """One well-formed request, with nothing in it but what every request of this method has."""
    if type(message) is not dict or not message.keys() <= _MESSAGE_KEYS:
        return None
    if (message.get("method"), message.get("jsonrpc")) != (method, "2.0"):
        return None
    params = message.get("params")
    request_id = message.get("id")
    is_id = type(request_id) is str or (type(request_id) is int and -_LARGEST_ID < request_id < _LARGEST_ID)
    if not is_id or type(params) is not dict:
        return None
    return message if params.keys() <= keys else None


def _result(call: FastPathCall, outcome: CallOutcome, after_error: bytes, after_result: bytes) -> bytes:
    """In the order that the SDK has. The text of the result is encoded once and stands there twice: as a text for
    models, and as it is for programs."""
    envelope = outcome.envelope
    text = envelope if isinstance(envelope, bytes) else to_json(envelope)
    return b"".join(
        (
            b'{"jsonrpc":"2.0","id":',
            to_json(call.request_id),
            b',"result":{"content":[{"text":',
            to_json(text.decode()),
            b',"type":"text"}],"isError":',
            b"false" if outcome.error is None else b"true",
            after_error,
            b',"structuredContent":',
            text,
            after_result,
            b"}}",
        )
    )


def _upstream_result(
    request_id: int | str, result: dict[str, Any], version: str, server_info: Mapping[str, Any] | None
) -> bytes:
    """As the SDK shapes it. `server_info` is for the revisions in which each result has it."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
    try:
        shaped = methods.serialize_server_result(_CALL, version, result)
    except ValidationError:
        error = {"code": types.INTERNAL_ERROR, "message": "Handler returned an invalid result"}
        return to_json({**message, "error": error})
    meta = shaped.get("_meta") or {}
    if server_info is not None and meta.get(types.SERVER_INFO_META_KEY) is None:
        shaped["_meta"] = {**meta, types.SERVER_INFO_META_KEY: server_info}
    try:
        return to_json({**message, "result": shaped})
    except (ValueError, PydanticSerializationError):
        # Half of a surrogate pair, which the SDK escapes.
        return json.dumps({**message, "result": shaped}, separators=(",", ":")).encode()


def _cancelled(call: FastPathCall) -> bytes:
    error = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
    return to_json({"jsonrpc": "2.0", "id": call.request_id, "error": error})
