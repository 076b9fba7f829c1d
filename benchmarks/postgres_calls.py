"""The same calls on PostgreSQL and on SQLite, with the processor time of the database counted too."""

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import asyncpg

from benchmarks.commits import postgres_address
from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement
from benchmarks.preload import CELL
from benchmarks.processes import Child, child, cpu_seconds_of
from benchmarks.requests import messages, tool_call, writes
from benchmarks.rounds import MeasuredOperation, RoundListener, Rounds, longtable_at, run_round

WRITERS = 16
WRITE_GOAL = Goal(2.0)
WRITES = ("add_note", "add_message", "scratch_append_cell")
SQLITE, POSTGRES, EMBEDDED = "SQLite", "PostgreSQL", "sqlite"


@dataclass(frozen=True, slots=True)
class DatabaseServer:
    """The processes of a PostgreSQL on this machine; nothing is counted for one that is elsewhere."""

    postmaster: int

    def cpu_seconds(self) -> float:
        return sum(cpu_seconds_of(pid) for pid in self._pids())

    def _pids(self) -> Iterable[int]:
        for folder in Path("/proc").glob("[0-9]*"):
            if _parent_of(int(folder.name)) == self.postmaster:
                yield int(folder.name)


def measure_postgres(folder: Path, effort: Effort) -> list[Measure]:
    """Nothing where there is no PostgreSQL to start."""
    return asyncio.run(_measure(folder, effort))


async def _measure(folder: Path, effort: Effort) -> list[Measure]:
    async with postgres_address() as address:
        if address is None:
            return []
        database = await _database_server(address)
        return await asyncio.to_thread(_compare, folder, effort, address, database)


def _compare(folder: Path, effort: Effort, address: str, database: DatabaseServer | None) -> list[Measure]:
    with ExitStack() as stack:
        servers = {}
        for name, store in ((SQLITE, EMBEDDED), (POSTGRES, address)):
            data_dir = folder / name / "data"
            data_dir.parent.mkdir()
            started = stack.enter_context(longtable_at(data_dir, enable_semantic_search=effort.embeds, store=store))
            servers[name] = RoundListener(started.server, started.port, None if name == SQLITE else database)
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        for server in servers.values():
            pad = tool_call(server.port, "scratch_create", {"scratch_id": "pad", "cells": [CELL]})
            run_round(client, MeasuredOperation("scratch_create", server, [pad], calls=1), 1, 60)
        measures = []
        for clients in (1, WRITERS):
            seen = _take(client, {name: _operations(server) for name, server in servers.items()}, clients, effort)
            measures += [_row(name, rounds, seen[SQLITE][name], clients) for name, rounds in seen[POSTGRES].items()]
    return measures


def _operations(server: RoundListener) -> list[MeasuredOperation]:
    appended = tool_call(server.port, "scratch_append_cell", {"scratch_id": "pad", "cell": CELL})
    requests = (writes(server.port), messages(server.port), [appended])
    reads = [tool_call(server.port, tool, {"limit": 50}) for tool in ("read_notes", "get_messages")]
    return [
        *(MeasuredOperation(name, server, some) for name, some in zip(WRITES, requests, strict=True)),
        MeasuredOperation("read_notes, 50", server, reads[:1]),
        MeasuredOperation("get_messages, 50", server, reads[1:]),
    ]


def _take(
    client: Child, operations: Mapping[str, Sequence[MeasuredOperation]], clients: int, effort: Effort
) -> dict[str, dict[str, Rounds]]:
    """Each call on one store and then on the other."""
    seen = {name: {one.name: Rounds() for one in some} for name, some in operations.items()}
    for number in range(effort.rounds + 1):
        for pair in zip(*operations.values(), strict=True):
            for name, operation in zip(operations, pair, strict=True):
                one = run_round(client, operation, clients, effort.seconds / 2)
                # The first round warms up.
                if number:
                    seen[name][operation.name].all.append(one)
    return seen


def _row(name: str, rounds: Rounds, floor: Rounds, clients: int) -> Measure:
    return Measure(
        f"{POSTGRES}, {clients} client{'s' if clients > 1 else ''}, server and database",
        f"{name}, CPU",
        median(rounds.cpu_ms),
        "ms CPU",
        ratio=median_ratio(rounds.cpu_ms, floor.cpu_ms),
        floor=SQLITE,
        goal=WRITE_GOAL if name in WRITES else None,
        cpu_ms=median(rounds.cpu_ms),
        moved=movement(floor.cpu_ms),
        second_ratio=rounds.over(floor).ratio,
        second_floor=f"{SQLITE}'s p50",
    )


async def _database_server(address: str) -> DatabaseServer | None:
    connection = await asyncpg.connect(address)
    try:
        # While the connection is open: its process ends with it.
        postmaster = _parent_of(int(await connection.fetchval("SELECT pg_backend_pid()")))
    finally:
        await connection.close()
    return None if postmaster in (0, 1, os.getpid()) else DatabaseServer(postmaster)


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
