"""Plain calls of our own tools over streamable HTTP: decoded once, encoded once. This way only ever accepts; whatever
is not plainly right is left to the SDK, which knows what is wrong with it and how to say so."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import mcp_types as types
from mcp.server.connection import Connection
from mcp_types import methods
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json
from starlette.types import Message, Scope, Send

from longtable.server.admission import Admission
from longtable.server.body import MESSAGE
from longtable.server.guard import ADMISSION, SEAT
from longtable.toolkit.dispatch import Dispatcher, Invocation
from longtable.toolkit.keys import key_beside

_CALL: Final = "tools/call"
_MESSAGE_KEYS: Final = frozenset({"jsonrpc", "id", "method", "params"})
_PARAMS_KEYS: Final = frozenset({"name", "arguments", "_meta"})
_ENVELOPE_PREFIX: Final = "io.modelcontextprotocol/"
_PARAMETER_HEADER: Final = b"mcp-param-"
_MAX_ENVELOPES: Final = 1_000
_MAX_ENVELOPE_BYTES: Final = 4_096
_LARGEST_ID: Final = 2**63
_MODERN: Final = {version.encode(): version for version in MODERN_PROTOCOL_VERSIONS}


@dataclass(frozen=True, slots=True)
class LeanCall:
    """A call of which everything was found right. `client_name` is what the client calls itself."""

    request_id: int | str
    tool: str
    arguments: dict[str, Any]
    client_name: str | None
    key: Any


class LeanCalls:
    """`answered` counts the calls that came this way."""

    def __init__(self, dispatcher: Dispatcher, server_info: Mapping[str, Any]) -> None:
        self._dispatcher = dispatcher
        self._modern_end = b',"_meta":' + to_json({types.SERVER_INFO_META_KEY: server_info}) + b"}}"
        self._envelopes: dict[bytes, str | None] = {}
        self.answered = 0

    def accept(self, scope: Scope) -> LeanCall | None:
        """None for what the SDK has to look at."""
        headers = _plain_headers(scope)
        if headers is None or headers.get(b"mcp-method") != b"tools/call":
            return None
        version = _MODERN.get(headers.get(b"mcp-protocol-version", b""))
        message = _message(scope[MESSAGE]) if version is not None else None
        if version is None or message is None:
            return None
        name, meta = message["params"]["name"], message["params"].get("_meta")
        if headers.get(b"mcp-name") != name.encode() or not isinstance(meta, dict):
            return None
        envelope = _envelope(meta)
        if envelope is None or envelope.get(types.PROTOCOL_VERSION_META_KEY) != version:
            return None
        found = self._client(version, envelope)
        return None if found is None else self._call(message, found[0])

    async def answer(self, call: LeanCall, scope: Scope, send: Send) -> None:
        self.answered += 1
        admission: Admission = scope[ADMISSION]
        caller = await admission.as_declared(call.client_name)
        invocation = Invocation(call.tool, call.arguments, caller, scope[SEAT], call.key, admission.refusal)
        outcome = await self._dispatcher.call(invocation)
        text = to_json(outcome.body)
        body = b"".join(
            (
                b'{"jsonrpc":"2.0","id":',
                to_json(call.request_id),
                b',"result":{"content":[{"text":',
                to_json(text.decode()),
                b',"type":"text"}],"isError":',
                b"false" if outcome.error is None else b"true",
                b',"resultType":"complete","structuredContent":',
                text,
                self._modern_end,
            )
        )
        await send(_start(len(body)))
        await send({"type": "http.response.body", "body": body})

    def _call(self, message: dict[str, Any], client_name: str | None) -> LeanCall | None:
        params = message["params"]
        tool = self._dispatcher.tools.get(params["name"])
        if tool is None or not tool.over_mcp or tool.group == "gateway":
            return None
        arguments = params.get("arguments", {})
        if type(arguments) is not dict:
            return None
        return LeanCall(message["id"], tool.name, arguments, client_name, key_beside(params["_meta"]))

    def _client(self, version: str, envelope: dict[str, Any]) -> tuple[str | None] | None:
        """What the client calls itself; None for an envelope that the SDK would not take. Clients send the same one
        with every request, so it is looked at once."""
        try:
            key = to_json(envelope)
        except (ValueError, PydanticSerializationError):
            return None
        if key in self._envelopes:
            return (self._envelopes[key],)
        if len(key) > _MAX_ENVELOPE_BYTES:
            return None
        try:
            methods.validate_client_request(_CALL, version, {"name": "", "_meta": envelope})
            types.CallToolRequestParams.model_validate({"name": "", "_meta": envelope}, by_name=False)
        except (ValidationError, KeyError, ValueError):
            return None
        info = envelope.get(types.CLIENT_INFO_META_KEY)
        declared = Connection.from_envelope(version, info, envelope[types.CLIENT_CAPABILITIES_META_KEY]).client_params
        if len(self._envelopes) >= _MAX_ENVELOPES:
            self._envelopes.clear()
        self._envelopes[key] = declared.client_info.name if declared is not None else None
        return (self._envelopes[key],)


def _plain_headers(scope: Scope) -> dict[bytes, bytes] | None:
    """The headers of a POST of JSON by somebody who takes JSON; None if any is repeated, or repeats an argument."""
    raw: list[tuple[bytes, bytes]] = scope["headers"]
    headers = dict(raw)
    if scope["method"] != "POST" or len(headers) != len(raw):
        return None
    if headers.get(b"content-type") != b"application/json" or not _takes_json(headers.get(b"accept", b"")):
        return None
    for name in headers:
        if name.startswith(_PARAMETER_HEADER):
            return None
    return headers


@lru_cache(maxsize=256)
def _takes_json(accept: bytes) -> bool:
    return any(kind.split(b";")[0].strip().lower() == b"application/json" for kind in accept.split(b","))


def _message(message: Any) -> dict[str, Any] | None:
    """One well-formed request to call a tool, with nothing in it but what every call has."""
    if type(message) is not dict or not message.keys() <= _MESSAGE_KEYS or message.get("method") != _CALL:
        return None
    params = message.get("params")
    if message.get("jsonrpc") != "2.0" or not _is_request_id(message.get("id")) or type(params) is not dict:
        return None
    return message if params.keys() <= _PARAMS_KEYS and type(params.get("name")) is str else None


def _is_request_id(value: object) -> bool:
    return type(value) is str or (type(value) is int and -_LARGEST_ID < value < _LARGEST_ID)


def _envelope(meta: dict[str, Any]) -> dict[str, Any] | None:
    """The part of `_meta` that belongs to the protocol; the rest is free, but for the token of progress."""
    token = meta.get("progressToken", "")
    if type(token) is not str and type(token) is not int:
        return None
    return {key: value for key, value in meta.items() if key.startswith(_ENVELOPE_PREFIX)}


def _start(length: int) -> Message:
    return {
        "type": "http.response.start",
        "status": 200,
        "headers": [(b"content-length", b"%d" % length), (b"content-type", b"application/json")],
    }
