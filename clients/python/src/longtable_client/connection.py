"""Requests to a server as one caller. A request that was lost is sent again, with a key that makes this safe."""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import httpx2

from longtable_client.errors import ConnectionLost, LongtableError
from longtable_client.link import TROUBLE, CallerHeaders, Link, address_of
from longtable_client.messages import ClientRequest, body_of, request_of
from longtable_client.records import Record

R = TypeVar("R", bound=Record)

# Longer than the longest wait that a tool offers.
_TIMEOUT = httpx2.Timeout(10.0, read=75.0)


class ClientConnection:
    """`inbox` is what waits for the caller since the last result: messages, answers, and the event to read on from."""

    def __init__(self, http: httpx2.AsyncClient, link: Link) -> None:
        self.http = http
        self.link = link
        self.inbox: dict[str, int] | None = None
        self._numbers = itertools.count(1)

    async def read(self, address: str, result: type[R], arguments: Mapping[str, Any]) -> R:
        """`address` is the name of a tool, or method and path of a REST route such as "GET /sessions/{session_id}"."""
        return result.of(await self._persist(address, arguments, None, self.link.attempts))

    async def write(self, address: str, result: type[R], arguments: Mapping[str, Any], key: str | None) -> R:
        """Has its effect once, however often it has to be sent."""
        key = key or secrets.token_hex(16)
        return result.of(await self._persist(address, arguments, key, self.link.attempts))

    async def write_without_key(self, address: str, result: type[R], arguments: Mapping[str, Any]) -> R:
        """Never sent again, as it could have its effect twice."""
        return result.of(await self._persist(address, arguments, None, 1))

    async def _persist(
        self, address: str, arguments: Mapping[str, Any], key: str | None, attempts: int
    ) -> dict[str, Any]:
        request = request_of(address, arguments, key, next(self._numbers))
        for failures in itertools.count(1):
            try:
                body = await self._send(request)
                break
            except TROUBLE as problem:
                pause = self.link.pause_before_next(problem, failures, attempts)
                if pause is None and isinstance(problem, LongtableError):
                    raise
                if pause is None:
                    raise ConnectionLost(problem, key) from problem
            await asyncio.sleep(pause)
        self.inbox = body.get("inbox")
        return body

    async def _send(self, request: ClientRequest) -> dict[str, Any]:
        response = await self.http.request(
            request.method, request.path, params=request.params, headers=request.headers, json=request.json
        )
        return body_of(response)


@asynccontextmanager
async def connected(url: str, identity: CallerHeaders, link: Link) -> AsyncIterator[ClientConnection]:
    address = address_of(url)
    transport = cast(httpx2.AsyncBaseTransport | None, link.transport)
    headers = identity.headers()
    async with httpx2.AsyncClient(base_url=address, headers=headers, timeout=_TIMEOUT, transport=transport) as http:
        yield ClientConnection(http, link)
