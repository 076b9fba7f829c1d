"""The same calls with few notes and with many: what a tool costs should not grow with what is stored."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks.http_calls import Listener, Operation, Rounds, longtable_with, take_rounds, tool_call, writes
from benchmarks.measure import Effort, Goal, Measure, median_ratio
from benchmarks.preload import COMMON_TAG, COMMON_WORD, RARE_WORD
from benchmarks.processes import Child, child

GOAL = Goal(1.5)
READS: dict[str, dict[str, object]] = {
    "read_notes, 50": {"limit": 50},
    "read_notes, a rare tag": {"tag": RARE_WORD},
    "read_notes, a tag of all": {"tag": COMMON_TAG},
    "read_notes, a rare word": {"query": RARE_WORD},
    "read_notes, a word of all": {"query": COMMON_WORD},
}
NOT_JUDGED = "of all"
"""Counting and ranking what all notes have takes time for each of them; it is shown, and no goal holds for it."""


def measure_growth(folder: Path, effort: Effort) -> list[Measure]:
    with ExitStack() as stack:
        few = stack.enter_context(longtable_with(effort.few_notes, folder / "few"))
        many = stack.enter_context(longtable_with(effort.many_notes, folder / "many"))
        client = stack.enter_context(child(["-m", "benchmarks.client"], folder))
        # The writes come last, as they make the few more.
        seen = {name: _compare(client, few, many, (name, [arguments]), effort) for name, arguments in READS.items()}
        seen["add_note"] = _compare(client, few, many, ("add_note", None), effort)
    group = f"Growth, {effort.few_notes:,} to {effort.many_notes:,} notes"
    return [_measure(group, f"at {effort.few_notes:,}", name, *pair) for name, pair in seen.items()]


def _compare(
    client: Child,
    few: Listener,
    many: Listener,
    wanted: tuple[str, Sequence[dict[str, object]] | None],
    effort: Effort,
) -> tuple[Rounds, Rounds]:
    name, reads = wanted
    operations = []
    for size, listener in (("few", few), ("many", many)):
        requests = writes(listener.port)
        if reads is not None:
            requests = [tool_call(listener.port, "read_notes", **arguments) for arguments in reads]
        operations.append(Operation(f"{size}: {name}", listener, requests))
    seen = take_rounds(client, operations, 1, effort)
    return seen[f"few: {name}"], seen[f"many: {name}"]


def _measure(group: str, floor: str, name: str, few: Rounds, many: Rounds) -> Measure:
    goal = None if name.endswith(NOT_JUDGED) else GOAL
    return Measure(group, name, median(many.p50), "ms", median_ratio(many.p50, few.p50), floor, goal)
