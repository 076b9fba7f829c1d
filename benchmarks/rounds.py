"""Operations in turn, again and again, so that a busy machine is as unkind to one as to the other."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from benchmarks.client import ClientLoad, RawAnswers
from benchmarks.commits import BareCommits, Commit
from benchmarks.measure import Effort, median_ratio, movement, percentile
from benchmarks.processes import Child, child

SLOW_MS = 300
"""What takes longer is looked at twice: the run has to end."""

COMMIT = "bare commit"
COMMITS_A_ROUND = 15


class Computing(Protocol):
    def cpu_seconds(self) -> float:
        """Processor time used so far."""


@dataclass(frozen=True, slots=True)
class RoundListener:
    """A server that listens, and what computes for it beside its own process."""

    server: Child
    port: int
    beside: Computing | None = None

    def cpu_seconds(self) -> float:
        return self.server.cpu_seconds() + (self.beside.cpu_seconds() if self.beside else 0.0)


@dataclass(frozen=True, slots=True)
class MeasuredOperation:
    """`calls` limits a round beside its time; 0 does not. Of requests that work only `once` each round takes new
    ones, as many as it has calls. `apart`: they are one of each client in turn. Those of another server `may_fail`."""

    name: str
    listener: RoundListener
    requests: list[str]
    calls: int = 0
    once: bool = False
    apart: bool = False
    may_fail: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredRound:
    p50: float
    p95: float
    per_second: float = 0.0
    cpu_ms: float = 0.0
    failed: float = 0.0
    """The share of calls that failed."""

    @classmethod
    def of(
        cls, latencies: Sequence[float], per_second: float = 0.0, cpu_ms: float = 0.0, failed: float = 0.0
    ) -> "MeasuredRound":
        return cls(percentile(latencies, 0.5), percentile(latencies, 0.95), per_second, cpu_ms, failed)


@dataclass(slots=True)
class Rounds:
    """What was seen of one operation, a round at a time."""

    all: list[MeasuredRound] = field(default_factory=list)

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

    def over(self, *floors: "Rounds") -> "Comparison":
        """With the sum of its floors, round by round."""
        p50 = _sums([floor.p50 for floor in floors])
        cpu_ms = _sums([floor.cpu_ms for floor in floors])
        counted = min(cpu_ms) > 0
        return Comparison(
            ratio=median_ratio(self.p50, p50),
            moved=movement(p50),
            cpu_ratio=median_ratio(self.cpu_ms, cpu_ms) if counted else None,
            cpu_moved=movement(cpu_ms) if counted else None,
        )


@dataclass(frozen=True, slots=True)
class Comparison:
    """The medians of the ratios of each round, and how much the floor moved between rounds."""

    ratio: float
    moved: float | None
    cpu_ratio: float | None
    cpu_moved: float | None


def _sums(floors: Sequence[Sequence[float]]) -> list[float]:
    return [sum(values) for values in zip(*floors, strict=True)]


@contextmanager
def listening(module: Sequence[str], folder: Path, checkout: Path | None = None) -> Iterator[RoundListener]:
    with child(module, folder, checkout) as server:
        address = server.next_line().decode().strip()
        yield RoundListener(server, urlsplit(address).port or 0)


@contextmanager
def longtable_at(data_dir: Path, checkout: Path | None = None, **settings: str | bool) -> Iterator[RoundListener]:
    others = [json.dumps(settings)] if settings else []
    command = ["-m", "benchmarks.serve_longtable", str(data_dir), *others]
    with listening(command, data_dir.parent, checkout) as listener:
        yield listener


def take_rounds(
    client: Child,
    operations: Sequence[MeasuredOperation],
    clients: int,
    effort: Effort,
    commits: BareCommits | None = None,
) -> dict[str, Rounds]:
    """With `commits`, bare commits take their turn too."""
    tried = [run_round(client, operation, clients, effort.seconds / 4) for operation in operations]
    seen = {operation.name: Rounds() for operation in operations}
    for number in range(min(2, effort.rounds) if max(one.p50 for one in tried) > SLOW_MS else effort.rounds):
        for operation in operations:
            seen[operation.name].all.append(run_round(client, operation, clients, effort.seconds, number + 1))
        if commits is not None:
            seen.setdefault(COMMIT, Rounds()).all.append(round_of_commits(commits.take(COMMITS_A_ROUND)))
    return seen


def round_of_commits(taken: Sequence[Commit]) -> MeasuredRound:
    return MeasuredRound.of([one.milliseconds for one in taken], cpu_ms=sum(one.cpu_ms for one in taken) / len(taken))


def run_round(
    client: Child, operation: MeasuredOperation, clients: int, seconds: float, number: int = 0
) -> MeasuredRound:
    requests = operation.requests
    if operation.once:
        first = number * operation.calls
        requests = requests[first : first + operation.calls]
    load = ClientLoad(operation.listener.port, requests, clients, seconds, operation.calls, operation.apart)
    before = operation.listener.cpu_seconds()
    answers = RawAnswers(**json.loads(client.request(json.dumps(asdict(load)).encode())))
    used = operation.listener.cpu_seconds() - before
    count = len(answers.latencies_ms)
    if not count or (answers.failed and not operation.may_fail):
        said = answers.first_failure
        raise RuntimeError(f"{operation.name}: {answers.failed} of {answers.failed + count} calls failed: {said}")
    share = answers.failed / (answers.failed + count)
    return MeasuredRound.of(answers.latencies_ms, count / answers.seconds, used * 1000 / count, share)
