"""Tool calls over HTTP, with one client and with fifty, against what any call costs here."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.commits import BareCommits
from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement
from benchmarks.preload import CELL, PLAN, add_messages, add_notes, add_tasks, call_tool
from benchmarks.processes import child
from benchmarks.requests import messages, post, tool_call, writes
from benchmarks.rounds import (
    COMMIT,
    Comparison,
    MeasuredOperation,
    RoundListener,
    Rounds,
    listening,
    longtable_at,
    take_rounds,
)
from benchmarks.serve_longtable import settings_for
from longtable.app import open_app
from longtable.server.serve import DEFAULT_PROJECT

ALONE, MANY_CLIENTS = "HTTP, 1 client", 50
WRITE_GOAL, READ_GOAL, OTHER_GOAL = Goal(1.6), Goal(1.3), Goal(1.5)
"""Of a write to the no-op tool and a bare commit; of a page of fifty, and of another read, to the same bytes."""

NO_OP_GOAL, NO_OP_THROUGHPUT_GOAL = Goal(0.9), Goal(1.2, at_most=False)
"""Of our tool that does nothing to a bare one of the SDK."""

THROUGHPUT_GOAL, SPREAD_GOAL = Goal(0.7, at_most=False), Goal(4)
ROUTE, BARE, NO_OP, MIXED = "Starlette route", "bare SDK tool", "no-op tool", "mixed: add, read"
SAME_BYTES = "no-op, same bytes"
WRITE_FLOOR = f"no-op + {COMMIT}"
PADS = 64
"""Scratchpads that are appended to in turn, so that each stays short."""

WRITES = ("add_note", "add_message", "scratch_append_cell")
READS: Mapping[str, tuple[str, dict[str, object], Goal]] = {
    "read_notes, 50": ("read_notes", {"limit": 50}, READ_GOAL),
    "read_notes, 10": ("read_notes", {"limit": 10}, READ_GOAL),
    "get_messages, 50": ("get_messages", {"limit": 50}, READ_GOAL),
    "read_plan, 200 tasks": ("read_plan", {}, OTHER_GOAL),
}
TOGETHER = (ROUTE, BARE, NO_OP, "add_note", "read_notes, 50", MIXED)


def measure_http(folder: Path, effort: Effort) -> list[Measure]:
    data_dir = folder / "http" / "data"
    pads = [f"pad{number}" for number in range(effort.part_of(PADS))]
    asyncio.run(_lay(data_dir, effort, pads))
    with ExitStack() as stack:
        bare = stack.enter_context(listening(["-m", "benchmarks.serve_bare"], folder))
        ours = stack.enter_context(longtable_at(data_dir, enable_semantic_search=effort.embeds))
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        commits = stack.enter_context(closing(BareCommits(folder / "http" / "bare.db")))
        memory = Measure("Memory", "longtable serve, idle", ours.server.memory_mb(), "MB", goal=Goal(150))
        operations = [
            *_floors(bare, ours),
            *_writes(ours, pads),
            MeasuredOperation(MIXED, ours, mixed(ours.port)),
            *_reads(ours),
        ]
        alone = take_rounds(client, operations, 1, effort, commits)
        some = [operation for operation in operations if operation.name in TOGETHER]
        together = take_rounds(client, some, MANY_CLIENTS, effort)
    return [*_latencies(alone), _fresh_page(alone), *_throughputs(together), _spread(together), memory]


async def _lay(data_dir: Path, effort: Effort, pads: Sequence[str]) -> None:
    async with open_app(settings_for(data_dir, effort.embeds), DEFAULT_PROJECT) as app:
        session_id = await add_notes(app, effort.few)
        await add_messages(app, session_id, effort.few)
        await add_tasks(app, session_id, effort.part_of(PLAN))
        for pad in pads:
            await call_tool(app, "scratch_create", scratch_id=pad, cells=[CELL])


def _floors(bare: RoundListener, ours: RoundListener) -> list[MeasuredOperation]:
    return [
        MeasuredOperation(ROUTE, bare, [post("/floor", bare.port, '{"n": 1}', {})]),
        MeasuredOperation(BARE, bare, [tool_call(bare.port, "one", {"text": "x"})]),
        MeasuredOperation(NO_OP, ours, [tool_call(ours.port, "no_op")]),
    ]


def _writes(ours: RoundListener, pads: Sequence[str]) -> list[MeasuredOperation]:
    appended = [tool_call(ours.port, "scratch_append_cell", {"scratch_id": pad, "cell": CELL}) for pad in pads]
    requests = (writes(ours.port), messages(ours.port), appended)
    return [MeasuredOperation(name, ours, some) for name, some in zip(WRITES, requests, strict=True)]


def _reads(ours: RoundListener) -> list[MeasuredOperation]:
    """A no-op that answers the same bytes as a read stands right behind it: it repeats the last answer."""
    operations = []
    for name, (tool, arguments, _) in READS.items():
        operations.append(MeasuredOperation(name, ours, [tool_call(ours.port, tool, arguments)]))
        same = tool_call(ours.port, "no_op_like", {"tool": tool})
        operations.append(MeasuredOperation(_same_bytes(name), ours, [same]))
    return operations


def _same_bytes(name: str) -> str:
    return f"{SAME_BYTES} as {name}"


def mixed(port: int) -> list[str]:
    read = tool_call(port, "read_notes", {"limit": 50})
    return [request for write in writes(port) for request in (write, read)]


def _latencies(seen: Mapping[str, Rounds]) -> list[Measure]:
    measures = []
    for name, rounds in seen.items():
        if name in WRITES:
            row = latency(ALONE, name, rounds, rounds.over(seen[NO_OP], seen[COMMIT]), WRITE_FLOOR)
            measures.append(judged(row, WRITE_GOAL, rounds.over(seen[NO_OP])))
        elif name in READS:
            row = latency(ALONE, name, rounds, rounds.over(seen[_same_bytes(name)]), SAME_BYTES)
            measures.append(judged(row, READS[name][2], rounds.over(seen[NO_OP])))
        elif name == NO_OP:
            row = latency(ALONE, name, rounds, rounds.over(seen[BARE]), BARE)
            measures.append(replace(row, goal=NO_OP_GOAL))
        else:
            measures.append(latency(ALONE, name, rounds, rounds.over(seen[NO_OP]), NO_OP))
    return measures


def _fresh_page(seen: Mapping[str, Rounds]) -> Measure:
    """A page that was not read since the session changed, from rounds of one write and one read in turn."""
    pairs = zip(seen[MIXED].cpu_ms, seen["add_note"].cpu_ms, strict=True)
    cpu_ms, floor = [2 * both - write for both, write in pairs], seen[_same_bytes("read_notes, 50")].cpu_ms
    return Measure(
        ALONE,
        "read_notes, 50, after a write, CPU",
        median(cpu_ms),
        "ms CPU",
        ratio=median_ratio(cpu_ms, floor),
        floor=SAME_BYTES,
        goal=READ_GOAL,
        cpu_ms=median(cpu_ms),
        moved=movement(floor),
    )


def latency(group: str, name: str, rounds: Rounds, compared: Comparison, floor: str) -> Measure:
    """A row of the table."""
    return Measure(
        group,
        name,
        median(rounds.p50),
        "ms",
        ratio=compared.ratio,
        floor=floor,
        p95=median(rounds.p95),
        cpu_ms=median(rounds.cpu_ms),
        cpu_ratio=compared.cpu_ratio,
        moved=compared.moved,
        cpu_moved=compared.cpu_moved,
    )


def judged(row: Measure, goal: Goal, to_no_op: Comparison) -> Measure:
    """A row with a goal, which is shown beside the no-op tool too."""
    return replace(row, goal=goal, second_ratio=to_no_op.ratio, second_floor=NO_OP)


def _throughputs(seen: Mapping[str, Rounds]) -> list[Measure]:
    goals = {MIXED: THROUGHPUT_GOAL, NO_OP: NO_OP_THROUGHPUT_GOAL}
    return [
        _throughput(name, rounds, BARE if name == NO_OP else NO_OP, seen, goals.get(name))
        for name, rounds in seen.items()
    ]


def _throughput(name: str, rounds: Rounds, floor: str, seen: Mapping[str, Rounds], goal: Goal | None) -> Measure:
    return Measure(
        f"HTTP, {MANY_CLIENTS} clients",
        name,
        median(rounds.per_second),
        "calls/s",
        ratio=median_ratio(rounds.per_second, seen[floor].per_second),
        floor=floor,
        goal=goal,
        p95=median(rounds.p95),
        cpu_ms=median(rounds.cpu_ms),
        moved=movement(seen[floor].per_second),
    )


def _spread(seen: Mapping[str, Rounds]) -> Measure:
    mixed = seen[MIXED]
    return Measure(
        f"HTTP, {MANY_CLIENTS} clients",
        f"{MIXED}, p95",
        median(mixed.p95),
        "ms",
        ratio=median_ratio(mixed.p95, mixed.p50),
        floor="its p50",
        goal=SPREAD_GOAL,
        cpu_ms=median(mixed.cpu_ms),
        moved=movement(seen[NO_OP].p50),
    )
