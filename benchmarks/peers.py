"""Other servers at which agents share what they know, beside ours in the same rounds: `make bench-peers`.

Ours writes durably and audits every call; the floors here are what people use today, not what would be possible."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.gateway_peers import measure_gateway_peers
from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement
from benchmarks.peer_shared_context import SharedContext, shared_context
from benchmarks.preload import CONTENT
from benchmarks.processes import ROOT, Child, child, environment, program
from benchmarks.requests import messages, tool_call
from benchmarks.rounds import MeasuredOperation, MeasuredRound, RoundListener, Rounds, longtable_at, run_round
from benchmarks.start import list_tools, longtable_command

GROUP = "shared-context-server 1.1.10"
MEMORY_GROUP = "server-memory (npm), stdio"
MEMORY_SERVER = ROOT / ".tools/gateway/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
AGENTS = 20
PEER_CALLS = 400
"""What the peer is asked for to see it grow: with more it runs out of descriptors."""

MEMORY_GOAL, FILES_GOAL = Goal(0.5), Goal(2)
"""Kilobytes that a call may leave behind, and open files that all of them may: with less it is flat."""

CPU_GOAL = Goal(25, at_most=False)
THROUGHPUT_GOAL = Goal(60, at_most=False)
KEPT = 2_000
"""Texts that are there when a further one is added for the second time."""


def measure_peers(folder: Path, effort: Effort) -> list[Measure]:
    return [
        *measure_gateway_peers(folder / "gateways", effort),
        *_shared_context(folder / "shared-context", effort),
        *_memory(folder / "memory", effort),
    ]


# ------------------------------------------------------------------- over HTTP


def _shared_context(folder: Path, effort: Effort) -> list[Measure]:
    folder.mkdir()
    (folder / "ours").mkdir()
    with (
        shared_context(folder, AGENTS) as peer,
        longtable_at(folder / "ours" / "data") as ours,
        child(["-m", "benchmarks.client"], folder) as client,
    ):
        alone = [_compare(client, name, pair, 1, effort) for name, pair in _operations(peer, ours).items()]
        together = _compare(client, "add_message", _operations(peer, ours)["add_message"], AGENTS, effort)
        growth = [
            *_growth(client, "ours", ours, messages(ours.port), effort.lasting_calls),
            *_growth(client, "theirs", peer.listener, peer.messages(), effort.part_of(PEER_CALLS)),
        ]
    return [*(_cost(name, pair) for name, pair in alone), _throughput(together[1]), *growth]


def _operations(peer: SharedContext, ours: RoundListener) -> dict[str, tuple[MeasuredOperation, MeasuredOperation]]:
    return {
        "add_message": (
            MeasuredOperation("add_message", ours, messages(ours.port)),
            MeasuredOperation("add_message, theirs", peer.listener, peer.messages(), apart=True, may_fail=True),
        ),
        "get_messages, 50": (
            MeasuredOperation("get_messages", ours, [tool_call(ours.port, "get_messages", {"limit": 50})]),
            MeasuredOperation(
                "get_messages, theirs", peer.listener, peer.call("get_messages", session_id=peer.session_id, limit=50)
            ),
        ),
        "create_session": (
            MeasuredOperation("create_session", ours, [tool_call(ours.port, "create_session", {"purpose": "speed"})]),
            MeasuredOperation("create_session, theirs", peer.listener, peer.call("create_session", purpose="speed")),
        ),
    }


Pair = tuple[Rounds, Rounds]


def _compare(
    client: Child, name: str, pair: tuple[MeasuredOperation, MeasuredOperation], clients: int, effort: Effort
) -> tuple[str, Pair]:
    """In turns: what disturbs one of them disturbs the other."""
    seen = (Rounds(), Rounds())
    for operation in pair:
        run_round(client, operation, clients, effort.seconds)
    for number in range(effort.rounds):
        for rounds, operation in zip(seen, pair, strict=True):
            rounds.all.append(run_round(client, operation, clients, effort.seconds, number))
    return name, seen


def _cost(name: str, pair: Pair) -> Measure:
    ours, theirs = pair
    return Measure(
        GROUP,
        f"{name}: their CPU / ours",
        median(ours.p50),
        "ms",
        ratio=median_ratio(theirs.cpu_ms, ours.cpu_ms),
        floor=f"ours; p50 {median(theirs.p50):.1f} ms",
        goal=CPU_GOAL if name == "add_message" else None,
        cpu_ms=median(ours.cpu_ms),
        moved=movement(theirs.cpu_ms),
        second_ratio=median_ratio(theirs.p50, ours.p50),
        second_floor="in p50",
    )


def _throughput(pair: Pair) -> Measure:
    ours, theirs = pair
    return Measure(
        GROUP,
        f"add_message, {AGENTS} agents",
        median(ours.per_second),
        "calls/s",
        ratio=median_ratio(ours.per_second, theirs.per_second),
        floor=f"theirs ({median(theirs.per_second):.0f}/s, {_failed(theirs):.0%} failed)",
        goal=THROUGHPUT_GOAL,
        p95=median(ours.p95),
        cpu_ms=median(ours.cpu_ms),
        moved=movement(theirs.per_second),
    )


def _failed(rounds: Rounds) -> float:
    return sum(one.failed for one in rounds.all) / len(rounds.all)


def _growth(client: Child, whose: str, listener: RoundListener, requests: list[str], calls: int) -> list[Measure]:
    """Of memory and descriptors over many calls, after as many again to warm up."""
    each = max(1, calls // AGENTS)
    load = MeasuredOperation(
        f"add_message, {whose}", listener, requests, calls=each, apart=True, may_fail=whose == "theirs"
    )
    run_round(client, load, AGENTS, 600)
    memory, descriptors = listener.server.memory_mb(), listener.server.descriptors()
    run_round(client, load, AGENTS, 600)
    grown = listener.server.memory_mb() - memory
    name = f"{whose}: after {each * AGENTS:,} more calls"
    files = listener.server.descriptors() - descriptors
    memory_goal, files_goal = (MEMORY_GOAL, FILES_GOAL) if whose == "ours" else (None, None)
    return [
        Measure(GROUP, f"{name}, memory of each", grown * 1_000 / (each * AGENTS), "kB", goal=memory_goal),
        Measure(GROUP, f"{name}, open files", files, "more", goal=files_goal),
    ]


# ------------------------------------------------------------------ over stdio


@dataclass(frozen=True)
class _StdioTool:
    server: Child
    name: str
    arguments: Callable[[int], dict[str, Any]]

    def call(self, first: int, calls: int) -> MeasuredRound:
        taken = []
        used = self.server.cpu_seconds()
        for number in range(first, first + calls):
            params = {"name": self.name, "arguments": self.arguments(number)}
            request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
            began = time.perf_counter()
            self.server.send(json.dumps(request).encode())
            answer = self._answer(number)
            taken.append((time.perf_counter() - began) * 1000)
            if "error" in answer or answer["result"].get("isError"):
                raise RuntimeError(f"{self.name} failed: {answer}")
        return MeasuredRound.of(taken, cpu_ms=(self.server.cpu_seconds() - used) * 1000 / calls)

    def _answer(self, number: int) -> dict[str, Any]:
        while True:
            line: dict[str, Any] = json.loads(self.server.next_line())
            if line.get("id") == number:
                return line


def _memory(folder: Path, effort: Effort) -> list[Measure]:
    """A server that keeps its graph in one JSON file, beside notes with the same texts."""
    folder.mkdir()
    variables = {**environment(os.environ), "MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
    with (
        program(["node", str(MEMORY_SERVER)], folder, variables) as theirs,
        child(longtable_command(folder / "data"), folder) as ours,
    ):
        list_tools(theirs)
        list_tools(ours)
        pair = (_StdioTool(ours, "add_note", _note), _StdioTool(theirs, "create_entities", _entity))
        return [_one_more(pair, kept, effort) for kept in (effort.calls, effort.part_of(KEPT))]


def _one_more(pair: tuple[_StdioTool, _StdioTool], kept: int, effort: Effort) -> Measure:
    """Once there are `kept` more texts."""
    first = 1_000_000 * (1 + kept)
    seen = (Rounds(), Rounds())
    for tool in pair:
        tool.call(first, kept)
    for number in range(effort.rounds):
        for rounds, tool in zip(seen, pair, strict=True):
            rounds.all.append(tool.call(first + kept + number * effort.calls, effort.calls))
    ours, theirs = seen
    return Measure(
        MEMORY_GROUP,
        f"one text more to {kept:,}",
        median(ours.p50),
        "ms",
        ratio=median_ratio(ours.p50, theirs.p50),
        floor=f"theirs ({median(theirs.p50):.2f} ms, {median(theirs.cpu_ms):.2f} ms CPU)",
        cpu_ms=median(ours.cpu_ms),
    )


def _entity(number: int) -> dict[str, Any]:
    return {"entities": [{"name": f"note {number}", "entityType": "note", "observations": [_text(number)]}]}


def _note(number: int) -> dict[str, Any]:
    return {"content": _text(number)}


def _text(number: int) -> str:
    return CONTENT.format(number=number)
