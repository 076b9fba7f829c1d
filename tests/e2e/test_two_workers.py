"""Two workers on one store are one server: it makes no difference which of them a client has reached."""

import asyncio
import itertools
import json
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # it has no types
import pytest

from tests.e2e.servers import Processes, Server, place_of, until
from tests.e2e.test_supervisor import PATIENCE, pids
from tests.e2e.wire import Header, Wire, wire_to
from tests.stores import Store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ROUNDS = 20
AT_ONCE = 20


@pytest.fixture
async def server(processes: Processes, store: Store, tmp_path: Path) -> Server:
    options = {"workers": "2", "enable_metrics": "true", "enable_semantic_search": "false"}
    server = processes.serve({**place_of(store, tmp_path), **options})
    await until(lambda: len(pids(server, "worker_ready")) == 2, PATIENCE)
    async with wire_to(server.address) as wire:
        await wire.sends("POST", "/sessions", [("Content-Type", "application/json")], b'{"session_id": "shared"}')
    return server


def said_by(agent: str) -> tuple[Header, Header]:
    return ("X-Caller-Agent", agent), ("X-Session-ID", "shared")


@asynccontextmanager
async def a_wire_to_each(server: Server, *agents: str) -> AsyncIterator[list[Wire]]:
    """One connection to each worker. The system hands connections out, so more are opened until each has one: many at
    once, as a worker that has nothing to do takes them all."""
    async with AsyncExitStack() as stack:
        found: dict[int, Wire] = {}
        for _ in range(ROUNDS):
            opened = [wire_to(server.address) for _ in range(AT_ONCE)]
            wires = await asyncio.gather(*map(stack.enter_async_context, opened))
            await asyncio.gather(*(wire.sends("GET", "/health") for wire in wires))
            for wire in wires:
                found.setdefault(_worker_behind(server, wire), wire)
            if len(found) == 2:
                for wire, agent in zip(found.values(), agents, strict=True):
                    wire.always = said_by(agent)
                yield list(found.values())
                return
        raise AssertionError("all connections went to one worker")


def _worker_behind(server: Server, wire: Wire) -> int:
    port = wire.writer.get_extra_info("sockname")[1]
    for pid in server.workers:
        if any(one.raddr and one.raddr.port == port for one in psutil.Process(pid).net_connections("tcp")):
            return pid
    raise AssertionError("nobody has this connection")


async def test_a_message_wakes_who_waits_in_the_other_worker(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "bob") as (waiting, speaking):
        heard = asyncio.create_task(waiting.calls("wait_for_messages", timeout_seconds=50))
        await speaking.calls("get_messages")

        await speaking.calls("add_message", content="Come here.")

        async with asyncio.timeout(40):
            assert [message["content"] for message in (await heard)["messages"]] == ["Come here."]


async def test_an_event_stream_tells_what_was_done_through_the_other_worker(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "bob") as (listening, writing):
        await listening.writes(
            f"GET /sessions/shared/events?kinds=scratchpad/* HTTP/1.1\r\nHost: {listening.host}\r\n\r\n".encode()
        )
        await listening.reader.readuntil(b"retry: 1000")

        await writing.calls("add_note", content="Seen from afar.")

        async with asyncio.timeout(40):
            await listening.reader.readuntil(b"event: scratchpad/note_added")


async def test_notes_added_at_once_through_both_are_all_kept_with_numbers_of_their_own(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "bob") as wires:

        async def adds(wire: Wire, n: int) -> list[str]:
            return [(await wire.calls("add_note", content=f"{n}.{i}"))["note"]["id"] for i in range(10)]

        ids = await asyncio.gather(*(adds(wire, n) for n, wire in enumerate(wires)))

    assert sorted(int(each[1:]) for each in itertools.chain(*ids)) == list(range(1, 21))


async def test_a_repeated_call_counts_once_whichever_worker_gets_it(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "ann") as (first, second):
        once = await first.calls("add_note", content="Once.", idempotency_key="k1")
        again = await second.calls("add_note", content="Once.", idempotency_key="k1")

    assert once["note"]["id"] == again["note"]["id"] == "n1"


async def test_metrics_are_those_of_all_workers_and_of_those_that_are_gone(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "bob") as wires:
        for wire in wires:
            for _ in range(5):
                await wire.calls("read_notes")
    before = server.workers

    server.signal(signal.SIGHUP)
    await until(lambda: set(before) <= set(pids(server, "worker_ended")), PATIENCE)

    async with a_wire_to_each(server, "ann", "bob") as wires:
        for wire in wires:
            await wire.calls("read_notes")
        shown = [_numbers((await wire.sends("GET", "/metrics")).body.decode()) for wire in wires]
    for numbers in shown:
        assert numbers['longtable_tool_calls_total{outcome="SUCCESS",tool="read_notes"}'] == 12
        assert numbers['longtable_tool_seconds_count{tool="read_notes"}'] == 12
        assert numbers["longtable_sessions_active"] == 1


async def test_one_worker_runs_the_periodic_jobs_for_both(server: Server) -> None:
    async def jobs(wire: Wire) -> set[str]:
        status = json.loads((await wire.sends("GET", "/status")).body)
        return {task["task"] for task in status["background"]}

    async with a_wire_to_each(server, "ann", "bob") as wires:
        running: list[set[str]] = []
        async with asyncio.timeout(PATIENCE):
            while not all("connections" in each for each in running) or not any(
                "expire_sessions" in each for each in running
            ):
                running = [await jobs(wire) for wire in wires]

        once = {"expire_sessions", "purge_sessions", "expire_questions", "audit_anchor"}
        assert sorted(once & each for each in running) == [set(), once]


def _numbers(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_one_model_embeds_what_is_written_through_either_worker(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "workers": "2", "enable_semantic_search": "true"})
    await until(lambda: len(pids(server, "worker_ready")) == 2, PATIENCE)
    async with wire_to(server.address) as wire:
        await wire.sends("POST", "/sessions", [("Content-Type", "application/json")], b'{"session_id": "shared"}')

    async with a_wire_to_each(server, "ann", "bob") as wires:
        for number, wire in enumerate(wires):
            await wire.calls("add_note", content=f"The harbour freezes in winter {number}.")
        await until(lambda: _embedded_notes(embedded) == 2, 120)

    assert len(_models(server)) == 1


def _embedded_notes(options: dict[str, str]) -> int:
    with closing(sqlite3.connect(Path(options["data_dir"]) / "longtable.db")) as file:
        return int(file.execute("SELECT COUNT(*) FROM documents WHERE embedded IS NOT NULL").fetchone()[0])


def _models(server: Server) -> list[Any]:
    family = psutil.Process(server.pid).children(recursive=True)
    return [process for process in family if "longtable.embedding" in process.cmdline()]


async def test_the_server_ends_when_both_workers_have(server: Server) -> None:
    async with a_wire_to_each(server, "ann", "bob") as wires:
        waits = [asyncio.create_task(wire.calls("read_events", wait_seconds=40, after=1_000_000)) for wire in wires]
        answers: list[dict[str, Any]] = []

        async with wire_to(server.address, *said_by("eve")) as other:
            for _ in range(6):
                await other.calls("read_notes")
        server.signal(signal.SIGTERM)

        answers += await asyncio.gather(*waits)
        assert await server.ends(40) == 0
    assert [answer["events"] for answer in answers] == [[], []]
    assert [json.loads(line)["code"] for line in server.lines if '"worker_ended"' in line] == [0, 0]
