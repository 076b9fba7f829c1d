"""HTTP/1.1 over connections that are kept open between requests, to an address that the caller has checked."""

import asyncio
import select
import ssl
from collections import deque
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final, NamedTuple

import httptools
import httpx2

IDLE_SECONDS: Final = 4.0
"""Less than the five seconds after which many servers close a connection that is not used."""
_MAX_IDLE: Final = 16
_MAX_HEAD: Final = 131_072
_MAX_UNREAD: Final = 262_144
_MAX_DRAINED: Final = 65_536
_DRAIN_SECONDS: Final = 1.0
_OF_THE_BODY: Final = (b"content-length", b"transfer-encoding")
DRAIN: Final = "longtable.drain"
"""An extension of a response: to be called by who needs nothing more of the body, but wants its connection kept."""


class ConnectionTarget(NamedTuple):
    """Where a connection leads. `host` is the name that the certificate must have."""

    scheme: str
    host: str
    address: str
    port: int


class KeepAliveConnections:
    """`verify` is for TLS; without it, the certificates that this machine trusts count."""

    def __init__(self, verify: ssl.SSLContext | None = None) -> None:
        self._verify = verify
        self._idle: dict[ConnectionTarget, deque[_HttpConnection]] = {}
        self._open: set[_HttpConnection] = set()

    @property
    def open_count(self) -> int:
        return len(self._open)

    @property
    def idle_count(self) -> int:
        return sum(map(len, self._idle.values()))

    async def send(self, request: httpx2.Request, address: str) -> httpx2.Response:
        """Raises TransportError of the library. The body of the response is still to be read."""
        body = await request.aread()
        url, timeouts = request.url, request.extensions.get("timeout", {})
        port = url.port or (443 if url.scheme == "https" else 80)
        target = ConnectionTarget(url.scheme, url.raw_host.decode("ascii").strip("[]"), address, port)
        head = _request_head(request, len(body))
        connection = self._take_idle(target) or await self._connect(target, timeouts.get("connect"))
        return await connection.exchange(head + body, timeouts.get("read"))

    async def close(self) -> None:
        for connection in list(self._open):
            connection.abort()

    def _take_idle(self, target: ConnectionTarget) -> "_HttpConnection | None":
        idle = self._idle.get(target)
        now = asyncio.get_running_loop().time()
        while idle:
            connection = idle.pop()
            if connection.is_usable and now - connection.idle_since < IDLE_SECONDS:
                return connection
            connection.abort()
        return None

    async def _connect(self, target: ConnectionTarget, seconds: float | None) -> "_HttpConnection":
        secure = self._context() if target.scheme == "https" else None
        try:
            async with asyncio.timeout(seconds):
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda: _HttpConnection(self, target),
                    target.address,
                    target.port,
                    ssl=secure,
                    server_hostname=target.host if secure is not None else None,
                )
        except TimeoutError:
            raise httpx2.ConnectTimeout(f"{target.host} did not accept a connection in time.") from None
        except OSError as error:
            raise httpx2.ConnectError(str(error) or "No connection was possible.") from None
        return connection

    def _context(self) -> ssl.SSLContext:
        if self._verify is None:
            self._verify = httpx2.create_ssl_context()
        return self._verify

    def opened(self, connection: "_HttpConnection") -> None:
        self._open.add(connection)

    def lost(self, connection: "_HttpConnection") -> None:
        self._open.discard(connection)

    def free(self, connection: "_HttpConnection", target: ConnectionTarget) -> None:
        idle = self._idle.setdefault(target, deque())
        idle.append(connection)
        if len(idle) > _MAX_IDLE:
            idle.popleft().abort()


def _request_head(request: httpx2.Request, size: int) -> bytes:
    fields = [(name, value) for name, value in request.headers.raw if name.lower() not in _OF_THE_BODY]
    if size or request.method == "POST":
        fields.append((b"content-length", str(size).encode()))
    head = b"%b %b HTTP/1.1\r\n" % (request.method.encode("ascii"), request.url.raw_path)
    head += b"".join([b"%b: %b\r\n" % field for field in fields])
    if head.count(b"\r") != len(fields) + 1 or head.count(b"\n") != len(fields) + 1 or b"\0" in head:
        raise httpx2.LocalProtocolError("A header or the address holds a line break.")
    return head + b"\r\n"


class _HttpConnection(asyncio.Protocol):
    """One request at a time."""

    def __init__(self, connections: KeepAliveConnections, target: ConnectionTarget) -> None:
        self._connections = connections
        self._target = target
        self._transport: Any = None
        self._arrivals: Any = None
        self._waiter: asyncio.Future[None] | None = None
        self._error: httpx2.TransportError | None = None
        self.idle_since = 0.0
        self._begin()

    @property
    def is_usable(self) -> bool:
        """Whether it is open. The event loop may not have seen yet that the server has closed it."""
        return self._error is None and not (self._arrivals is not None and self._arrivals.poll(0))

    def _begin(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._headers: list[tuple[bytes, bytes]] = []
        self._chunks: deque[bytes] = deque()
        self._unread = self._received = 0
        self._has_head = self._is_complete = self._is_drained = False
        self._is_paused = self._can_go_on = self._is_idle = False
        self._status = 0

    async def exchange(self, data: bytes, seconds: float | None) -> httpx2.Response:
        self._begin()
        try:
            self._transport.write(data)
            while not self._has_head:
                await self._more(seconds)
        except BaseException:
            self.abort()
            raise
        stream = _ResponseBody(self, seconds)
        extensions = {DRAIN: partial(self._drain, self._parser)}
        return httpx2.Response(self._status, headers=self._headers, stream=stream, extensions=extensions)

    async def read(self, seconds: float | None) -> bytes | None:
        """The next part of the body; None at its end."""
        while not self._chunks:
            if self._is_complete:
                return None
            await self._more(seconds)
        chunk = self._chunks.popleft()
        self._unread -= len(chunk)
        if self._is_paused and self._unread < _MAX_UNREAD:
            self._is_paused = False
            self._transport.resume_reading()
        return chunk

    def release(self) -> None:
        """The response is not needed any more."""
        if self._is_complete:
            self._free()
        elif not self._is_drained:
            self.abort()

    def abort(self) -> None:
        if self._error is None:
            self._fail(httpx2.ReadError("The connection was closed."))
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._connections.opened(self)
        if hasattr(select, "poll"):  # not on Windows
            self._arrivals = select.poll()
            self._arrivals.register(transport.get_extra_info("socket").fileno(), select.POLLIN)

    def data_received(self, data: bytes) -> None:
        if self._is_idle:
            # Nobody has asked for anything.
            self.abort()
            return
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(httpx2.RemoteProtocolError(f"It does not speak HTTP: {error}"))
            self._transport.abort()
            return
        if (not self._has_head and self._received > _MAX_HEAD) or (self._is_drained and self._received > _MAX_DRAINED):
            self.abort()
        elif self._unread > _MAX_UNREAD and not self._is_paused and not self._is_complete:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        self._connections.lost(self)
        names = {name.lower() for name, _ in self._headers}
        if self._has_head and not self._is_complete and not names & {b"content-length", b"transfer-encoding"}:
            # A body without a length ends with its connection.
            self._is_complete = True
        self._fail(httpx2.RemoteProtocolError("The server closed the connection before its response was complete."))

    def on_message_begin(self) -> None:
        if self._is_complete:
            raise httptools.HttpParserError("more than one response")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._status = self._parser.get_status_code()
        self._has_head = self._status >= 200

    def on_body(self, data: bytes) -> None:
        if not self._is_drained:
            self._chunks.append(data)
            self._unread += len(data)

    def on_message_complete(self) -> None:
        if not self._has_head:
            # An interim response; the real one follows.
            self._headers = []
            return
        self._is_complete = True
        self._can_go_on = self._parser.should_keep_alive()
        if self._is_drained:
            self._free()

    def _free(self) -> None:
        if self._error is not None or not self._can_go_on:
            self.abort()
            return
        self._is_idle = True
        self.idle_since = asyncio.get_running_loop().time()
        self._connections.free(self, self._target)

    def _drain(self, parser: Any) -> None:
        """Reads on for a moment without keeping anything, so that the connection can be used again. The parser tells
        which response is meant."""
        if parser is self._parser and not self._is_complete and not self._is_drained:
            self._is_drained = True
            asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._end_drain, parser)

    def _end_drain(self, parser: Any) -> None:
        if parser is self._parser and not self._is_complete:
            self.abort()

    async def _more(self, seconds: float | None) -> None:
        """Until something has arrived. Raises TransportError."""
        if self._error is not None:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._waiter
        except TimeoutError:
            raise httpx2.ReadTimeout("The server did not answer in time.") from None
        finally:
            self._waiter = None

    def _fail(self, error: httpx2.TransportError) -> None:
        if self._error is None:
            self._error = error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class _ResponseBody(httpx2.AsyncByteStream):
    def __init__(self, connection: _HttpConnection, seconds: float | None) -> None:
        self._connection: _HttpConnection | None = connection
        self._seconds = seconds

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self._connection is not None and (chunk := await self._connection.read(self._seconds)) is not None:
            yield chunk

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.release()
