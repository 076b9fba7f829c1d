"""Every tool over HTTP with one client, each beside the no-op tool and a floor of its own, round by round."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.commits import BareCommits
from benchmarks.http_calls import OTHER_GOAL, READ_GOAL, SAME_BYTES, WRITE_FLOOR, WRITE_GOAL, WRITES, judged, latency
from benchmarks.measure import Effort, Measure
from benchmarks.processes import Child, child
from benchmarks.requests import tool_call
from benchmarks.rounds import (
    COMMITS_A_ROUND,
    MeasuredOperation,
    MeasuredRound,
    RoundListener,
    Rounds,
    longtable_at,
    round_of_commits,
    run_round,
)
from benchmarks.typical import TypicalCall, cases, seed
from benchmarks.typical_notebooks import notebook_cases, seed_notebooks
from longtable.toolkit.catalogue import catalogue

GROUP = "Tools, 1 client"
GOALS = {**dict.fromkeys(WRITES, WRITE_GOAL), "read_notes": READ_GOAL, "get_messages": READ_GOAL}
SECONDS = 2.0
"""No round lasts longer, however slow its calls are."""


@dataclass(slots=True)
class MeasuredCall:
    """A tool and its floors, round by round: the no-op tool, and what stands beside it, a commit or an answer."""

    case: TypicalCall
    own: Rounds = field(default_factory=Rounds)
    no_op: Rounds = field(default_factory=Rounds)
    beside: Rounds = field(default_factory=Rounds)

    @property
    def row(self) -> Measure:
        name = self.case.name or self.case.tool
        if self.case.writes:
            compared, floor = self.own.over(self.no_op, self.beside), WRITE_FLOOR
        else:
            compared, floor = self.own.over(self.beside), SAME_BYTES
        goal = GOALS.get(self.case.tool, OTHER_GOAL)
        return judged(latency(GROUP, name, self.own, compared, floor), goal, self.own.over(self.no_op))


@dataclass(frozen=True, slots=True)
class Bench:
    ours: RoundListener
    client: Child
    commits: BareCommits
    calls: int

    def take(self, seen: MeasuredCall, number: int) -> None:
        """Everything about one tool in one go, so that it all meets the same machine."""
        case = seen.case
        requests = [tool_call(self.ours.port, case.tool, arguments, where) for where, arguments in case.calls]
        # On both sides of the writes: a disk that others use is now fast and now slow.
        commits = self.commits.take(COMMITS_A_ROUND) if case.writes else []
        own = self._run(MeasuredOperation(case.tool, self.ours, requests, self.calls, case.once), number)
        if case.writes:
            beside = round_of_commits(commits + self.commits.take(COMMITS_A_ROUND))
        else:
            beside = self._same_bytes(case.tool)
        no_op = self._run(MeasuredOperation("no_op", self.ours, [tool_call(self.ours.port, "no_op")], self.calls))
        for rounds, one in ((seen.own, own), (seen.no_op, no_op), (seen.beside, beside)):
            rounds.all.append(one)

    def _same_bytes(self, tool: str) -> MeasuredRound:
        request = tool_call(self.ours.port, "no_op_like", {"tool": tool})
        return self._run(MeasuredOperation(f"like {tool}", self.ours, [request], self.calls))

    def _run(self, operation: MeasuredOperation, number: int = 0) -> MeasuredRound:
        return run_round(self.client, operation, 1, SECONDS, number)


def measure_tools(folder: Path, effort: Effort) -> list[Measure]:
    data_dir = folder / "tools" / "data"
    # One round more, whose numbers do not count.
    supply = (effort.rounds + 1) * effort.calls
    table = asyncio.run(seed(data_dir, effort, supply))
    seeded = asyncio.run(seed_notebooks(data_dir, effort, supply))
    all_seen = [MeasuredCall(case) for case in (*cases(table, supply), *notebook_cases(seeded, supply))]
    _check_that_none_is_missing([seen.case for seen in all_seen])
    with ExitStack() as stack:
        bench = Bench(
            stack.enter_context(longtable_at(data_dir, enable_semantic_search=effort.embeds)),
            stack.enter_context(child(["-m", "benchmarks.client"], folder)),
            stack.enter_context(closing(BareCommits(folder / "tools" / "bare.db"))),
            effort.calls,
        )
        for number in range(effort.rounds + 1):
            for seen in all_seen:
                bench.take(seen, number)
    for seen in all_seen:
        seen.own.all, seen.no_op.all, seen.beside.all = seen.own.all[1:], seen.no_op.all[1:], seen.beside.all[1:]
    return [seen.row for seen in all_seen]


def _check_that_none_is_missing(measured: Sequence[TypicalCall]) -> None:
    """Of the tools that every server offers; those that need a gateway belong to the gateway's own part."""
    offered = {entry["wire"]["name"] for entry in catalogue() if entry["needs"] is None}
    missing = offered - {case.tool for case in measured}
    if missing:
        raise RuntimeError(f"benchmarks/typical.py makes no call of {', '.join(sorted(missing))}")
