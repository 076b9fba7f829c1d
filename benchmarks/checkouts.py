"""Two checkouts in one run, call by call in turn: what a change costs or saves, in processor time of the server."""

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

from benchmarks.http_calls import MANY_CLIENTS, MIXED, latency, mixed
from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement
from benchmarks.preload import CELL, RARE_WORD, tasks
from benchmarks.processes import Child, child
from benchmarks.requests import messages, tool_call, writes
from benchmarks.rounds import MeasuredOperation, RoundListener, Rounds, longtable_at, run_round

SHORTER = 3
"""So many times as many rounds as elsewhere, each as much shorter: a ratio of processor times needs many pairs."""

BEFORE = ", before"
GOAL = Goal(1.1)
"""A call that costs a tenth more than before has become slower."""


def measure_checkouts(folder: Path, effort: Effort, before: Path, after: Path) -> list[Measure]:
    """Every store begins empty and grows alike: an earlier version could not open one that a later one has made."""
    with ExitStack() as stack:
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        servers: dict[str, RoundListener] = {}
        for when, checkout in ((BEFORE, before), ("", after)):
            data_dir = folder / f"checkout{len(servers)}" / "data"
            data_dir.parent.mkdir()
            servers[when] = stack.enter_context(longtable_at(data_dir, checkout, enable_semantic_search=effort.embeds))
            _lay(client, servers[when])
        operations = [one for when, server in servers.items() for one in _operations(server, when)]
        alone = _take(client, operations, 1, effort)
        mixes = [MeasuredOperation(MIXED + when, server, mixed(server.port)) for when, server in servers.items()]
        together = _take(client, mixes, MANY_CLIENTS, effort)
    return [*_alone(alone), _together(together)]


def _lay(client: Child, server: RoundListener) -> None:
    """By requests, which any version understands."""
    pad: dict[str, object] = {"scratch_id": "pad", "cells": [CELL]}
    once: dict[str, dict[str, object]] = {"scratch_create": pad, "add_tasks": {"tasks": tasks(range(100))}}
    for tool, arguments in once.items():
        run_round(client, MeasuredOperation(tool, server, [tool_call(server.port, tool, arguments)], calls=1), 1, 60)
    for some in (writes(server.port), messages(server.port)):
        run_round(client, MeasuredOperation("texts", server, some, calls=len(some)), 1, 60)


def _operations(server: RoundListener, when: str) -> list[MeasuredOperation]:
    calls: dict[str, tuple[str, dict[str, object]]] = {
        "no-op tool": ("no_op", {}),
        "scratch_append_cell": ("scratch_append_cell", {"scratch_id": "pad", "cell": CELL}),
        "get_messages, 50": ("get_messages", {"limit": 50}),
        "read_notes, 50": ("read_notes", {"limit": 50}),
        "read_plan, 100 tasks": ("read_plan", {}),
        "search_context, an absent word": ("search_context", {"query": RARE_WORD, "mode": "keyword"}),
    }
    requests = {name: [tool_call(server.port, tool, arguments)] for name, (tool, arguments) in calls.items()}
    requests |= {"add_note": writes(server.port), "add_message": messages(server.port)}
    return [MeasuredOperation(name + when, server, some) for name, some in requests.items()]


def _take(client: Child, operations: Sequence[MeasuredOperation], clients: int, effort: Effort) -> dict[str, Rounds]:
    """In another order each round: what one leaves behind for the next, it leaves to each of the others too."""
    seen = {operation.name: Rounds() for operation in operations}
    chance = random.Random(1)
    for operation in operations:
        run_round(client, operation, clients, effort.seconds)
    for number in range(effort.rounds * SHORTER):
        for operation in chance.sample(operations, len(operations)):
            seen[operation.name].all.append(run_round(client, operation, clients, effort.seconds / SHORTER, number))
    return seen


def _alone(seen: Mapping[str, Rounds]) -> list[Measure]:
    return [
        replace(latency("Checkouts, 1 client", name, rounds, rounds.over(seen[name + BEFORE]), "before"), goal=GOAL)
        for name, rounds in seen.items()
        if not name.endswith(BEFORE)
    ]


def _together(seen: Mapping[str, Rounds]) -> Measure:
    now, earlier = seen[MIXED], seen[MIXED + BEFORE]
    return Measure(
        f"Checkouts, {MANY_CLIENTS} clients",
        MIXED,
        median(now.per_second),
        "calls/s",
        ratio=median_ratio(now.per_second, earlier.per_second),
        floor="before",
        p95=median(now.p95),
        cpu_ms=median(now.cpu_ms),
        cpu_ratio=median_ratio(now.cpu_ms, earlier.cpu_ms),
        moved=movement(earlier.per_second),
        cpu_moved=movement(earlier.cpu_ms),
    )
