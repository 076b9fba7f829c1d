"""A load generator in a process of its own: raw HTTP/1.1 over connections that stay open, nothing parsed twice."""

import asyncio
import json
import os
import select
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import uvloop

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"content-length:"
_CHUNKED = b"transfer-encoding: chunked"
_LAST_CHUNK = b"\r\n0\r\n\r\n"
_FAILED = (b'"isError":true', b'"success":false')
PATIENCE = 5.0
"""Seconds after the end for which a last answer is waited for; then it counts as one that took so long."""


@dataclass(frozen=True, slots=True)
class ClientLoad:
    """Every client sends its next request as soon as it has the answer to the one before, until the time is over
    or it has made so many `calls`; 0 is no limit. With `apart` the requests are one of each client in turn, and no
    client sends those of another."""

    port: int
    requests: list[str]
    clients: int
    seconds: float
    calls: int = 0
    apart: bool = False


@dataclass(frozen=True, slots=True)
class RawAnswers:
    latencies_ms: list[float]
    seconds: float
    failed: int
    first_failure: str


class RawConnection(asyncio.Protocol):
    def __init__(self, requests: list[bytes], first: int, calls: int, step: int) -> None:
        self._requests = requests
        self._next = first
        self._step = step
        self._last = first + calls * step if calls else -1
        self._buffer = b""
        self._expected = 0
        self._sent = 0.0
        self._deadline = 0.0
        self._transport: Any = None
        self.latencies: list[float] = []
        self.failed = 0
        self.first_failure = ""
        self.finished: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def begin(self, deadline: float) -> None:
        self._deadline = deadline
        self._send()

    def _send(self) -> None:
        self._buffer, self._expected = b"", 0
        request = self._requests[self._next % len(self._requests)]
        self._next += self._step
        self._sent = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._expected:
            self._expected = _whole_length(self._buffer)
        if self._expected and len(self._buffer) >= self._expected:
            self._answered()

    def _answered(self) -> None:
        now = time.perf_counter()
        if self._buffer.startswith(b"HTTP/1.1 200") and not any(sign in self._buffer for sign in _FAILED):
            self.latencies.append((now - self._sent) * 1000)
        else:
            self.failed += 1
            self.first_failure = self.first_failure or self._buffer[-500:].decode(errors="replace")
        if now < self._deadline and self._next != self._last:
            self._send()
        elif not self.finished.done():
            self.finished.set_result(None)

    def give_up(self) -> None:
        if not self.finished.done():
            self.latencies.append((time.perf_counter() - self._sent) * 1000)
            self.finished.set_result(None)

    def close(self) -> None:
        self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.finished.done():
            self.finished.set_exception(error or ConnectionError("the server closed the connection"))


def _whole_length(buffer: bytes) -> int:
    """The length of head and body; 0 as long as it is not known."""
    end = buffer.find(_HEAD_END)
    if end < 0:
        return 0
    head = buffer[:end].lower()
    if _CHUNKED in head:
        return len(buffer) if buffer.endswith(_LAST_CHUNK) else 0
    start = head.index(_LENGTH) + len(_LENGTH)
    return end + len(_HEAD_END) + int(head[start:].split(b"\r\n", 1)[0])


async def run(load: ClientLoad) -> RawAnswers:
    loop = asyncio.get_running_loop()
    requests = [request.encode() for request in load.requests]
    connections = []
    for number in range(load.clients):
        _, connection = await loop.create_connection(
            lambda first=number: RawConnection(requests, first, load.calls, load.clients if load.apart else 1),  # type: ignore[misc]  # mypy cannot infer a default
            "127.0.0.1",
            load.port,
        )
        connections.append(connection)
    started = time.perf_counter()
    for connection in connections:
        connection.begin(started + load.seconds)
    patience = [loop.call_later(load.seconds + PATIENCE, connection.give_up) for connection in connections]
    await asyncio.gather(*(connection.finished for connection in connections))
    seconds = time.perf_counter() - started
    for connection, timer in zip(connections, patience, strict=True):
        timer.cancel()
        connection.close()
    latencies = [latency for connection in connections for latency in connection.latencies]
    said = next((connection.first_failure for connection in connections if connection.failed), "")
    return RawAnswers(latencies, seconds, sum(connection.failed for connection in connections), said)


def main() -> None:
    """Answers each load that comes on a line with its latencies, until there are no more."""
    for line in sys.stdin:
        answers = uvloop.run(run(ClientLoad(**json.loads(line))))
        _answer(json.dumps(asdict(answers)).encode() + b"\n")


def _answer(line: bytes) -> None:
    """To the last byte: the loop may leave the pipe so that writing does not wait, and a long line would be cut."""
    rest = memoryview(line)
    while rest:
        try:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]
        except BlockingIOError:
            select.select([], [sys.stdout], [])


if __name__ == "__main__":
    main()
