"""From the start of a process to its first answer to tools/list over stdio: ours, and a bare server of the SDK."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Effort, Goal, Measure
from benchmarks.processes import Child, child

GOAL = Goal(1.3)
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
    mine, floor = [one.seconds for one in ours], [one.seconds for one in bare]
    group = "Start, stdio"
    return [
        Measure(group, "bare SDK server, median", median(floor) * 1000, "ms"),
        Measure(group, "bare SDK server, least", min(floor) * 1000, "ms"),
        Measure(group, "longtable, median", median(mine) * 1000, "ms", median(mine) / median(floor), "bare SDK", GOAL),
        Measure(group, "longtable, least", min(mine) * 1000, "ms", min(mine) / min(floor), "bare SDK", GOAL),
        Measure(group, "bare SDK server, memory", median(one.memory_mb for one in bare), "MB"),
        Measure(group, "longtable, memory", median(one.memory_mb for one in ours), "MB", goal=Goal(150)),
    ]


def _request(number: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
