"""What goes to a server and comes back: requests of MCP and REST, and their envelopes."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx2

from longtable_client.errors import BY_CODE, InternalError, LongtableError, UpstreamError
from longtable_client.version import __version__

# Every server speaks MCP here, whatever other path it is configured for.
_MCP = "/http"
_REVISION = "2026-07-28"
_META = "io.modelcontextprotocol"
_GATEWAY_TROUBLE = (502, 503, 504)


@dataclass(frozen=True, slots=True)
class ClientRequest:
    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    params: dict[str, Any] | None = None
    json: Any = None


def request_of(address: str, arguments: Mapping[str, Any], key: str | None, number: int) -> ClientRequest:
    """`address` is the name of a tool, or method and path of a REST route such as "GET /sessions/{session_id}"."""
    return _rest_request(address, arguments, key) if " " in address else _tool_call(address, arguments, key, number)


def _tool_call(tool: str, arguments: Mapping[str, Any], key: str | None, number: int) -> ClientRequest:
    meta = {
        f"{_META}/protocolVersion": _REVISION,
        f"{_META}/clientCapabilities": {},
        f"{_META}/clientInfo": {"name": "longtable-client", "version": __version__},
    }
    keyed = arguments if key is None else {**arguments, "idempotency_key": key}
    params = {"name": tool, "arguments": keyed, "_meta": meta}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return ClientRequest("POST", _MCP, headers, json=message)


def _rest_request(route: str, arguments: Mapping[str, Any], key: str | None) -> ClientRequest:
    method, template = route.split(" ")
    in_path = {name: quote(str(arguments[name]), safe="") for name in re.findall(r"{(\w+)}", template)}
    rest = {name: value for name, value in arguments.items() if name not in in_path}
    headers = {} if key is None else {"Idempotency-Key": key}
    path = template.format_map(in_path)
    if method in ("GET", "DELETE"):
        return ClientRequest(method, path, headers, params=rest)
    return ClientRequest(method, path, headers, json=rest)


def body_of(response: httpx2.Response) -> dict[str, Any]:
    """The fields of a result. Raises its failure, and TransportError for what something on the way has answered."""
    message = _decoded(response)
    if "jsonrpc" not in message:
        return _checked(message)
    problem = message.get("error")
    if problem is None:
        return _checked(message["result"]["structuredContent"])
    said = problem.get("data") or {}
    raise _failure({"code": problem.get("code"), "error": problem.get("message"), **said})


def _decoded(response: httpx2.Response) -> dict[str, Any]:
    try:
        message = response.json()
    except ValueError:
        message = None
    if isinstance(message, dict):
        return message
    if response.status_code in _GATEWAY_TROUBLE:
        raise httpx2.RemoteProtocolError(f"something on the way answered with {response.status_code}")
    raise BY_CODE[UpstreamError.code](
        f"What answers at this address with {response.status_code} is no Longtable server.",
        {"status": response.status_code},
    )


def _checked(body: dict[str, Any]) -> dict[str, Any]:
    """The body of a success, in either of the two envelopes."""
    if body.get("ok", body.get("success")):
        return body
    raise _failure(body["error"] if isinstance(body.get("error"), dict) else body)


def _failure(problem: Mapping[str, Any]) -> LongtableError:
    """A code that only a newer server knows becomes INTERNAL_ERROR, and is kept in the details."""
    code, details = str(problem.get("code")), problem.get("details") or {}
    kind = BY_CODE.get(code)
    if kind is None:
        kind, details = BY_CODE[InternalError.code], {**details, "code": code}
    return kind(str(problem.get("error")), details)


def session_path(session_id: str, part: str) -> str:
    return f"/sessions/{quote(session_id, safe='')}/{part}"


def arguments_of(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    there = {name: value for name, value in optional.items() if value is not None}
    return {name: _plain(value) for name, value in (*required.items(), *there.items())}


def _plain(value: Any) -> Any:
    """Sequences and mappings as lists and dictionaries."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
