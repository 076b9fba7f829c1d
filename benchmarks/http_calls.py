"""Tool calls over HTTP, with one client and with fifty, against what any call costs here."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median

from benchmarks.commits import BareCommits
from benchmarks.measure import Effort, Goal, Measure, median_ratio
from benchmarks.preload import preload
from benchmarks.processes import child
from benchmarks.requests import post, tool_call, writes
from benchmarks.rounds import COMMIT, Listener, Operation, Rounds, listening, longtable_at, take_rounds

MANY_CLIENTS = 50
LATENCY_GOAL = Goal(1.5)
THROUGHPUT_GOAL = Goal(0.6, at_most=False)
NO_OP = "no-op tool"
SAME_BYTES = "no-op, same bytes"
WRITE_FLOOR = f"no-op + {COMMIT}"
ADD, FIFTY, TEN = "add_note", "read_notes, 50", "read_notes, 10"


def measure_http(folder: Path, effort: Effort) -> list[Measure]:
    data_dir = folder / "http" / "data"
    asyncio.run(preload(data_dir, effort.few))
    with ExitStack() as stack:
        bare = stack.enter_context(listening(["-m", "benchmarks.serve_bare"], folder))
        ours = stack.enter_context(longtable_at(data_dir))
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        commits = stack.enter_context(closing(BareCommits(folder / "http" / "bare.db")))
        memory = Measure("Memory", "longtable serve, idle", ours.server.memory_mb(), "MB", goal=Goal(150))
        operations = _operations(bare, ours)
        alone = take_rounds(client, operations, 1, effort, commits)
        mixed = Operation("mixed: add, read", ours, _mixed(ours.port))
        together = take_rounds(client, [*operations, mixed], MANY_CLIENTS, effort)
    return [*_latencies(alone), *_throughputs(together), memory]


def _operations(bare: Listener, ours: Listener) -> list[Operation]:
    """A no-op that answers the same bytes as a read stands right behind it: it repeats the last answer."""
    same = [tool_call(ours.port, "no_op_like", {"tool": "read_notes"})]
    return [
        Operation("Starlette route", bare, [post("/floor", bare.port, '{"n": 1}', {})]),
        Operation("bare SDK tool", bare, [tool_call(bare.port, "one", {"text": "x"})]),
        Operation(NO_OP, ours, [tool_call(ours.port, "no_op")]),
        Operation(ADD, ours, writes(ours.port)),
        Operation(FIFTY, ours, [tool_call(ours.port, "read_notes", {"limit": 50})]),
        Operation(f"{SAME_BYTES} as {FIFTY}", ours, same),
        Operation(TEN, ours, [tool_call(ours.port, "read_notes", {"limit": 10})]),
        Operation(f"{SAME_BYTES} as {TEN}", ours, same),
    ]


def _mixed(port: int) -> list[str]:
    read = tool_call(port, "read_notes", {"limit": 50})
    return [request for write in writes(port) for request in (write, read)]


def _latencies(seen: Mapping[str, Rounds]) -> list[Measure]:
    return [
        latency("HTTP, 1 client", name, rounds, seen[NO_OP], fair=_fair(name, seen))
        for name, rounds in seen.items()
        if name != COMMIT
    ]


def _fair(name: str, seen: Mapping[str, Rounds]) -> tuple[float, str] | None:
    if name == ADD:
        return seen[name].over(seen[NO_OP], seen[COMMIT]), WRITE_FLOOR
    if name in (FIFTY, TEN):
        return seen[name].over(seen[f"{SAME_BYTES} as {name}"]), SAME_BYTES
    return None


def latency(group: str, name: str, rounds: Rounds, floor: Rounds, fair: tuple[float, str] | None) -> Measure:
    """A row of the table. What has a floor of its own has the project's goal too."""
    return Measure(
        group,
        name,
        median(rounds.p50),
        "ms",
        ratio=rounds.over(floor),
        floor=NO_OP,
        goal=LATENCY_GOAL if fair else None,
        p95=median(rounds.p95),
        cpu_ms=median(rounds.cpu_ms),
        fair=fair[0] if fair else None,
        fair_floor=fair[1] if fair else "",
    )


def _throughputs(seen: Mapping[str, Rounds]) -> list[Measure]:
    floor = seen[NO_OP]
    return [
        Measure(
            f"HTTP, {MANY_CLIENTS} clients",
            name,
            median(rounds.per_second),
            "calls/s",
            ratio=median_ratio(rounds.per_second, floor.per_second),
            floor=NO_OP,
            goal=THROUGHPUT_GOAL if "mixed" in name else None,
            p95=median(rounds.p95),
            cpu_ms=median(rounds.cpu_ms),
        )
        for name, rounds in seen.items()
    ]
