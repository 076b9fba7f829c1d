"""Requests to a server as one caller. What was lost on the way is sent again, under a key that makes this safe."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx2

from longtable import __version__
from longtable.client.failures import check_envelope, check_message
from longtable.kernel.errors import LongtableError, ShuttingDown, UpstreamError
from longtable.kernel.result import Result

R = TypeVar("R", bound=Result)

# Every server answers MCP here, whatever path it was told to use besides.
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
    """How to reach a server: how often a request is tried, how often in a row a listener comes back, and over what.
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
    """What every request says about its sender."""

    token: str | None = None
    session: str | None = None
    agent: str | None = None
    agent_type: str | None = None

    def headers(self) -> list[tuple[bytes, bytes]]:
        given = {
            b"Authorization": self.token and f"Bearer {self.token}",
            b"X-Session-ID": self.session,
            b"X-Caller-Agent": self.agent,
            b"X-Agent-Type": self.agent_type,
        }
        return [(name, value.encode()) for name, value in given.items() if value is not None]


class ClientConnection:
    """`inbox` is what the last answer said waits for the caller: messages, answers, and the event to read on from."""

    def __init__(self, http: httpx2.AsyncClient, link: Link) -> None:
        self.http = http
        self.link = link
        self.inbox: dict[str, int] | None = None
        self._ids = itertools.count(1)

    async def read(self, tool: str, result: type[R], arguments: Mapping[str, Any]) -> R:
        return self._typed(result, await self._persist(lambda: self._call(tool, arguments), None))

    async def write(self, tool: str, result: type[R], arguments: Mapping[str, Any], key: str | None) -> R:
        """Has its effect once, however often it has to be sent."""
        key = key or secrets.token_hex(16)
        keyed = {**arguments, "idempotency_key": key}
        return self._typed(result, await self._persist(lambda: self._call(tool, keyed), key))

    async def get(self, path: str, result: type[R], query: Mapping[str, Any]) -> R:
        return self._typed(result, await self._persist(lambda: self._rest("GET", path, params=query), None))

    async def post(self, path: str, result: type[R], body: Mapping[str, Any], key: str | None) -> R:
        key = key or secrets.token_hex(16)
        headers = {"Idempotency-Key": key}
        body = await self._persist(lambda: self._rest("POST", path, json=body, headers=headers), key)
        return self._typed(result, body)

    def _typed(self, result: type[R], body: Mapping[str, Any]) -> R:
        self.inbox = body.get("inbox")
        # Answers carry their envelope, and those of a newer server fields that are not known here.
        return result.model_validate(body, extra="ignore")

    async def _persist(self, attempt: Callable[[], Awaitable[dict[str, Any]]], key: str | None) -> dict[str, Any]:
        for failures in itertools.count(1):
            try:
                return await attempt()
            except (httpx2.TransportError, ShuttingDown) as problem:
                if failures < self.link.attempts:
                    await asyncio.sleep(self.link.wait_after(failures))
                    continue
                if isinstance(problem, LongtableError):
                    raise
                raise ConnectionLost(problem, key) from problem
        raise AssertionError("unreachable")

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        meta = {
            f"{_META}/protocolVersion": _REVISION,
            f"{_META}/clientCapabilities": {},
            f"{_META}/clientInfo": {"name": "longtable-client", "version": __version__},
        }
        params = {"name": tool, "arguments": dict(arguments), "_meta": meta}
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": "tools/call", "params": params}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        return check_message(_decoded(await self.http.post(_MCP, json=message, headers=headers)))

    async def _rest(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        return check_envelope(_decoded(await self.http.request(method, path, **more)))


@asynccontextmanager
async def connected(url: str, identity: CallerHeaders, link: Link) -> AsyncIterator[ClientConnection]:
    """`url` is the address of the server, or that of its MCP endpoint."""
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
