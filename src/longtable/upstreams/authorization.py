"""The access of one tenant to one upstream over HTTP: a bearer token, added to each request to the upstream's own
origin and to no other."""

from typing import Protocol
from urllib.parse import urlsplit

import httpx2

from longtable.kernel.errors import LongtableError, UpstreamError

_DEFAULT_PORTS = {"http": 80, "https": 443}


def needs_authorization(upstream: str, problem: str | None = None) -> UpstreamError:
    reason = f" {problem}" if problem else ""
    return UpstreamError(
        f"{upstream} needs authorization.{reason}",
        hint=f"An owner connects it in the console, or with 'longtable upstreams login {upstream}'.",
        upstream=upstream,
        authorization="needed",
    )


class Authorization(Protocol):
    async def token(self) -> str:
        """A token that has not expired. Raises UpstreamError where an owner has to connect the upstream first."""

    async def renewed_token(self, rejected: str) -> str:
        """Another one than the token that the upstream has refused. Raises UpstreamError."""


async def require_token(authorization: Authorization | None) -> None:
    """Raises UpstreamError where an owner has to connect the upstream first."""
    if authorization is not None:
        await authorization.token()


class AuthorizationFailed(httpx2.TransportError):
    """Nothing was done: there is no token that the upstream accepts."""


class AuthorizedTransport(httpx2.AsyncBaseTransport):
    """A refused token is renewed once. The request that the library holds never has the token, so that nothing made
    from it, such as a redirect, can carry it elsewhere."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, url: str, authorization: Authorization) -> None:
        self._inner = inner
        self._origin = _origin(url)
        self._authorization = authorization

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if _origin(str(request.url)) != self._origin:
            return await self._inner.handle_async_request(request)
        try:
            token = await self._authorization.token()
            response = await self._inner.handle_async_request(_with_token(request, token))
            if response.status_code != 401:
                return response
            await response.aclose()
            token = await self._authorization.renewed_token(token)
            response = await self._inner.handle_async_request(_with_token(request, token))
            if response.status_code != 401:
                return response
            await response.aclose()
        except LongtableError as error:
            raise AuthorizationFailed(error.message) from None
        raise AuthorizationFailed("it refuses its tokens; an owner can connect it again")

    async def aclose(self) -> None:
        await self._inner.aclose()


def _with_token(request: httpx2.Request, token: str) -> httpx2.Request:
    headers = httpx2.Headers(request.headers)
    headers["authorization"] = f"Bearer {token}"
    return httpx2.Request(
        request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
    )


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
