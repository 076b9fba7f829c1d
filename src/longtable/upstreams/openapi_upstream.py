"""A web service as an upstream: each operation of its OpenAPI document is a tool."""

import asyncio
import base64
import contextvars
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2

from longtable.governance.model import (
    MAX_DEPTH,
    Hints,
    ToolDefinition,
    ToolIdentity,
    WithheldTool,
    is_deeper_than,
)
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError, NotFound, UpstreamError, UpstreamTimeout
from longtable.upstreams.circuit_breaker import CircuitBreaker
from longtable.upstreams.entries import MIB, OpenApiEntry
from longtable.upstreams.openapi_document import ApiDocument, ApiOperation, parse_document
from longtable.upstreams.openapi_request import build_request
from longtable.upstreams.port import Freshness, Health, UpstreamCall, UpstreamResult, UpstreamStatus
from longtable.upstreams.results import limited_result
from longtable.upstreams.safety import Body, Destination, describe, read_body, safe_client

_LARGEST_DOCUMENT = 16 * MIB
_READING_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


class OpenApiUpstream:
    status = UpstreamStatus()

    def __init__(self, entry: OpenApiEntry, *, allowed_hosts: frozenset[str] = frozenset()) -> None:
        self._entry = entry
        self._allowed_hosts = allowed_hosts
        self._breaker = CircuitBreaker(entry.name)
        self._slots = asyncio.Semaphore(entry.limits.max_concurrency)
        self._loading: asyncio.Task[None] | None = None
        self._operations: dict[str, ApiOperation] = {}
        self._definitions: tuple[ToolDefinition, ...] | None = None
        self._withheld: tuple[WithheldTool, ...] = ()
        self._base = ""
        self._client: httpx2.AsyncClient | None = None
        self._problem: str | None = None
        self._closed = False

    @property
    def name(self) -> str:
        return self._entry.name

    @property
    def health(self) -> Health:
        if self._closed:
            return "stopped"
        if self._breaker.is_open:
            return "open"
        if self._definitions is not None:
            return "ready"
        if self._loading is not None and not self._loading.done():
            return "starting"
        return "failing" if self._problem is not None else "idle"

    @property
    def problem(self) -> str | None:
        return self._problem

    def on_change(self, callback: Callable[[], None]) -> None:
        """The document is read once: the list does not change."""

    reports_changes = True

    @property
    def withheld(self) -> Sequence[WithheldTool]:
        return self._withheld

    async def definitions(self, fresh: Freshness | None = None) -> Sequence[ToolDefinition]:
        await self._ensure_loaded()
        return self._definitions or ()

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        """Raises NotFound for an unknown operation, InvalidArgument for inputs that do not fit into a request."""
        await self._ensure_loaded()
        operation = self._operations.get(call.tool)
        if operation is None:
            raise NotFound(f"{self.name} has no such operation.", upstream=self.name)
        request = build_request(operation, self._base, call.inputs)
        self._breaker.admit()
        try:
            with anyio.fail_after(self._entry.limits.timeout):
                async with self._slots:
                    result, status = await self._send(request)
        except (httpx2.HTTPError, UpstreamError, TimeoutError) as error:
            self._breaker.failed()
            raise self._translated(error) from None
        except BaseException:
            self._breaker.abandoned()
            raise
        if status >= 500:
            self._breaker.failed()
        else:
            self._breaker.succeeded()
        return result

    async def close(self) -> None:
        self._closed = True
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})
        if self._client is not None:
            await self._client.aclose()

    def _translated(self, error: Exception) -> LongtableError:
        if isinstance(error, UpstreamError):
            return error
        if isinstance(error, TimeoutError | httpx2.TimeoutException):
            seconds = self._entry.limits.timeout
            return UpstreamTimeout(f"{self.name} did not answer within {seconds:g} s.", upstream=self.name)
        problem = self._entry.mask(f"{self.name} cannot be reached: {describe(error)}")
        return UpstreamError(problem, upstream=self.name)

    async def _send(self, request: httpx2.Request) -> tuple[UpstreamResult, int]:
        assert self._client is not None  # it is made with the document
        outgoing = self._client.build_request(
            request.method, request.url, headers=request.headers, content=await request.aread()
        )
        response = await self._client.send(outgoing, stream=True)
        try:
            body = await read_body(response, self._entry.limits.max_response_bytes)
        finally:
            await response.aclose()
        return self._result(response, body), response.status_code

    def _result(self, response: httpx2.Response, body: Body) -> UpstreamResult:
        status = response.status_code
        meta: dict[str, Any] = {"status": status}
        blocks, structured = _content(response, body)
        if status >= 300:
            text = f"HTTP {status} {response.reason_phrase}".strip()
            if status < 400:
                text += " (redirects are not followed)"
            blocks = [{"type": "text", "text": text}, *blocks]
        result = limited_result(
            blocks, structured, most=self._entry.limits.max_response_bytes, is_error=status >= 300, meta=meta
        )
        if body.is_whole:
            return result
        return UpstreamResult(result.content, None, is_error=result.is_error, truncated=True, meta=meta)

    async def _ensure_loaded(self) -> None:
        if self._definitions is not None:
            return
        if self._closed:
            raise UpstreamError(f"{self.name} has been stopped.", upstream=self.name)
        if self._loading is None or self._loading.done():
            self._loading = owned_task(self._load(), context=contextvars.Context())
        try:
            await asyncio.shield(self._loading)
        except (httpx2.HTTPError, UpstreamError, OSError, TimeoutError) as error:
            translated = self._translated(error)
            self._problem = translated.message
            raise translated from None

    async def _load(self) -> None:
        with anyio.fail_after(max(self._entry.limits.timeout, 5.0)):
            text = await self._document_text()
        document = await asyncio.to_thread(parse_document, text)
        self._base = self._base_url(document)
        self._client = safe_client(
            Destination(urlsplit(self._base).hostname or "", self._allowed_hosts),
            headers=self._entry.headers,
            timeout=self._entry.limits.timeout,
        )
        operations = [each for each in document.operations if self._entry.lets_through(each.name)]
        self._operations = {each.name: each for each in operations}
        denied = [each.name for each in document.operations if each.name not in self._operations]
        self._withheld = (
            *(WithheldTool(name, "denied", "its entry in the gateway file leaves it out") for name in denied),
            *document.withheld,
        )
        self._definitions = tuple(self._define(each) for each in operations)
        self._problem = None

    async def _document_text(self) -> str:
        source = self._entry.document
        if "://" not in source:
            data = await asyncio.to_thread(_read_file, Path(source))
        else:
            destination = Destination(urlsplit(source).hostname or "", self._allowed_hosts)
            # The headers are for the service, not for another host of the document.
            headers = self._entry.headers if _same_origin(source, self._entry.base_url) else {}
            async with (
                safe_client(destination, headers=headers, timeout=self._entry.limits.timeout) as client,
                client.stream("GET", source) as response,
            ):
                if response.status_code != 200:
                    raise UpstreamError(f"The document of {self.name} was answered with HTTP {response.status_code}.")
                body = await read_body(response, _LARGEST_DOCUMENT)
                if not body.is_whole:
                    raise UpstreamError(f"The document of {self.name} is larger than {_LARGEST_DOCUMENT} bytes.")
                data = body.data
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise UpstreamError(f"The document of {self.name} is not UTF-8 text.") from None

    def _base_url(self, document: ApiDocument) -> str:
        """The operator's, or the document's own where it is the same origin."""
        if self._entry.base_url is not None:
            return self._entry.base_url
        source = self._entry.document
        remote = "://" in source
        base = urljoin(source, document.server or "/") if remote else document.server or ""
        if urlsplit(base).scheme not in ("http", "https"):
            raise UpstreamError(f"The document of {self.name} names no server.", hint="Set base_url in the file.")
        if remote and not _same_origin(source, base):
            raise UpstreamError(
                f"The document of {self.name} names a server elsewhere.", hint="Set base_url in the file to allow it."
            )
        return base

    def _define(self, operation: ApiOperation) -> ToolDefinition:
        reads = operation.method in _READING_METHODS
        return ToolDefinition(
            upstream=self.name,
            identity=ToolIdentity(self._entry.pack, operation.name),
            remote=operation.name,
            title=operation.title,
            description=operation.description,
            input_schema=operation.schema,
            hints=Hints(
                read_only=reads,
                destructive=True if operation.method == "DELETE" else None,
                idempotent=True if operation.method in ("PUT", "DELETE") else None,
                open_world=True,
            ),
            trust=self._entry.trust,
        )


def _read_file(path: Path) -> bytes:
    if path.stat().st_size > _LARGEST_DOCUMENT:
        raise UpstreamError(f"{path.name} is larger than {_LARGEST_DOCUMENT} bytes.")
    return path.read_bytes()


def _same_origin(one: str, other: str | None) -> bool:
    if other is None:
        return False
    left, right = urlsplit(one), urlsplit(other)
    return (left.scheme, left.hostname, left.port) == (right.scheme, right.hostname, right.port)


def _content(response: httpx2.Response, body: Body) -> tuple[list[dict[str, Any]], Any]:
    kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if not body.data:
        return [], None
    if kind.startswith(("image/", "audio/")) and body.is_whole:
        data = base64.b64encode(body.data).decode("ascii")
        return [{"type": kind.split("/")[0], "data": data, "mimeType": kind}], None
    if b"\0" in body.data[:1024]:
        return [{"type": "text", "text": f"[{len(body.data)} bytes of {kind or 'unknown data'} left out]"}], None
    text = _decoded(body.data, response.charset_encoding or "utf-8")
    may_be_json = body.is_whole and (kind.endswith("json") or not kind)
    return [{"type": "text", "text": text}], _parsed(text) if may_be_json else None


def _decoded(data: bytes, encoding: str) -> str:
    """The service may name an encoding that nobody knows, or one that is none of texts."""
    try:
        return data.decode(encoding, "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _parsed(text: str) -> Any:
    """None for what is not JSON, and for what is nested too deeply to be passed on."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if is_deeper_than(value, MAX_DEPTH) else value
