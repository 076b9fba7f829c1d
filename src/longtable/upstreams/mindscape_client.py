"""HTTP client of a Mindscape backend: bounded in time and size, with errors as LongtableError."""

import asyncio
import json
import math
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import httpx2

from longtable.kernel.errors import (
    Conflict,
    Forbidden,
    InvalidArgument,
    LongtableError,
    NotFound,
    PayloadTooLarge,
    RateLimited,
    Unauthorized,
    UpstreamError,
    UpstreamTimeout,
)
from longtable.settings.options import Settings
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.safety import Body, Destination, describe, read_body, safe_client

NAME = "mindscape"
API = "/api/v1"
LISTING = "/tools/filtered"
MAX_BYTES = 8_388_608
"""Longer responses are an error."""
AT_ONCE = 16
_MAX_REDIRECTS = 5
_MAX_DETAIL = 2_000
_LONGEST_RETRY = 3_600.0
_KEEPS_METHOD = (307, 308)
_IS_DOWN = (502, 503, 504)


@dataclass(frozen=True, slots=True)
class Backend:
    """Address, identity and query options. `allowed_hosts` are private hosts that the operator listed."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    profile_id: str = "default-user"
    timeout: float = 30.0
    task_hint: str = ""
    max_tools: int = 30
    recommended_packs: tuple[str, ...] = ()
    allowed_hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: Settings, allowed_hosts: frozenset[str] = frozenset()) -> "Backend | None":
        """None where no backend is configured."""
        if settings.mindscape_base_url is None:
            return None
        return cls(
            base_url=settings.mindscape_base_url,
            api_key=settings.mindscape_api_key,
            profile_id=settings.mindscape_profile_id,
            timeout=settings.mindscape_timeout / 1000,
            task_hint=settings.mindscape_task_hint or "",
            max_tools=settings.mindscape_max_tools,
            recommended_packs=settings.mindscape_recommended_packs,
            allowed_hosts=allowed_hosts,
        )

    @property
    def root(self) -> str:
        return self.base_url.rstrip("/").removesuffix(API) + API


class MindscapeClient:
    """`transport` replaces the network in tests."""

    def __init__(self, backend: Backend, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._backend = backend
        self._root = backend.root
        destination = Destination(urlsplit(backend.base_url).hostname or "", backend.allowed_hosts)
        headers = {"accept": "application/json"}
        if backend.api_key is not None:
            headers["authorization"] = f"Bearer {backend.api_key}"
        self._http = safe_client(destination, headers=headers, timeout=backend.timeout, transport=transport)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.breaker = CircuitBreaker(NAME)

    async def get(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        return await self._request("GET", path, params, None)

    async def post(self, path: str, body: Mapping[str, Any], params: Mapping[str, Any] | None = None) -> Any:
        return await self._request("POST", path, params, body)

    async def post_in_background(self, path: str, body: Mapping[str, Any]) -> Any:
        """Takes no slot of the calls and does not count for the circuit breaker."""
        return await self._send_in_time(nullcontext(), ("POST", path, None, body))

    async def get_in_background(self, path: str) -> Any:
        return await self._send_in_time(nullcontext(), ("GET", path, None, None))

    async def close(self) -> None:
        await self._http.aclose()

    async def _request(self, *request: Any) -> Any:
        self.breaker.admit()
        try:
            response = await self._send_in_time(self._slots, request)
        except LongtableError as error:
            if _is_outage(error):
                self.breaker.failed()
            else:
                self.breaker.succeeded()
            raise
        except BaseException:
            self.breaker.abandoned()
            raise
        self.breaker.succeeded()
        return response

    async def _send_in_time(self, slots: AbstractAsyncContextManager[Any], request: tuple[Any, ...]) -> Any:
        """Raises the LongtableError that fits best, with the backend's message in its details."""
        try:
            async with asyncio.timeout(self._backend.timeout), slots:
                response, data = await self._follow_redirects(*request)
        except (TimeoutError, httpx2.TimeoutException):
            raise UpstreamTimeout(
                f"The backend did not answer within {self._backend.timeout:g} s.",
                hint="What it began may still go on there.",
                upstream=NAME,
            ) from None
        except httpx2.HTTPError as error:
            raise UpstreamError(
                f"The backend cannot be reached: {self._without_key(describe(error))}",
                upstream=NAME,
                reason="unreachable",
            ) from None
        if response.is_success:
            return self._decoded(response, data)
        raise self._error(response, data)

    async def _follow_redirects(
        self, method: str, path: str, params: Mapping[str, Any] | None, body: Any
    ) -> tuple[httpx2.Response, Body]:
        url = self._root + path
        for _ in range(_MAX_REDIRECTS + 1):
            # An empty mapping would remove the query of a redirect.
            request = self._http.build_request(method, url, params=params or None, json=body)
            response = await self._send(request)
            try:
                if not response.has_redirect_location:
                    return response, await read_body(response, MAX_BYTES)
                url, params = self._next(method, url, response), None
            finally:
                await response.aclose()
        raise UpstreamError("The backend leads from one address to the next.", upstream=NAME, reason="redirects")

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        """The server may close an idle connection at this very moment: requests that only read are retried once."""
        try:
            return await self._http.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError):
            if request.method != "GET" and not request.url.path.endswith(LISTING):
                raise
        return await self._http.send(request, stream=True)

    def _next(self, method: str, url: str, response: httpx2.Response) -> str:
        """On the same origin only: our key is sent nowhere else."""
        target = urljoin(url, response.headers["location"])
        here, there = urlsplit(self._root), urlsplit(target)
        keeps = response.status_code in _KEEPS_METHOD or method == "GET"
        if (here.scheme, here.netloc) != (there.scheme, there.netloc) or not keeps:
            raise UpstreamError("The backend leads to another address.", upstream=NAME, reason="redirect_refused")
        return target

    def _decoded(self, response: httpx2.Response, data: Body) -> Any:
        if not data.is_whole:
            raise UpstreamError(
                f"The backend's answer is larger than {MAX_BYTES} bytes.", upstream=NAME, reason="too_large"
            )
        try:
            return _parsed(data.data)
        except (ValueError, RecursionError):
            raise UpstreamError(
                "The backend answered with something that is not JSON.",
                upstream=NAME,
                upstream_status=response.status_code,
                reason="not_json",
            ) from None

    def _error(self, response: httpx2.Response, data: Body) -> LongtableError:
        status = response.status_code
        details: dict[str, Any] = {"upstream": NAME, "upstream_status": status, "detail": self._detail(data.data)}
        if status == 401:
            hint = "Its operator must give us a valid MINDSCAPE_API_KEY."
            return Unauthorized("The backend refused our credential.", hint=hint, reason="credential", **details)
        if status == 429:
            wait = _retry_after(response.headers.get("retry-after"))
            hint = f"Try again in {wait:g} s."
            return RateLimited("The backend has had too many calls.", hint=hint, retry_after=wait, **details)
        kind, message = _ERRORS.get(status, (UpstreamError, "The backend failed."))
        return kind(_with_detail(message, details["detail"]), **details)

    def _detail(self, data: bytes) -> Any:
        """The backend's error message, bounded."""
        text = data[: 4 * _MAX_DETAIL].decode("utf-8", "replace")
        try:
            parsed = json.loads(data)
            detail = parsed.get("detail", parsed) if isinstance(parsed, dict) else parsed
            text = detail if isinstance(detail, str) else json.dumps(detail)
            if not isinstance(detail, str) and len(text) <= _MAX_DETAIL:
                return json.loads(self._without_key(text))
        except (ValueError, RecursionError):
            pass
        return self._without_key(text)[:_MAX_DETAIL]

    def _without_key(self, text: str) -> str:
        key = self._backend.api_key
        return text if key is None else text.replace(key, "***")


_ERRORS: dict[int, tuple[type[LongtableError], str]] = {
    400: (InvalidArgument, "The backend did not accept the arguments."),
    403: (Forbidden, "The backend does not allow this."),
    404: (NotFound, "The backend does not know this."),
    408: (UpstreamTimeout, "The backend took too long."),
    409: (Conflict, "The backend says that this is in conflict with something."),
    413: (PayloadTooLarge, "This is too large for the backend."),
    422: (InvalidArgument, "The backend did not accept the arguments."),
    504: (UpstreamTimeout, "The backend took too long."),
}


def _parsed(data: bytes) -> Any:
    """JSON that can be encoded again: no NaN, and no lone surrogates."""
    parsed = json.loads(data, parse_constant=_refuse)
    if b"\\ud" in data.lower():
        json.dumps(parsed, ensure_ascii=False).encode()
    return parsed


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def segment(text: str) -> str:
    """A value as one segment of a path."""
    return quote(text, safe="").replace(".", "%2E") if set(text) <= {"."} else quote(text, safe="")


def _with_detail(message: str, detail: Any) -> str:
    return f"{message} {detail[:300]}" if isinstance(detail, str) and detail else message


def _is_outage(error: LongtableError) -> bool:
    """Whether the backend itself is down; the failure of one tool does not count."""
    if isinstance(error, UpstreamTimeout):
        return True
    status = error.details.get("upstream_status")
    return isinstance(error, UpstreamError) and (status is None or status in _IS_DOWN)


def _retry_after(header: str | None) -> float:
    try:
        wait = float(header or 1.0)
    except ValueError:
        return 1.0
    return min(max(0.1, wait), _LONGEST_RETRY) if math.isfinite(wait) else 1.0
