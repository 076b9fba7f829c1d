"""HTTP/1.1 with bounds: uvicorn's protocol has none on how large a request's head is and how long a client may take."""

import asyncio
import logging
import socket
import sys
import time
from array import array
from collections.abc import Callable
from functools import partial
from typing import Any, Final, cast

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from longtable.kernel.errors import HeadersTooLarge, LongtableError, PayloadTooLarge, RequestTimeout
from longtable.rest.replies import refusal
from longtable.server.header_cache import shared_header
from longtable.server.intake import CONNECTIONS, PEER, Intake, Peer, overloaded

if sys.platform == "linux":
    import fcntl
    import termios

MAX_HEAD_BYTES = 65_536
MAX_HEADERS = 256
MAX_PIPELINED = 16
MAX_CHUNKS = 20_000
MAX_TINY_CHUNKS = 2_000
TINY_BYTES = 64
"""Pieces of one body, and those that are smaller than this on average: each costs as much as a few kilobytes, and
thousands of tiny ones come in one read."""
REFUSED_SECONDS = 1.0
"""How long a connection that is refused may take to hear of it."""
DISCARD_SECONDS = 5.0
MAX_DISCARDED = 33_554_432
"""What is read, for how long, of a body whose request was answered before it was whole."""
WRITE_SECONDS = 60.0
"""How long a client may take nothing of what it is sent."""
_ASGI: Final = {"version": "3.0", "spec_version": "2.3"}
_TCP_CLOSED = 7
"""The state of a connection that was reset, as Linux numbers them."""
DEAD_MILLISECONDS = 60_000
"""How long what was sent may stay unacknowledged before the other side counts as gone."""


def bounded_protocol(intake: Intake) -> type[asyncio.Protocol]:
    """For `uvicorn.Config(http=...)`, which only calls it."""
    return cast(type[asyncio.Protocol], partial(BoundedHttpProtocol, intake))


class _Refused(Exception):
    """Ends the parsing of a request that is refused for its head."""


class _SmallEvent(asyncio.Event):
    """With a list for those who wait, where the parent has a deque of 700 bytes."""

    def __init__(self) -> None:
        super().__init__()
        self._waiters: Any = []


class _SmallFlow(FlowControl):
    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__(transport)
        self._is_writable_event = _SmallEvent()
        self._is_writable_event.set()


class _Pipeline(list[Any]):
    """Is empty for nearly every connection, so that a deque would be too large for it."""

    __slots__ = ()

    def appendleft(self, cycle: Any) -> None:
        self.insert(0, cycle)


class BoundedHttpProtocol(HttpToolsProtocol):
    # Apart from the attributes of the parent: instances share the names of up to 30 of these, which saves a kilobyte.
    __slots__ = (
        "_body_bytes",
        "_chunk",
        "_chunks",
        "_deadline",
        "_discarded",
        "_framed",
        "_head_bytes",
        "_in_head",
        "_intake",
        "_is_refused",
        "_over_limit",
        "_peer",
        "_refusal",
        "_write_deadline",
    )

    def __init__(self, intake: Intake, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.pipeline: Any = _Pipeline()
        self._intake = intake
        self._peer = Peer(intake, self._make_room, self._unread)
        self._over_limit = self._is_refused = False
        self._refusal: LongtableError | None = None
        self._in_head = False
        self._framed = False
        self._chunk = self._head_bytes = self._discarded = self._chunks = self._body_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None
        self._write_deadline: asyncio.TimerHandle | None = None
        self.logger = _QUIET

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the parent
        super().connection_made(transport)
        self.flow = _SmallFlow(transport)
        self._over_limit = not self._intake.open(self._peer)
        if not self._over_limit:
            self._arm(self._intake.head_seconds, self._head_is_late)
            _notice_dead_clients(transport)
        elif self._intake.linger(self._peer):
            self._arm(REFUSED_SECONDS, partial(self._refuse, overloaded(CONNECTIONS)))
        else:
            self._refuse(overloaded(CONNECTIONS))

    def eof_received(self) -> None:
        self._peer.has_hung_up = True
        # Who ends a connection without having taken all of an answer has not read it.
        self._peer.is_broken = self._unread() != 0

    def connection_lost(self, exc: Exception | None) -> None:
        self._peer.lose(broken=exc is not None)
        super().connection_lost(exc)
        self._disarm()
        if self._write_deadline is not None:
            self._write_deadline.cancel()
        self._intake.close(self._peer)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            # Read, so that the words of the refusal are not lost with it.
            self._discard(len(data))
            return
        if self._over_limit:
            self._refuse(overloaded(CONNECTIONS))
            return
        self._framed = False
        self._chunk = len(data)
        super().data_received(data)
        # Also what belongs to no request: line ends before one, the trailer and the chunk sizes of a body.
        if (self._in_head or not self._framed) and not self.transport.is_closing():
            self._head_bytes += self._chunk
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(_head_too_large())
            elif self._deadline is None:
                self._arm(self._intake.head_seconds, self._head_is_late)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._peer.requests += 1
        self.scope[PEER] = self._peer  # type: ignore[literal-required]  # a key of ours
        self.scope["asgi"] = _ASGI  # type: ignore[typeddict-item]  # one for all requests

    def on_header(self, name: bytes, value: bytes) -> None:
        header = shared_header(name, value)
        if header[0] == b"expect":
            super().on_header(name, value)
        else:
            self.headers.append(header)

    def on_headers_complete(self) -> None:
        if len(self.headers) > MAX_HEADERS or self._is_head_too_large():
            self._refusal = _head_too_large()
            raise _Refused
        if len(self.pipeline) >= MAX_PIPELINED:
            raise _Refused
        self._in_head = False
        self._progress()
        self._peer.receiving = True
        self._chunks = self._body_bytes = 0
        self._intake.begin(self._peer)
        super().on_headers_complete()
        # Before anything can wait for it or set it.
        self.cycle.message_event = _SmallEvent()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        if cycle.scope["method"] == "GET":
            cycle.send = partial(_send, cycle)  # type: ignore[method-assign]  # the parent makes its cycles itself
        super()._start_asgi_task(cycle, app)

    def on_body(self, body: bytes) -> None:
        if self.cycle.response_complete:
            self._framed = True
            self._discard(len(body))
            return
        self._progress()
        self._count_chunk(len(body))
        super().on_body(body if self._peer.take(len(body)) else b"")

    def _count_chunk(self, size: int) -> None:
        self._chunks += 1
        self._body_bytes += size
        if self._chunks > MAX_TINY_CHUNKS and self._chunks * TINY_BYTES > self._body_bytes:
            words = f"A body comes in at most {MAX_TINY_CHUNKS} chunks of less than {TINY_BYTES} bytes on average."
            self._refusal = PayloadTooLarge(words, limit=MAX_TINY_CHUNKS)
        elif self._chunks > MAX_CHUNKS:
            self._refusal = PayloadTooLarge(f"A body comes in at most {MAX_CHUNKS} chunks.", limit=MAX_CHUNKS)
        else:
            return
        raise _Refused

    def on_message_complete(self) -> None:
        self._progress()
        self._peer.receiving = False
        super().on_message_complete()
        if self.cycle.response_complete and self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.cycle.response_complete or self.transport.is_closing():
            return
        self._peer.release()
        if self._peer.receiving:
            self._discarded = 0
            self._arm(DISCARD_SECONDS, self.transport.abort)
        else:
            self._intake.rest(self._peer)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None

    def send_400_response(self, msg: str) -> None:
        """Called when parsing failed, also by our own refusal."""
        if self._is_answering:
            # Its words would stand in the middle of another answer.
            self.transport.abort()
        elif self._refusal is not None:
            self._refuse(self._refusal)
        else:
            super().send_400_response(msg)

    @property
    def _is_answering(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and cycle.response_started and not cycle.response_complete

    def _unread(self) -> int | None:
        sock = self.transport.get_extra_info("socket")
        unacknowledged = 0 if sock is None else unacknowledged_bytes(sock)
        buffered: int = self.transport.get_write_buffer_size()
        return None if unacknowledged is None else buffered + unacknowledged

    def _is_head_too_large(self) -> bool:
        if self._head_bytes + self._chunk <= MAX_HEAD_BYTES:
            return False
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > MAX_HEAD_BYTES

    def _progress(self) -> None:
        self._framed = True
        self._head_bytes = 0
        if self._deadline is not None:
            self._disarm()

    def _head_is_late(self) -> None:
        if self._head_bytes:
            self._refuse(RequestTimeout("The request did not arrive in time."))
        else:
            self.transport.close()

    def _make_room(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or not cycle.response_complete:
            self._refuse(overloaded(CONNECTIONS))
        else:
            self.transport.close()

    def _refuse(self, error: LongtableError) -> None:
        if self._is_refused:
            return
        if self._is_answering:
            self.transport.abort()
            return
        reply = refusal(error)
        headers = b"".join(b"%s: %s\r\n" % pair for pair in reply.raw_headers if pair[0] != b"connection")
        self.transport.write(
            b"%s%sconnection: close\r\n\r\n%s" % (STATUS_LINE[error.status], headers, bytes(reply.body))
        )
        if not self._intake.linger(self._peer):
            self.transport.close()
            return
        self._is_refused = True
        self._discarded = 0
        self.transport.write_eof()
        self._arm(REFUSED_SECONDS, self.transport.abort)
        if self.cycle is not None:
            # A reader of the body gets its end.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self._peer.on_lost is not None:
                self._peer.on_lost()

    def _discard(self, size: int) -> None:
        self._discarded += size
        if self._discarded > MAX_DISCARDED:
            self.transport.abort()

    def _arm(self, seconds: float, late: Callable[[], None]) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(seconds, late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


_ENDLESS = 2**62


async def _send(cycle: RequestResponseCycle, message: Any) -> None:
    """An event stream that says `Connection: close` ends with its connection instead of by a last chunk: to a client,
    the death of this process is then the end of the stream and no failure of it."""
    if message["type"] == "http.response.start":
        headers = dict(message.get("headers", ()))
        is_stream = headers.get(b"content-type", b"").startswith(b"text/event-stream")
        if is_stream and headers.get(b"connection") == b"close":
            cycle.chunked_encoding = False
            cycle.expected_content_length = _ENDLESS
    elif not message.get("more_body", False) and cycle.expected_content_length > _ENDLESS // 2:
        cycle.expected_content_length = len(message.get("body", b""))
    await RequestResponseCycle.send(cycle, message)


def _head_too_large() -> HeadersTooLarge:
    return HeadersTooLarge(
        f"The head of a request has at most {MAX_HEAD_BYTES} bytes and {MAX_HEADERS} headers.",
        limit=MAX_HEAD_BYTES,
        headers=MAX_HEADERS,
    )


def unacknowledged_bytes(sock: socket.socket) -> int | None:
    """Of what was written to a socket: how much the other side has not taken yet. None once the connection was reset,
    which the system knows before we hear of it; 0 where it cannot say."""
    if sys.platform != "linux" or sock.fileno() < 0:
        return 0
    count = array("i", [0])
    try:
        is_tcp = sock.family in (socket.AF_INET, socket.AF_INET6)
        if is_tcp and sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == _TCP_CLOSED:
            return None
        fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, count)
    except OSError:
        return 0
    return count[0]


def _notice_dead_clients(transport: asyncio.Transport) -> None:
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.family != getattr(socket, "AF_UNIX", None) and hasattr(socket, "TCP_USER_TIMEOUT"):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, DEAD_MILLISECONDS)


class _OncePerMinute(logging.Filter):
    """Anybody can send what the parser complains of; each complaint is logged once a minute."""

    def __init__(self) -> None:
        super().__init__()
        self._logged: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno > logging.WARNING:
            return True
        now = time.monotonic()
        if now - self._logged.get(str(record.msg), -60.0) < 60.0:
            return False
        self._logged[str(record.msg)] = now
        return True


_QUIET = logging.getLogger("longtable.protocol")
_QUIET.addFilter(_OncePerMinute())
