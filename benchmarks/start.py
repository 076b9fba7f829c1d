"""From the start of a process to its first answer to tools/list over stdio: ours, and a bare server of the SDK."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Effort, Goal, Measure, movement
from benchmarks.processes import Child, child

GROUP = "Start, stdio"
GOAL = Goal(1.2)
BARE = ("-m", "benchmarks.bare_stdio")
VERSION = "2025-11-25"
_HELLO = {
    "protocolVersion": VERSION,
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


@dataclass(frozen=True, slots=True)
class Start:
    seconds: float
    cpu_seconds: float
    memory_mb: float
    errors: bytes
    """What the process wrote to stderr."""


def longtable_command(data_dir: Path) -> tuple[str, ...]:
    return ("-m", "longtable", "--data-dir", str(data_dir), "--log-level", "warning")


def start(command: Sequence[str], folder: Path) -> Start:
    """Starts, shakes hands, asks for the tools, stops."""
    began = time.perf_counter()
    with child(command, folder) as server:
        list_tools(server)
        seconds = time.perf_counter() - began
        used, memory = server.cpu_seconds(), server.memory_mb()
        server.requests.close()
        server.process.wait(10)
    return Start(seconds, used, memory, server.errors.read_bytes())


def list_tools(server: Child) -> list[dict[str, Any]]:
    server.request(_request(1, "initialize", _HELLO))
    server.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode())
    answer = json.loads(server.request(_request(2, "tools/list", {})))
    tools: list[dict[str, Any]] = answer["result"]["tools"]
    return tools


def compare_starts(folder: Path, times: int) -> tuple[list[Start], list[Start]]:
    """Ours and the bare ones, in turn, after one of each that compiles the code and makes the store."""
    ours = longtable_command(folder / "data")
    start(ours, folder)
    start(BARE, folder)
    pairs = [(start(ours, folder), start(BARE, folder)) for _ in range(times)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def measure_start(folder: Path, effort: Effort) -> list[Measure]:
    ours, bare = compare_starts(folder, effort.starts)
    return [
        *(row for name, of in (("median", median), ("least", min)) for row in _rows(name, of, ours, bare)),
        Measure(GROUP, "bare SDK server, memory", median(one.memory_mb for one in bare), "MB"),
        Measure(GROUP, "longtable, memory", median(one.memory_mb for one in ours), "MB", goal=Goal(150)),
    ]


def _rows(
    name: str, of: Callable[[Sequence[float]], float], ours: Sequence[Start], bare: Sequence[Start]
) -> tuple[Measure, Measure]:
    mine, floor = (of([one.seconds for one in starts]) * 1000 for starts in (ours, bare))
    mine_cpu, floor_cpu = (of([one.cpu_seconds for one in starts]) * 1000 for starts in (ours, bare))
    moved, cpu_moved = movement([one.seconds for one in bare]), movement([one.cpu_seconds for one in bare])
    return (
        Measure(GROUP, f"bare SDK server, {name}", floor, "ms", cpu_ms=floor_cpu),
        Measure(
            GROUP,
            f"longtable, {name}",
            mine,
            "ms",
            ratio=mine / floor,
            floor="bare SDK",
            goal=GOAL,
            cpu_ms=mine_cpu,
            cpu_ratio=mine_cpu / floor_cpu if floor_cpu else None,
            moved=moved,
            cpu_moved=cpu_moved,
        ),
    )


def _request(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
