"""Processor time of the server for a call: ours beside a bare SDK server's, and beside an earlier version of ours."""

import random
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.measure import Effort, Goal, Measure, median_ratio
from benchmarks.processes import Child, child
from benchmarks.requests import messages, tool_call, writes
from benchmarks.rounds import Listener, Operation, Rounds, listening, longtable_at, run_round

MANY_CLIENTS = 50
SHORTER = 3
"""So many times as many rounds as elsewhere, each as much shorter: a ratio of processor times needs many pairs."""

BARE, NO_OP, ADD_MESSAGE = "bare SDK tool", "no-op tool", "add_message"
BEFORE = ", before"
GOALS = {NO_OP: Goal(0.9), ADD_MESSAGE: Goal(0.6)}
"""The no-op tool's is about the bare one's, that of add_message about the same call before."""
THROUGHPUT_GOAL = Goal(1.2, at_most=False)


def measure_cpu(folder: Path, effort: Effort) -> list[Measure]:
    """Every store begins empty and grows alike: an earlier version could not open one that a later one has made."""
    own, earlier = folder / "cpu" / "data", folder / "cpu-before" / "data"
    for data_dir in (own, earlier):
        data_dir.parent.mkdir()
    with ExitStack() as stack:
        bare = stack.enter_context(listening(["-m", "benchmarks.serve_bare"], folder))
        operations = [Operation(BARE, bare, [tool_call(bare.port, "one", {"text": "x"})])]
        operations += _of_ours(stack.enter_context(longtable_at(own)), "")
        if effort.before is not None:
            operations += _of_ours(stack.enter_context(longtable_at(earlier, effort.before)), BEFORE)
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        alone = _take(client, operations, 1, effort)
        no_ops = [operation for operation in operations if operation.name.startswith((BARE, NO_OP))]
        together = _take(client, no_ops, MANY_CLIENTS, effort)
    return [*_alone(alone), *_together(together)]


def _of_ours(ours: Listener, when: str) -> list[Operation]:
    calls = {
        NO_OP: [tool_call(ours.port, "no_op")],
        ADD_MESSAGE: messages(ours.port),
        "add_note": writes(ours.port),
        "get_messages, 10": [tool_call(ours.port, "get_messages", {"limit": 10})],
        "read_notes, 10": [tool_call(ours.port, "read_notes", {"limit": 10})],
    }
    return [Operation(name + when, ours, requests) for name, requests in calls.items()]


def _take(client: Child, operations: Sequence[Operation], clients: int, effort: Effort) -> dict[str, Rounds]:
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
    measures = []
    for name, rounds in seen.items():
        floor = name + BEFORE if name + BEFORE in seen and name != NO_OP else BARE
        goal = GOALS.get(name) if floor != BARE or name == NO_OP else None
        ratio = median_ratio(rounds.cpu_ms, seen[floor].cpu_ms)
        measures.append(Measure("CPU of the server, 1 client", name, median(rounds.cpu_ms), "ms", ratio, floor, goal))
    return measures


def _together(seen: Mapping[str, Rounds]) -> list[Measure]:
    return [
        Measure(
            f"No-op, {MANY_CLIENTS} clients",
            name,
            median(rounds.per_second),
            "calls/s",
            ratio=median_ratio(rounds.per_second, seen[BARE].per_second),
            floor=BARE,
            goal=THROUGHPUT_GOAL if name == NO_OP else None,
            p95=median(rounds.p95),
            cpu_ms=median(rounds.cpu_ms),
        )
        for name, rounds in seen.items()
    ]
