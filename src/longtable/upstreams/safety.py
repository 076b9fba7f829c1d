"""Outbound HTTP to allowed addresses only. The host is resolved here, each address is checked, and the connection is
made to the checked address, whatever the name resolves to a moment later."""

import asyncio
import socket
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx2

from longtable.kernel.errors import UpstreamError
from longtable.upstreams.addresses import (
    Address,
    check_address,
    check_host,
    is_loopback,
    literal,
    may_be_allowed,
)
from longtable.upstreams.keep_alive import KeepAliveConnections

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Resolves the addresses of a host."""

_REMEMBER = 60.0
_MAX_ADDRESSES = 8
_CONNECT_SECONDS = 10.0


class DestinationRefused(httpx2.ConnectError):
    """Nothing was sent: the address is not allowed."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


@dataclass(frozen=True, slots=True)
class Destination:
    """The host of an upstream, and the private hosts that the operator allows."""

    host: str
    allowed_hosts: frozenset[str] = frozenset()
    resolve: Resolver = field(default=system_resolver, repr=False)

    @property
    def is_allowed_host(self) -> bool:
        return _plain(self.host) in {_plain(host) for host in self.allowed_hosts}

    @property
    def is_loopback(self) -> bool:
        """Whether the operator wrote a loopback address into the file."""
        address = literal(self.host)
        return _plain(self.host) == "localhost" if address is None else is_loopback(address)

    def check(self, url: str) -> None:
        """What is known of an address before its host is resolved. Raises DestinationRefused."""
        parts = urlsplit(url)
        host = parts.hostname or ""
        self._check_request(parts.scheme, host)
        address = literal(host)
        reason = None if address is None else self._refusal(str(address), named=False)
        if reason is not None:
            raise _refused(host, reason)

    async def addresses(self, scheme: str, host: str, port: int) -> list[str]:
        """The allowed addresses of the host. Raises DestinationRefused when there are none."""
        self._check_request(scheme, host)
        address = literal(host)
        if address is not None:
            found: Sequence[str] = [str(address)]
        else:
            try:
                found = await self.resolve(host.rstrip("."), port)
            except OSError:
                raise httpx2.ConnectError(f"The host {host} is not known.") from None
        reasons = {text: self._refusal(text, named=address is None) for text in found[:_MAX_ADDRESSES]}
        allowed = [text for text, reason in reasons.items() if reason is None]
        if not allowed:
            reason = next(iter(reasons.values()), None) or "nowhere"
            raise _refused(host, reason)
        return allowed

    def _check_request(self, scheme: str, host: str) -> None:
        if _plain(host) != _plain(self.host):
            raise DestinationRefused(f"{host} is refused: this upstream lives at {self.host}.")
        reason = check_host(host)
        if reason is not None:
            raise DestinationRefused(f"{host} is refused: it is {reason}.")
        if scheme == "http" and not (self.is_loopback or self.is_allowed_host):
            raise DestinationRefused(f"http to {host} is refused: only https, or http on loopback.")
        if scheme not in ("http", "https"):
            raise DestinationRefused(f"{scheme} is refused: only https, or http on loopback.")

    def _refusal(self, text: str, *, named: bool) -> str | None:
        reason = check_address(text)
        if reason is None:
            return "public, which localhost cannot be" if self.is_loopback else None
        address = literal(text)
        if address is None:
            return reason
        return None if self._is_allowed(address, named=named) else reason

    def _is_allowed(self, address: Address, *, named: bool) -> bool:
        """An allowed address may be any; an allowed name may resolve to private addresses only."""
        if self.is_loopback and is_loopback(address):
            return True
        return self.is_allowed_host and (not named or may_be_allowed(address))


def _refused(host: str, reason: str) -> DestinationRefused:
    return DestinationRefused(f"{host} is refused: its address is {reason}. The operator can list it in allowed_hosts.")


def _plain(host: str) -> str:
    address = literal(host)
    return host.lower().rstrip(".") if address is None else str(address)


class SafeTransport(httpx2.AsyncBaseTransport):
    """Connects to checked addresses; the Host header and TLS still use the name."""

    def __init__(self, destination: Destination) -> None:
        self._destination = destination
        self._connections = KeepAliveConnections()
        self._known: tuple[str, int, float, list[str]] | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await self._addresses(url.scheme, url.raw_host.decode("ascii"), port)
        for address in addresses[:-1]:
            try:
                return await self._connections.send(request, address)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        try:
            return await self._connections.send(request, addresses[-1])
        except (httpx2.ConnectError, httpx2.ConnectTimeout):
            self._known = None
            raise

    async def _addresses(self, scheme: str, host: str, port: int) -> list[str]:
        now = time.monotonic()
        if self._known is not None and self._known[:2] == (f"{scheme}://{host}", port) and now < self._known[2]:
            return self._known[3]
        addresses = await self._destination.addresses(scheme, host, port)
        self._known = (f"{scheme}://{host}", port, now + _REMEMBER, addresses)
        return addresses

    async def aclose(self) -> None:
        await self._connections.close()


def safe_client(
    destination: Destination,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = 30.0,
    transport: httpx2.AsyncBaseTransport | None = None,
) -> httpx2.AsyncClient:
    """Follows no redirects, uses no proxy or password of the environment, and accepts no compressed bodies: their size
    would not be known beforehand."""
    return httpx2.AsyncClient(
        transport=transport or SafeTransport(destination),
        headers={"accept-encoding": "identity", "user-agent": "longtable", **(headers or {})},
        timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
        follow_redirects=False,
        trust_env=False,
    )


@dataclass(frozen=True, slots=True)
class Body:
    """A body up to a limit."""

    data: bytes
    is_whole: bool


async def read_body(response: httpx2.Response, most: int) -> Body:
    """At most so many bytes of an open response."""
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise UpstreamError("The server compressed its answer, which it was asked not to do.")
    data = bytearray()
    assert isinstance(response.stream, AsyncIterable)
    async for chunk in response.stream:
        data += chunk
        if len(data) > most:
            return Body(bytes(data[:most]), is_whole=False)
    return Body(bytes(data), is_whole=True)


def describe(error: Any) -> str:
    """A network error as a message; those of the library hold no header and no body."""
    if isinstance(error, httpx2.TimeoutException):
        return "it did not answer in time"
    text = str(error).split("\n", 1)[0][:300]
    return text or type(error).__name__
