"""Compresses what REST answers to a GET, where the client accepts it and no secret stands beside a stranger's text."""

import asyncio
import zlib
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable.kernel.accept_encoding import accepts_gzip

MIN_BYTES: Final = 1_024
LARGE_BYTES: Final = 131_072
"""From here on it is compressed in a thread: the others must not wait for it."""
_LEVEL: Final = 5
_GZIP: Final = 31
"""The form of the output, in the words of zlib."""
_COMPRESSED: Final = (b"application/json", b"application/x-ndjson", b"text/markdown", b"text/plain")
"""Never `text/event-stream`: an event must not wait for the next. Never a page, nor what sets a cookie."""
_LEFT_ALONE: Final = frozenset({"/me"})
"""With the CSRF token of the login. Whoever could have texts of their own beside it in one compressed answer could
guess it from the length (BREACH). Other secrets are shown in answers to POST alone."""

_Headers = list[tuple[bytes, bytes]]


class Compression:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_chosen = scope["type"] == "http" and scope["method"] == "GET" and scope["path"] not in _LEFT_ALONE
        if is_chosen:
            send = _CompressedResponse(send, accepts_gzip(scope["headers"]))
        await self._app(scope, receive, send)


class _CompressedResponse:
    """Sends the start of an answer with its first part, when its size is known."""

    def __init__(self, send: Send, is_accepted: bool) -> None:
        self._send = send
        self._is_accepted = is_accepted
        self._start: Message | None = None
        self._stream: Any = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif message["type"] == "http.response.body":
            await self._body(message)
        else:
            await self._send(message)

    async def _body(self, message: Message) -> None:
        start, self._start = self._start, None
        if start is not None:
            message = await self._first(start, message)
        elif self._stream is not None:
            message = self._next(message)
        await self._send(message)

    async def _first(self, start: Message, message: Message) -> Message:
        """Sends the start; returns the part as it is to be sent."""
        headers: _Headers = list(start.get("headers", ()))
        if not _can_be_compressed(headers):
            await self._send(start)
            return message
        headers = _varying(headers)
        body, has_more = message.get("body", b""), message.get("more_body", False)
        if self._is_accepted and (has_more or len(body) >= MIN_BYTES):
            headers = [pair for pair in headers if pair[0].lower() != b"content-length"]
            headers.append((b"content-encoding", b"gzip"))
            self._stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
            if not has_more:
                message = {**message, "body": await _whole(self._stream, body)}
                headers.append((b"content-length", b"%d" % len(message["body"])))
            else:
                message = self._next(message)
        await self._send({**start, "headers": headers})
        return message

    def _next(self, message: Message) -> Message:
        part = self._stream.compress(message.get("body", b""))
        # What has come so far can be read at once.
        part += self._stream.flush(zlib.Z_SYNC_FLUSH if message.get("more_body", False) else zlib.Z_FINISH)
        return {**message, "body": part}


async def _whole(stream: Any, body: bytes) -> bytes:
    def compressed() -> bytes:
        return bytes(stream.compress(body) + stream.flush())

    return compressed() if len(body) < LARGE_BYTES else await asyncio.to_thread(compressed)


def _can_be_compressed(headers: _Headers) -> bool:
    names = {name.lower(): value for name, value in headers}
    kind = names.get(b"content-type", b"").partition(b";")[0].strip()
    return kind in _COMPRESSED and not names.keys() & {b"content-encoding", b"set-cookie", b"etag"}


def _varying(headers: _Headers) -> _Headers:
    """A cache keeps the forms apart: compressed and plain, and the page of the console at the same address."""
    varies = [value for name, value in headers if name.lower() == b"vary"]
    others = [pair for pair in headers if pair[0].lower() != b"vary"]
    return [*others, (b"vary", b", ".join([*varies, b"Accept, Accept-Encoding"]))]
