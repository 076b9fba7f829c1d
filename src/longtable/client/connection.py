"""Requests to a server as one caller. A request that was lost is sent again, with a key that makes this safe."""

import asyncio
import itertools
import re
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

import httpx2

from longtable import __version__
from longtable.client.failures import check_envelope, check_message
from longtable.kernel.errors import LongtableError, ShuttingDown, UpstreamError
from longtable.kernel.result import Result

R = TypeVar("R", bound=Result)

# Every server speaks MCP here, whatever other path it is configured for.
_MCP = "/http"
_REVISION = "2026-07-28"
_META = "io.modelcontextprotocol"
_GATEWAY_TROUBLE = (502, 503, 504)
# Longer than the longest wait that a tool offers.
_TIMEOUT = httpx2.Timeout(10.0, read=75.0)


class ConnectionLost(ConnectionError):
    """The server could not be reached, however often it was tried. A write may or may not have taken effect;
    repeating it with `idempotency_key` finds out and does it at most once."""

    def __init__(self, problem: Exception, idempotency_key: str | None = None) -> None:
        super().__init__(f"The table cannot be reached ({type(problem).__name__}: {problem}).")
        self.idempotency_key = idempotency_key


@dataclass(frozen=True, slots=True)
class Link:
    """How to reach a server: how often a request is tried, how often in a row a listener reconnects, and over what.
    Waits double from `first_wait` seconds to `longest_wait`."""

    attempts: int = 6
    reconnects: int = 60
    first_wait: float = 0.1
    longest_wait: float = 5.0
    transport: httpx2.AsyncBaseTransport | None = None

    def wait_after(self, failures: int) -> float:
        return float(min(self.longest_wait, self.first_wait * 2 ** min(failures - 1, 30)))


@dataclass(frozen=True, slots=True)
class CallerHeaders:
    """The headers that say who sends a request."""

    token: str | None = None
    session: str | None = None
    agent: str | None = None
    agent_type: str | None = None

    def headers(self) -> list[tuple[bytes, bytes]]:
        fields = {
            b"Authorization": self.token and f"Bearer {self.token}",
            b"X-Session-ID": self.session,
            b"X-Caller-Agent": self.agent,
            b"X-Agent-Type": self.agent_type,
        }
        return [(name, value.encode()) for name, value in fields.items() if value is not None]


class ClientConnection:
    """`inbox` is what waits for the caller since the last result: messages, answers, and the event to read on from."""

    def __init__(self, http: httpx2.AsyncClient, link: Link) -> None:
        self.http = http
        self.link = link
        self.inbox: dict[str, int] | None = None
        self._ids = itertools.count(1)

    async def read(self, address: str, result: type[R], arguments: Mapping[str, Any]) -> R:
        """`address` is the name of a tool, or method and path of a REST route such as "GET /sessions/{session_id}"."""
        return await self._persist(address, result, arguments)

    async def write(self, address: str, result: type[R], arguments: Mapping[str, Any], key: str | None) -> R:
        """Has its effect once, however often it has to be sent."""
        return await self._persist(address, result, arguments, key or secrets.token_hex(16))

    async def write_without_key(self, address: str, result: type[R], arguments: Mapping[str, Any]) -> R:
        """Never sent again, as it could have its effect twice."""
        return await self._persist(address, result, arguments, attempts=1)

    async def _persist(
        self,
        address: str,
        result: type[R],
        arguments: Mapping[str, Any],
        key: str | None = None,
        attempts: int | None = None,
    ) -> R:
        send = self._request if " " in address else self._call
        for failures in itertools.count(1):
            try:
                body = await send(address, arguments, key)
                break
            except (httpx2.TransportError, ShuttingDown) as problem:
                if failures < (attempts or self.link.attempts):
                    await asyncio.sleep(self.link.wait_after(failures))
                    continue
                if isinstance(problem, LongtableError):
                    raise
                raise ConnectionLost(problem, key) from problem
        self.inbox = body.get("inbox")
        # Results carry their envelope, and those of a newer server fields that are not known here.
        return result.model_validate(body, extra="ignore")

    async def _call(self, tool: str, arguments: Mapping[str, Any], key: str | None) -> dict[str, Any]:
        meta = {
            f"{_META}/protocolVersion": _REVISION,
            f"{_META}/clientCapabilities": {},
            f"{_META}/clientInfo": {"name": "longtable-client", "version": __version__},
        }
        keyed = arguments if key is None else {**arguments, "idempotency_key": key}
        params = {"name": tool, "arguments": keyed, "_meta": meta}
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": "tools/call", "params": params}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        return check_message(_decoded(await self.http.post(_MCP, json=message, headers=headers)))

    async def _request(self, route: str, arguments: Mapping[str, Any], key: str | None) -> dict[str, Any]:
        method, template = route.split(" ")
        in_path = {name: quote(str(arguments[name]), safe="") for name in re.findall(r"{(\w+)}", template)}
        rest = {name: value for name, value in arguments.items() if name not in in_path}
        carried: dict[str, Any] = {"params": rest} if method in ("GET", "DELETE") else {"json": rest}
        headers = {} if key is None else {"Idempotency-Key": key}
        response = await self.http.request(method, template.format_map(in_path), headers=headers, **carried)
        return check_envelope(_decoded(response))


@asynccontextmanager
async def connected(url: str, identity: CallerHeaders, link: Link) -> AsyncIterator[ClientConnection]:
    """`url` is the address of the server or of its MCP endpoint."""
    address = url.rstrip("/").removesuffix("/mcp")
    headers = identity.headers()
    async with httpx2.AsyncClient(
        base_url=address, headers=headers, timeout=_TIMEOUT, transport=link.transport
    ) as http:
        yield ClientConnection(http, link)


def _decoded(response: httpx2.Response) -> dict[str, Any]:
    try:
        message = response.json()
    except ValueError:
        message = None
    if isinstance(message, dict):
        return message
    if response.status_code in _GATEWAY_TROUBLE:
        raise httpx2.RemoteProtocolError(f"something on the way answered with {response.status_code}")
    raise UpstreamError(
        f"What answers at this address with {response.status_code} is no Longtable server.", status=response.status_code
    )
