"""Stopping: what has begun is finished, what comes is turned away, and the process ends cleanly."""

import asyncio
import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.servers import Process, Processes, Server, Stdio, until
from tests.e2e.wire import Wire, wire_to
from tests.table import Refused

pytestmark = pytest.mark.slow
SOON = 8.0
LONG = {"wait_seconds": 40, "after": 1_000_000}


@pytest.fixture
def server(processes: Processes, embedded: dict[str, str]) -> Server:
    return processes.serve(embedded)


@contextmanager
def store_held(embedded: dict[str, str]) -> Iterator[None]:
    """Nobody can write meanwhile: another program is in the middle of a transaction."""
    file = sqlite3.connect(Path(embedded["data_dir"]) / "longtable.db", isolation_level=None)
    try:
        file.execute("BEGIN IMMEDIATE")
        yield
    finally:
        file.close()


async def under_way(wire: Wire, tool: str, **arguments: Any) -> "asyncio.Task[dict[str, Any]]":
    """A call that the server has begun to work on; a call over another connection cannot overtake it."""
    call = asyncio.create_task(wire.calls(tool, **arguments))
    async with wire_to(f"http://{wire.host}") as other:
        for _ in range(3):
            await other.calls("read_notes")
    assert not call.done()
    return call


async def is_draining(server: Server) -> None:
    """Waits until the server takes no new connections."""
    deadline = time.monotonic() + 40
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        except ConnectionError:
            # Refused, or reset: it may have waited to be accepted when the socket was closed.
            return
        writer.close()
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def ended_cleanly(process: Process, code: int) -> None:
    assert (code, process.noise, process.tracebacks) == (0, [], [])
    assert process.event("stopped")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_server_without_work_ends_at_once(server: Server, number: signal.Signals) -> None:
    began = time.monotonic()

    server.signal(number)

    ended_cleanly(server, await server.ends())
    assert time.monotonic() - began < SOON


async def test_a_signal_right_after_the_start_is_heard(processes: Processes, embedded: dict[str, str]) -> None:
    for _ in range(3):
        server = processes.serve(embedded)

        server.signal(signal.SIGTERM)

        ended_cleanly(server, await server.ends())


async def test_a_reader_who_waits_for_events_is_answered_before_the_server_ends(server: Server) -> None:
    async with wire_to(server.address) as wire:
        waiting = await under_way(wire, "read_events", **LONG)
        began = time.monotonic()

        server.signal(signal.SIGTERM)

        assert (await waiting)["events"] == []
        ended_cleanly(server, await server.ends())
        assert time.monotonic() - began < SOON


async def test_a_note_that_was_on_its_way_is_kept_and_acknowledged(
    processes: Processes, embedded: dict[str, str], server: Server
) -> None:
    async with wire_to(server.address) as wire:
        await wire.calls("add_note", content="the first")
        with store_held(embedded):
            adding = await under_way(wire, "add_note", content="the last")
            server.signal(signal.SIGTERM)
            await is_draining(server)
            assert not adding.done()

        assert (await adding)["note"]["id"] == "n2"
        ended_cleanly(server, await server.ends())
    again = processes.serve(embedded)
    async with wire_to(again.address) as wire:
        assert [note["content"] for note in (await wire.calls("read_notes"))["notes"]] == ["the first", "the last"]


@pytest.mark.parametrize("way", ["mcp", "rest"])
async def test_a_connection_that_is_open_is_served_once_more_and_told_to_close(server: Server, way: str) -> None:
    async with wire_to(server.address) as open_one:
        await open_one.sends("GET", "/health")
        server.signal(signal.SIGTERM)
        await is_draining(server)

        reply = await (open_one.asks("tools/list", {}) if way == "mcp" else open_one.sends("GET", "/sessions"))

        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert await open_one.reader.read() == b""
        ended_cleanly(server, await server.ends())


async def test_an_event_stream_opened_while_the_server_stops_is_told_when_to_come_back(server: Server) -> None:
    async with wire_to(server.address) as open_one:
        kind = [("Content-Type", "application/json")]
        await open_one.sends("POST", "/sessions", kind, b'{"session_id": "stopping"}')
        server.signal(signal.SIGTERM)
        await is_draining(server)

        await open_one.writes(f"GET /sessions/stopping/events HTTP/1.1\r\nHost: {open_one.host}\r\n\r\n".encode())
        async with asyncio.timeout(40):
            received = await open_one.reader.read()

    assert received.startswith(b"HTTP/1.1 200 ")
    assert b"retry: 1000" in received
    assert b'"reason":"stopping"' in received


async def test_a_connection_on_which_nothing_is_asked_is_closed_while_the_last_calls_finish(
    embedded: dict[str, str], server: Server
) -> None:
    async with wire_to(server.address) as wire, wire_to(server.address) as silent:
        await wire.calls("add_note", content="the first")
        await silent.sends("GET", "/health")
        with store_held(embedded):
            adding = await under_way(wire, "add_note", content="the last")
            server.signal(signal.SIGTERM)

            async with asyncio.timeout(40):
                assert await silent.reader.read() == b""
            assert not adding.done()

        await adding
        ended_cleanly(server, await server.ends())


async def test_work_that_takes_longer_than_the_shutdown_timeout_does_not_hold_the_server_up(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "shutdown_timeout": "1s"})
    async with wire_to(server.address) as wire:
        await wire.calls("add_note", content="the first")
        with store_held(embedded):
            adding = await under_way(wire, "add_note", content="the last")
            began = time.monotonic()

            server.signal(signal.SIGTERM)
            code = await server.ends()

            assert time.monotonic() - began < 1 + SOON
            ended_cleanly(server, code)
        with pytest.raises(Refused, match="SHUTTING_DOWN"):
            await adding


async def test_a_second_signal_ends_the_server_at_once(processes: Processes, embedded: dict[str, str]) -> None:
    server = processes.serve({**embedded, "shutdown_timeout": "60s"})
    async with wire_to(server.address) as wire:
        await wire.calls("add_note", content="the first")
        with store_held(embedded):
            adding = await under_way(wire, "add_note", content="the last")
            server.signal(signal.SIGTERM)
            await is_draining(server)
            began = time.monotonic()

            server.signal(signal.SIGTERM)

            assert await server.ends() == 1
            assert time.monotonic() - began < SOON
        await asyncio.gather(adding, return_exceptions=True)


async def opened_session(wire: Wire) -> str:
    accepted = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
    body = json.dumps(OPENING[0]).encode()
    return (await wire.sends("POST", "/mcp", accepted, body)).headers["mcp-session-id"]


@pytest.mark.parametrize("path", ["/sse", "/mcp"])
async def test_open_streams_are_closed_and_do_not_hold_the_server_up(server: Server, path: str) -> None:
    async with wire_to(server.address) as wire:
        known = f"Mcp-Session-Id: {await opened_session(wire)}\r\n" if path == "/mcp" else ""
        await wire.writes(
            f"GET {path} HTTP/1.1\r\nHost: {wire.host}\r\nAccept: text/event-stream\r\n{known}\r\n".encode()
        )
        assert (await wire.reader.readline()).split()[1] == b"200"
        began = time.monotonic()

        server.signal(signal.SIGTERM)

        ended_cleanly(server, await server.ends())
        assert time.monotonic() - began < SOON
        assert await wire.reader.read() is not None


async def test_a_stdio_process_ends_with_its_client(processes: Processes, embedded: dict[str, str]) -> None:
    stdio = processes.stdio(embedded)
    await stdio.opens()
    await stdio.calls("add_note", content="kept")

    stdio.close_stdin()

    assert (await stdio.ends(), stdio.noise, stdio.tracebacks) == (0, [], [])


async def test_a_stdio_process_without_a_client_ends_cleanly(processes: Processes, embedded: dict[str, str]) -> None:
    stdio = processes.stdio(embedded)

    stdio.close_stdin()

    assert (await stdio.ends(), stdio.noise, stdio.tracebacks) == (0, [], [])


async def test_a_stdio_process_answers_what_was_asked_before_the_end_of_its_input(
    processes: Processes, embedded: dict[str, str]
) -> None:
    stdio = processes.stdio(embedded)
    await stdio.opens()
    waiting = await waiting_in(stdio)
    before = stdio.sent
    adding = [asyncio.create_task(stdio.calls("add_note", content=f"note {n}")) for n in range(20)]
    await until(lambda: stdio.sent == before + len(adding))
    began = time.monotonic()

    stdio.close_stdin()

    added = await asyncio.gather(*adding)
    assert sorted(int(answer["note"]["id"][1:]) for answer in added) == list(range(1, 21))
    await waiting
    assert (await stdio.ends(), stdio.noise, stdio.tracebacks) == (0, [], [])
    assert time.monotonic() - began < SOON


HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "pipe", "version": "1"}}
OPENING: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def calling(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    call = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}


def as_lines(messages: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def test_requests_can_be_piped_in(processes: Processes, embedded: dict[str, str]) -> None:
    given = as_lines([*OPENING, calling(2, "add_note", content="from a pipe")])

    ended = processes.run(options=embedded, given=given)

    answers = {answer["id"]: answer for answer in map(json.loads, ended.stdout.splitlines())}
    assert (ended.returncode, ended.stderr) == (0, "")
    assert answers[2]["result"]["structuredContent"]["note"]["id"] == "n1"


async def test_a_stdio_process_whose_client_was_killed_ends_quietly(
    processes: Processes, embedded: dict[str, str]
) -> None:
    stdio = processes.stdio(embedded)
    assert stdio.popen.stdout is not None
    await stdio.writes(as_lines([*OPENING, calling(2, "read_events", **LONG)]).encode())
    await asyncio.to_thread(stdio.popen.stdout.readline)

    stdio.popen.stdout.close()
    stdio.close_stdin()

    assert await stdio.ends() in (0, 1)
    assert (stdio.noise, stdio.tracebacks) == ([], [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_a_stdio_process_after_it_has_answered(
    processes: Processes, embedded: dict[str, str], number: signal.Signals
) -> None:
    stdio = processes.stdio(embedded)
    await stdio.opens()
    waiting = await waiting_in(stdio)
    began = time.monotonic()

    stdio.signal(number)

    assert (await waiting)["events"] == []
    assert (await stdio.ends(), stdio.noise, stdio.tracebacks) == (0, [], [])
    assert time.monotonic() - began < SOON


async def test_a_second_signal_ends_a_stdio_process_at_once(processes: Processes, embedded: dict[str, str]) -> None:
    stdio = processes.stdio({**embedded, "shutdown_timeout": "60s"})
    await stdio.opens()
    await stdio.calls("add_note", content="the first")
    with store_held(embedded):
        adding = asyncio.create_task(stdio.calls("add_note", content="the last"))
        await until(lambda: len(stdio.answers) == 3)
        await stdio.calls("read_notes")
        stdio.signal(signal.SIGTERM)
        await until_refused(stdio)
        began = time.monotonic()

        stdio.signal(signal.SIGTERM)

        assert await stdio.ends() == 1
        assert time.monotonic() - began < SOON
    adding.cancel()


async def waiting_in(stdio: Stdio) -> "asyncio.Task[dict[str, Any]]":
    waiting = asyncio.create_task(stdio.calls("read_events", **LONG))
    await until(lambda: len(stdio.answers) == 2)
    await stdio.calls("read_notes")
    return waiting


async def until_refused(stdio: Stdio) -> None:
    deadline = time.monotonic() + 40
    while (await stdio.calls("read_notes"))["ok"]:
        assert time.monotonic() < deadline
