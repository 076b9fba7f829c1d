"""One process owns the port and others serve: they can be replaced, or die, while clients are at work."""

import asyncio
import itertools
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.servers import Processes, Server, environment, longtable, until
from tests.e2e.wire import wire_to

pytestmark = [pytest.mark.slow, pytest.mark.executed]
JSON = [("Content-Type", "application/json"), ("X-Caller-Agent", "ann")]
PATIENCE = 120.0


@dataclass
class WritingClients:
    """Clients that write notes without a pause: `fresh` ones over a new connection each time, `kept` ones over one
    that they keep as long as the server lets them."""

    server: Server
    kept_notes: list[str] = field(default_factory=list)
    fresh_notes: list[str] = field(default_factory=list)
    refused: int = 0
    broken: int = 0
    statuses: set[int] = field(default_factory=set)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _over: bool = False

    @property
    def answered(self) -> int:
        return len(self.kept_notes) + len(self.fresh_notes)

    async def writes_over_fresh_connections(self) -> None:
        while not self._over:
            await self._writes(self.fresh_notes, once=True)

    async def writes_over_kept_connections(self) -> None:
        while not self._over:
            await self._writes(self.kept_notes, once=False)

    def ends(self) -> None:
        self._over = True

    async def more(self, count: int = 20) -> None:
        """Waits until so many more notes of either kind were acknowledged."""
        fresh, kept = len(self.fresh_notes) + count, len(self.kept_notes) + count
        await until(lambda: len(self.fresh_notes) >= fresh and len(self.kept_notes) >= kept, within=PATIENCE)

    async def _writes(self, notes: list[str], *, once: bool) -> None:
        try:
            async with wire_to(self.server.address) as wire:
                while not self._over:
                    text = f"note {next(self._numbers)}"
                    body = f'{{"content": "{text}"}}'.encode()
                    reply = await wire.sends("POST", "/sessions/busy/notes", JSON, body)
                    self.statuses.add(reply.status)
                    notes.append(text)
                    if once or reply.headers.get("connection") == "close":
                        return
        except ConnectionRefusedError:
            self.refused += 1
        except (OSError, EOFError):
            self.broken += 1


@asynccontextmanager
async def under_load(server: Server) -> AsyncIterator[WritingClients]:
    load = WritingClients(server)
    async with wire_to(server.address) as wire:
        await wire.sends("POST", "/sessions", JSON, b'{"session_id": "busy"}')
    writers = [load.writes_over_fresh_connections, load.writes_over_fresh_connections]
    writers += [load.writes_over_kept_connections, load.writes_over_kept_connections]
    tasks = [asyncio.create_task(writer()) for writer in writers]
    try:
        await load.more()
        yield load
    finally:
        load.ends()
        await asyncio.gather(*tasks)


def stored_notes(options: dict[str, str]) -> list[str]:
    with closing(sqlite3.connect(Path(options["data_dir"]) / "longtable.db")) as file:
        return [content for (content,) in file.execute("SELECT content FROM notes")]


def is_alive(pid: int) -> bool:
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


def pids(server: Server, event: str) -> list[int]:
    lines = (line for line in server.lines if f'"event": "{event}"' in line)
    return [int(line.partition('"pid": ')[2].partition(",")[0]) for line in lines]


async def test_the_process_that_owns_the_port_serves_nothing_itself(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve(embedded)

    assert server.worker != server.pid
    assert pids(server, "worker_started") == [server.worker]


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_workers_are_replaced_while_clients_are_at_work_and_nobody_notices(
    processes: Processes, embedded: dict[str, str], workers: str
) -> None:
    server = processes.serve({**embedded, "workers": workers, "enable_semantic_search": "false"})
    await until(lambda: len(server.workers) == int(workers))
    before = set(server.workers)

    async with under_load(server) as load:
        server.signal(signal.SIGHUP)
        await until(lambda: set(pids(server, "worker_ended")) >= before, within=PATIENCE)
        await load.more()

    assert (load.refused, load.broken, load.statuses) == (0, 0, {201})
    assert not before & set(server.workers)
    assert len(server.workers) == int(workers)
    assert sorted(stored_notes(embedded)) == sorted([*load.kept_notes, *load.fresh_notes])


async def test_a_worker_that_is_killed_costs_its_own_requests_and_the_port_stays_open(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "enable_semantic_search": "false"})
    before = server.worker

    async with under_load(server) as load:
        os.kill(before, signal.SIGKILL)
        await until(lambda: len(pids(server, "worker_started")) == 2)
        await load.more()

    assert load.refused == 0
    assert load.broken <= 4
    assert load.statuses == {201}
    assert set(stored_notes(embedded)) >= {*load.kept_notes, *load.fresh_notes}
    assert server.stop() == 0


async def test_workers_end_when_the_supervisor_is_killed(processes: Processes, embedded: dict[str, str]) -> None:
    server = processes.serve({**embedded, "workers": "2"})
    await until(lambda: len(server.workers) == 2)
    left = server.workers

    server.popen.kill()

    await until(lambda: not any(map(is_alive, left)))


def test_a_terminal_that_is_closed_ends_the_server_that_was_started_in_it(
    processes: Processes, embedded: dict[str, str]
) -> None:
    screen, terminal = os.openpty()
    popen = subprocess.Popen(
        longtable("serve"), env=environment({**embedded, "http_port": "0"}), stdin=terminal, stderr=subprocess.PIPE
    )
    os.close(terminal)
    server = Server(popen)
    processes.started.append(server)
    server.event("started")
    worker = server.worker

    os.close(screen)
    server.signal(signal.SIGHUP)

    assert server.wait() == 0
    assert not is_alive(worker)


async def test_workers_that_cannot_be_replaced_go_on(processes: Processes, tmp_path: Path) -> None:
    options = tmp_path / "options.json"
    options.write_text("{}")
    server = processes.serve({"data_dir": str(tmp_path / "data"), "config_file": str(options)})
    before = server.worker
    options.write_text('{"max_notes": "few"}')

    server.signal(signal.SIGHUP)
    await asyncio.to_thread(server.event, "workers_not_replaced")

    async with wire_to(server.address) as wire:
        assert (await wire.sends("GET", "/health")).status == 200
    assert server.worker == before
    assert server.stop() == 0


async def test_new_workers_read_the_configuration_again(processes: Processes, tmp_path: Path) -> None:
    options = tmp_path / "options.json"
    options.write_text("{}")
    server = processes.serve({"data_dir": str(tmp_path / "data"), "config_file": str(options)})
    options.write_text('{"enable_metrics": true}')

    server.signal(signal.SIGHUP)
    await asyncio.to_thread(server.event, "worker_ended")

    async with wire_to(server.address) as wire:
        assert (await wire.sends("GET", "/metrics")).status == 200


async def test_every_metric_is_named_once_before_anything_is_counted(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "enable_metrics": "true"})

    async with wire_to(server.address) as wire:
        page = (await wire.sends("GET", "/metrics")).body.decode()

    named = [line.split()[2] for line in page.splitlines() if line.startswith("# TYPE ")]
    assert len(named) == len(set(named))
    assert set(named) >= {
        "longtable_tool_calls_total",
        "longtable_tool_seconds",
        "longtable_events_total",
        "longtable_gateway_calls_total",
        "longtable_store_commit_seconds",
    }


async def test_a_worker_that_dies_again_and_again_is_started_after_growing_pauses(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve(embedded)
    ends = time.monotonic() + PATIENCE
    for deaths in range(1, 4):
        await until(lambda: len(server.workers) == 1, within=PATIENCE)
        os.kill(server.worker, signal.SIGKILL)
        await until(lambda deaths=deaths: len(pids(server, "worker_died")) == deaths, within=PATIENCE)  # type: ignore[misc]
    assert time.monotonic() < ends

    pauses = [float(line.partition('"pause": ')[2].partition(",")[0]) for line in server.lines if "worker_died" in line]

    assert pauses == [0.0, 0.25, 0.5]
    assert server.stop() == 0
