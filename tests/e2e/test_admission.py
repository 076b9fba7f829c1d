"""What a listener takes from callers of whom it knows nothing yet: little, and not for long."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import pytest

from tests.e2e.rubbish import LEGACY
from tests.e2e.servers import Processes, Server, processes_in, until
from tests.e2e.wire import Reply, Wire, wire_to

pytestmark = pytest.mark.slow
HOST = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
KNOWN = {"Authorization": "Bearer letmein-letmein-letmein"}
SHORT = {"header_timeout": "3s", "body_timeout": "3s"}
CLOSED = 25.0
"""Seconds within which a connection is closed that may last three: the machine may be busy."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("admission")
    with processes_in(folder / "work") as own:
        yield own.serve({"data_dir": str(folder / "data"), "auth_tokens": "acme:letmein-letmein-letmein"})


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Its times for a head and for a body are short."""
    folder = tmp_path_factory.mktemp("impatient")
    options = {"data_dir": str(folder / "data"), "auth_tokens": "acme:letmein-letmein-letmein", **SHORT}
    with processes_in(folder / "work") as own:
        yield own.serve(options)


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Wire]:
    async with wire_to(server.address) as own:
        yield own


@pytest.fixture
async def short_wire(impatient: Server) -> AsyncIterator[Wire]:
    async with wire_to(impatient.address) as own:
        yield own


async def ended(wire: Wire) -> bytes:
    """All that still comes, until the server closes."""
    async with asyncio.timeout(CLOSED):
        return await wire.reader.read()


async def test_a_connection_that_says_nothing_is_closed(short_wire: Wire) -> None:
    assert await ended(short_wire) == b""


async def test_half_a_head_is_refused_after_its_time_also_when_bytes_keep_coming(short_wire: Wire) -> None:
    await short_wire.writes(HOST)
    reading = asyncio.create_task(ended(short_wire))
    while not reading.done():
        await short_wire.writes(b"X-Slow: 1\r\n")
        await asyncio.wait([reading], timeout=0.5)

    assert b" 408 " in await reading
    assert b"REQUEST_TIMEOUT" in await reading


async def test_a_second_request_has_its_own_time(short_wire: Wire) -> None:
    first = await short_wire.sends("GET", "/health")
    await short_wire.writes(b"GET /health HTTP/1.1\r\n")

    assert first.status == 200
    assert b" 408 " in await ended(short_wire)


async def test_line_ends_between_requests_do_not_keep_a_connection_open(short_wire: Wire) -> None:
    await short_wire.sends("GET", "/health")
    reading = asyncio.create_task(ended(short_wire))
    while not reading.done():
        await short_wire.writes(b"\r\n")
        await asyncio.wait([reading], timeout=0.5)

    assert reading.exception() is None


HEADS = {
    "one long header": b"X-Long: " + b"a" * 300_000 + b"\r\n",
    "many headers": b"X-Many: 1\r\n" * 1_000,
    "a long address": b"",
}


@pytest.mark.parametrize("kind", HEADS)
async def test_a_head_that_is_too_large_is_refused(wire: Wire, kind: str) -> None:
    address = b"/health?" + (b"a" * 300_000 if kind == "a long address" else b"")
    await wire.writes(b"GET " + address + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + HEADS[kind] + b"\r\n")

    reply = await wire.hears()

    assert (reply.status, reply.code) == (431, "HEADERS_TOO_LARGE")


async def test_the_trailer_of_a_body_is_bounded_as_well(wire: Wire) -> None:
    await wire.writes(b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
    await wire.writes(b"X-Trailer: " + b"a" * 300_000)

    assert b" 431 " in await ended(wire)


async def test_a_page_that_needs_no_credential_takes_64_kilobytes(wire: Wire) -> None:
    right = await wire.sends("POST", "/login", body=b"a" * 65_536)
    wrong = await wire.sends("POST", "/login", body=b"a" * 65_537)

    assert right.status == 401
    assert (wrong.status, wrong.code, wrong.json["error"]["details"]["limit"]) == (413, "PAYLOAD_TOO_LARGE", 65_536)


async def test_a_caller_without_a_credential_is_refused_before_its_body_comes(wire: Wire) -> None:
    await wire.writes(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000000\r\n\r\n{")

    reply = await wire.hears()

    assert (reply.status, reply.json["error"]["data"]["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate, gzip"])
@pytest.mark.parametrize("path", ["/mcp", "/sessions"])
async def test_a_compressed_body_is_refused_in_plain_words(wire: Wire, path: str, encoding: str) -> None:
    headers = [*LEGACY, *KNOWN.items(), ("Content-Encoding", encoding)]

    reply = await wire.sends("POST", path, headers, b"\x1f\x8b")

    assert (reply.status, reply.code) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert "compressed" in reply.body.decode()


async def test_the_rest_of_a_refused_body_is_read_and_the_connection_goes_on(wire: Wire) -> None:
    refused = await wire.sends("POST", "/login", body=b"a" * 1_000_000)
    healthy = await wire.sends("GET", "/health")

    assert (refused.status, healthy.status) == (413, 200)


SLOW_BODIES = {
    "a stranger's": b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n\r\n",
    "a known caller's": b"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60000\r\n"
    b"Authorization: Bearer letmein-letmein-letmein\r\nContent-Type: application/json\r\n\r\n",
    "a call's": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    b"Authorization: Bearer letmein-letmein-letmein\r\nContent-Type: application/json\r\n\r\n",
}


@pytest.mark.parametrize("whose", SLOW_BODIES)
async def test_a_body_of_which_nothing_more_comes_is_refused_after_its_time(impatient: Server, whose: str) -> None:
    async with wire_to(impatient.address) as wire:
        await wire.writes(SLOW_BODIES[whose])
        reply = await wire.hears()
        rest = await ended(wire)

    assert (reply.status, reply.code, reply.headers["connection"]) == (408, "REQUEST_TIMEOUT", "close")
    assert rest == b""


async def test_a_body_that_trickles_is_refused_although_bytes_keep_coming(impatient: Server) -> None:
    async with wire_to(impatient.address) as wire:
        await wire.writes(SLOW_BODIES["a stranger's"])
        reading = asyncio.create_task(wire.hears())
        while not reading.done():
            await wire.writes(b"a")
            await asyncio.wait([reading], timeout=0.2)

    assert (reading.result().status, reading.result().code) == (408, "REQUEST_TIMEOUT")


async def test_a_slow_body_is_taken_while_enough_of_it_comes(impatient: Server) -> None:
    """For longer than its time for nothing."""
    async with wire_to(impatient.address) as wire:
        await wire.writes(SLOW_BODIES["a stranger's"])
        reading = asyncio.create_task(wire.hears())
        for _ in range(6):
            await wire.writes(b"a" * 10_000)
            await asyncio.wait([reading], timeout=0.7)
        reply = await reading

    assert reply.status == 401


async def test_a_body_that_is_cut_off_changes_nothing(server: Server, wire: Wire) -> None:
    body = json.dumps({"session_id": "cut_off"}).encode()
    await wire.writes(b"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
    await wire.writes(f"Authorization: {KNOWN['Authorization']}\r\n".encode())
    await wire.writes(b"Content-Length: %d\r\n\r\n%s" % (len(body) + 1, body))
    wire.writer.close()

    async with wire_to(server.address) as other:
        listed = await other.sends("GET", "/sessions", list(KNOWN.items()))
    assert (listed.status, b"cut_off" in listed.body) == (200, False)


async def test_beyond_the_cap_of_connections_a_caller_is_told_when_to_come_back(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "max_open_connections": "8"})
    async with AsyncExitStack() as stack:
        for _ in range(8):
            busy = await stack.enter_async_context(wire_to(server.address))
            await busy.writes(HOST + b"Accept: text/event-stream\r\n")
        over = await stack.enter_async_context(wire_to(server.address))
        refused = await over.sends("GET", "/health")

    assert (refused.status, refused.code) == (503, "OVERLOADED")
    assert int(refused.headers["retry-after"]) > 0
    assert server.event("limit_reached")["limit"] == "max_open_connections"


async def test_silent_connections_make_room_for_callers_and_one_line_tells_of_it(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "max_open_connections": "20"})
    async with AsyncExitStack() as stack:
        for _ in range(60):
            await stack.enter_async_context(wire_to(server.address))
        async with asyncio.timeout(CLOSED):
            while (status := await _health(server)) != 200:
                assert status == 503

    assert len([line for line in server.lines if "limit_reached" in line]) == 1


async def test_bodies_of_strangers_leave_room_for_those_of_known_callers(
    processes: Processes, embedded: dict[str, str]
) -> None:
    tokens = {"auth_tokens": "acme:letmein-letmein-letmein", "max_buffered_bytes": "1048576"}
    server = processes.serve({**embedded, **tokens})
    async with AsyncExitStack() as stack:
        halves = [await stack.enter_async_context(wire_to(server.address)) for _ in range(12)]
        for half in halves:
            await half.writes(
                b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 65536\r\n\r\n" + b"a" * 60_000
            )
        refused = await _answered(halves, 8)
        async with wire_to(server.address) as known:
            body = json.dumps({"nope": "x" * 100_000}).encode()
            reply = await known.sends("POST", "/sessions", [*LEGACY, *KNOWN.items()], body)

    assert refused == {503}
    assert reply.code == "INVALID_ARGUMENT", "its body was read"


async def _answered(wires: list[Wire], count: int) -> set[int]:
    """The statuses of the answers once so many have come."""
    replies: list[Reply] = []

    async def hears(wire: Wire) -> None:
        replies.append(await wire.hears())

    waiting = [asyncio.create_task(hears(wire)) for wire in wires]
    await until(lambda: len(replies) >= count, CLOSED)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return {reply.status for reply in replies}


async def _health(server: Server) -> int:
    async with wire_to(server.address) as wire:
        return (await wire.sends("GET", "/health")).status
