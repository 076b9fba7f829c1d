"""Tool calls over HTTP, stateless JSON of revision 2026-07-28: one client, fifty, and a hundredfold of notes."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from benchmarks.client import Answers, Load
from benchmarks.measure import Effort, Goal, Measure, median_ratio, percentile
from benchmarks.preload import CONTENT, preload
from benchmarks.processes import Child, child

VERSION = "2026-07-28"
MANY_CLIENTS = 50
LATENCY_GOAL = Goal(1.5)
THROUGHPUT_GOAL = Goal(0.6, at_most=False)
NO_OP = "no-op tool"
SLOW_MS = 1000
"""What takes longer is looked at once: the run has to end."""


@dataclass(frozen=True, slots=True)
class Listener:
    server: Child
    port: int


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    listener: Listener
    requests: list[str]


@dataclass(frozen=True, slots=True)
class Round:
    p50: float
    p95: float
    per_second: float
    cpu_ms: float


@dataclass(slots=True)
class Rounds:
    """What was seen of one operation, a round at a time."""

    all: list[Round] = field(default_factory=list)

    @property
    def p50(self) -> list[float]:
        return [one.p50 for one in self.all]

    @property
    def p95(self) -> list[float]:
        return [one.p95 for one in self.all]

    @property
    def per_second(self) -> list[float]:
        return [one.per_second for one in self.all]

    @property
    def cpu_ms(self) -> list[float]:
        return [one.cpu_ms for one in self.all]


def post(path: str, port: int, body: str, headers: Mapping[str, str]) -> str:
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body.encode())}", "", body]
    return "\r\n".join(lines)


def tool_call(port: int, name: str, **arguments: object) -> str:
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
    }
    return post("/mcp", port, body, headers)


def writes(port: int) -> list[str]:
    return [
        tool_call(port, "add_note", content=CONTENT.format(number=number), tags=["importer", "speed"])
        for number in range(64)
    ]


@contextmanager
def listening(module: Sequence[str], folder: Path) -> Iterator[Listener]:
    with child(module, folder) as server:
        address = server.next_line().decode().strip()
        yield Listener(server, urlsplit(address).port or 0)


@contextmanager
def longtable_with(notes: int, folder: Path) -> Iterator[Listener]:
    folder.mkdir(exist_ok=True)
    data_dir = folder / f"notes-{notes}"
    asyncio.run(preload(data_dir, notes))
    with listening(["-m", "benchmarks.serve_longtable", str(data_dir)], folder) as listener:
        yield listener


def measure_http(folder: Path, effort: Effort) -> list[Measure]:
    with ExitStack() as stack:
        bare = stack.enter_context(listening(["-m", "benchmarks.serve_bare"], folder))
        ours = stack.enter_context(longtable_with(effort.few_notes, folder))
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        memory = Measure("Memory", "longtable serve, idle", ours.server.memory_mb(), "MB", goal=Goal(150))
        operations = _operations(bare, ours)
        alone = take_rounds(client, operations, 1, effort)
        mixed = Operation("mixed: add, read", ours, _mixed(ours.port))
        together = take_rounds(client, [*operations, mixed], MANY_CLIENTS, effort)
    return [*_latencies(alone), *_throughputs(together), memory]


def take_rounds(client: Child, operations: Sequence[Operation], clients: int, effort: Effort) -> dict[str, Rounds]:
    """All operations in turn, again and again, so that a busy machine is as unkind to one as to the other."""
    tried = [_run(client, operation, clients, effort.seconds / 4) for operation in operations]
    seen = {operation.name: Rounds() for operation in operations}
    for _ in range(1 if max(one.p50 for one in tried) > SLOW_MS else effort.rounds):
        for operation in operations:
            seen[operation.name].all.append(_run(client, operation, clients, effort.seconds))
    return seen


def _run(client: Child, operation: Operation, clients: int, seconds: float) -> Round:
    load = Load(operation.listener.port, operation.requests, clients, seconds)
    before = operation.listener.server.cpu_seconds()
    answers = Answers(**json.loads(client.ask(json.dumps(asdict(load)).encode())))
    used = operation.listener.server.cpu_seconds() - before
    count = len(answers.latencies_ms)
    if answers.failed or not count:
        raise RuntimeError(f"{operation.name}: {answers.failed} of {answers.failed + count} calls failed")
    return Round(
        p50=percentile(answers.latencies_ms, 0.5),
        p95=percentile(answers.latencies_ms, 0.95),
        per_second=count / answers.seconds,
        cpu_ms=used * 1000 / count,
    )


def _operations(bare: Listener, ours: Listener) -> list[Operation]:
    return [
        Operation("Starlette route", bare, [post("/floor", bare.port, '{"n": 1}', {})]),
        Operation("bare SDK tool", bare, [tool_call(bare.port, "one", text="x")]),
        Operation(NO_OP, ours, [tool_call(ours.port, "no_op")]),
        Operation("add_note", ours, writes(ours.port)),
        Operation("read_notes, 50", ours, [tool_call(ours.port, "read_notes", limit=50)]),
        Operation("no-op, answers 50 notes", ours, [tool_call(ours.port, "no_op_page")]),
        Operation("read_notes, 10", ours, [tool_call(ours.port, "read_notes", limit=10)]),
    ]


def _mixed(port: int) -> list[str]:
    read = tool_call(port, "read_notes", limit=50)
    return [request for write in writes(port) for request in (write, read)]


def _latencies(seen: dict[str, Rounds]) -> list[Measure]:
    group, floor = "HTTP, 1 client", seen[NO_OP]
    measures = []
    for name, rounds in seen.items():
        goal = LATENCY_GOAL if "_note" in name else None
        ratio = median_ratio(rounds.p50, floor.p50)
        measures += [
            Measure(group, f"{name}, p50", median(rounds.p50), "ms", ratio, NO_OP, goal),
            Measure(group, f"{name}, p95", median(rounds.p95), "ms", median_ratio(rounds.p95, floor.p95), NO_OP),
            _cpu(group, name, rounds, floor),
        ]
    return measures


def _throughputs(seen: dict[str, Rounds]) -> list[Measure]:
    group, floor = f"HTTP, {MANY_CLIENTS} clients", seen[NO_OP]
    measures = []
    for name, rounds in seen.items():
        goal = THROUGHPUT_GOAL if "mixed" in name else None
        ratio = median_ratio(rounds.per_second, floor.per_second)
        measures += [
            Measure(group, name, median(rounds.per_second), "calls/s", ratio, NO_OP, goal),
            _cpu(group, name, rounds, floor),
        ]
    return measures


def _cpu(group: str, name: str, rounds: Rounds, floor: Rounds) -> Measure:
    # The clock of /proc ticks a hundred times a second: a short round of a fast server may show nothing.
    ratio = median(rounds.cpu_ms) / median(floor.cpu_ms) if median(floor.cpu_ms) else None
    return Measure(group, f"{name}, server CPU", median(rounds.cpu_ms), "ms/call", ratio, NO_OP if ratio else "")
