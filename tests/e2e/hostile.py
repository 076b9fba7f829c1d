"""A server, and callers who mean it harm: each costs little, and nobody else notices."""

import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.servers import Processes, Server
from tests.e2e.wire import Reply, Wire, modern_headers, modern_request, wire_to

BEARER = ("Authorization", "Bearer acme-secret-acme-secret")
RIVAL = ("Authorization", "Bearer rival-secret-rival-secret")
TOKENS = "acme:acme-secret-acme-secret,rival:rival-secret-rival-secret"
MEGABYTE = 2**20
HALF_POST = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 65536\r\n\r\n"


@dataclass(frozen=True)
class Hostile:
    """`send` does the harm over a connection of its own; the codes are what it may be answered, None for nothing."""

    send: Callable[[Wire], Awaitable[Reply | None]]
    codes: frozenset[str | int | None]


def body_of(tool: str, arguments: bytes) -> bytes:
    return modern_request("tools/call", {"name": tool, "arguments": {"@": 1}}).replace(b'{"@": 1}', arguments)


def called(
    tool: str, arguments: Callable[[], bytes], headers: Sequence[tuple[str, str]] = ()
) -> Callable[[Wire], Awaitable[Reply]]:
    sent = [*modern_headers("tools/call", {"name": tool}), BEARER, ("X-Session-ID", "acme_one"), *headers]

    @cache
    def body() -> bytes:
        return body_of(tool, arguments())

    async def send(wire: Wire) -> Reply:
        return await wire.sends("POST", "/mcp", sent, body())

    return send


def keys(count: int) -> bytes:
    return b"{" + b",".join(b'"k%d":1' % n for n in range(count)) + b"}"


async def with_huge_headers(wire: Wire) -> Reply:
    await wire.writes(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    try:
        for n in range(30):
            await wire.writes(b"X-%d: " % n + b"a" * MEGABYTE + b"\r\n")
    except ConnectionError:
        # The answer came before the end.
        pass
    return await wire.hears()


async def in_tiny_chunks(wire: Wire) -> Reply:
    head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n"
    await wire.writes(f"{head}{BEARER[0]}: {BEARER[1]}\r\n\r\n".encode())
    try:
        for _ in range(20):
            await wire.writes(b"1\r\n \r\n" * 50_000)
    except ConnectionError:
        pass
    return await wire.hears()


async def half_a_head(wire: Wire) -> None:
    await wire.writes(b"GET /health HTTP/1.1\r\nHost: ")


async def half_a_body(wire: Wire) -> None:
    await wire.writes(HALF_POST + b"a" * 30_000)


async def never_reads(wire: Wire) -> None:
    wire.writer.transport.pause_reading()  # type: ignore[attr-defined]  # as every transport of a socket has it
    await wire.writes(b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n" + _line(BEARER) + b"\r\n")


async def many_at_once(wire: Wire) -> None:
    """Requests one after the other on one connection, without waiting for an answer."""
    await wire.writes((b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") * 5_000)


def _line(header: tuple[str, str]) -> bytes:
    return f"{header[0]}: {header[1]}\r\n".encode()


def meta(count: int) -> bytes:
    """A call whose envelope says so much of its client."""
    return modern_request("tools/call", {"name": "read_notes", "arguments": {}}).replace(
        b'clientCapabilities": {}', b'clientCapabilities": {"experimental": %s}' % keys(count)
    )


async def with_a_wide_envelope(wire: Wire) -> Reply:
    sent = [*modern_headers("tools/call", {"name": "read_notes"}), BEARER, ("X-Session-ID", "acme_one")]
    return await wire.sends("POST", "/mcp", sent, meta(90_000))


def refused(*codes: str | int | None) -> frozenset[str | int | None]:
    return frozenset(codes)


TOO_LARGE = refused("PAYLOAD_TOO_LARGE")
KINDS: dict[str, Hostile] = {
    "deep": Hostile(called("set_memory", lambda: b'{"a": ' + b"[" * 2_000_000 + b"]" * 2_000_000 + b"}"), TOO_LARGE),
    "wide": Hostile(called("scratch_list", lambda: b'{"namespaces": [' + b"1," * 2_700_000 + b"1]}"), TOO_LARGE),
    "empty lists": Hostile(called("set_memory", lambda: b'{"value": [' + b"[]," * 2_600_000 + b"1]}"), TOO_LARGE),
    "as wide as allowed": Hostile(
        called("scratch_list", lambda: b'{"namespaces": [' + b"1," * 99_000 + b"1]}"), refused("CAPACITY_LIMIT_REACHED")
    ),
    "huge": Hostile(called("add_note", lambda: b'{"content": "' + b"x" * 9_000_000 + b'"}'), TOO_LARGE),
    "punctuation": Hostile(called("add_note", lambda: b'{"content": "' + b"[{,\\\\," * 1_100_000 + b'"}'), TOO_LARGE),
    "compressed": Hostile(
        called("add_note", lambda: b"{}", [("Content-Encoding", "gzip")]), refused("UNSUPPORTED_MEDIA_TYPE")
    ),
    "the same keys": Hostile(
        called("add_note", lambda: b"{" + b'"content": "x",' * 90_000 + b'"tags": []}'), refused(-32700)
    ),
    "a long name": Hostile(called("add_note", lambda: b'{"%s": 1}' % (b"n" * 7_000_000)), refused("INVALID_ARGUMENT")),
    "unknown arguments": Hostile(called("add_note", lambda: keys(90_000)), refused("INVALID_ARGUMENT")),
    "unknown arguments below": Hostile(
        called("scratch_create", lambda: b'{"cells": [' + keys(90_000) + b"]}"), refused("INVALID_ARGUMENT")
    ),
    "500,000 unknown arguments": Hostile(called("add_note", lambda: keys(500_000)), TOO_LARGE),
    "a wide envelope": Hostile(with_a_wide_envelope, TOO_LARGE),
    "a long number": Hostile(called("add_note", lambda: b'{"content": ' + b"9" * 4_000_000 + b"}"), refused(-32700)),
    "30 MB of headers": Hostile(with_huge_headers, refused("HEADERS_TOO_LARGE")),
    "tiny chunks": Hostile(in_tiny_chunks, TOO_LARGE),
    "half a head": Hostile(half_a_head, refused(None)),
    "half a body": Hostile(half_a_body, refused(None)),
    "an answer not read": Hostile(never_reads, refused(None)),
    "requests without end": Hostile(many_at_once, refused(None)),
}


def code_of(reply: Reply | None) -> str | int | None:
    if reply is None:
        return None
    message = reply.json
    if "result" in message:
        problem = message["result"]["structuredContent"]
        code: str = problem["error"]["code"] if isinstance(problem["error"], dict) else problem["code"]
        return code
    error = message["error"]
    own: str | None = error.get("data", {}).get("code") if isinstance(error.get("data"), dict) else None
    return error["code"] if error["code"] == -32700 or own is None else own


@asynccontextmanager
async def hostile_wire(server: Server) -> AsyncIterator[Wire]:
    """Broken off at the end: what was not taken is not waited for."""
    async with wire_to(server.address) as wire:
        try:
            yield wire
        finally:
            wire.writer.transport.abort()


@dataclass
class WatchedServer:
    """The process that serves, seen from outside."""

    server: Server
    pid: int

    @property
    def cpu(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> int:
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def attacked(self, kind: str) -> float:
        """Seconds of CPU that it cost, after the answer was right."""
        async with hostile_wire(self.server) as wire:
            before = self.cpu
            reply = await KINDS[kind].send(wire)
            while code_of(reply) == "RATE_LIMITED":
                reply = await KINDS[kind].send(wire)
            assert code_of(reply) in KINDS[kind].codes, (kind, reply)
            if reply is None:
                # What is not answered is over when others are.
                await calls(self.server, 1)
            return self.cpu - before


async def watched(processes: Processes, options: dict[str, str]) -> WatchedServer:
    server = processes.serve({**options, "auth_tokens": TOKENS})
    for name, bearer in (("acme", BEARER), ("rival", RIVAL)):
        async with wire_to(server.address, bearer) as wire:
            await wire.calls("create_session", session_id=f"{name}_one")
    return WatchedServer(server, int(server.event("worker_started")["pid"]))


async def calls(server: Server, count: int, seconds: float = 0.0) -> list[float]:
    """How long calls of another tenant take, one after the other: a note, and a look at the last. So many, and for so
    long."""
    took: list[float] = []
    ends = time.perf_counter() + seconds
    async with wire_to(server.address, RIVAL, ("X-Session-ID", "rival_one")) as wire:
        while len(took) < count or time.perf_counter() < ends:
            began = time.perf_counter()
            await wire.calls("add_note", content=f"note {len(took)}")
            await wire.calls("read_notes", limit=5)
            took.append(time.perf_counter() - began)
    return sorted(took)


async def silent(stack: AsyncExitStack, server: Server, count: int) -> list[Wire]:
    return [await stack.enter_async_context(wire_to(server.address)) for _ in range(count)]


def log_lines(server: Server, event: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in server.lines if line.startswith("{")]
    return [line for line in found if line.get("event") == event]
