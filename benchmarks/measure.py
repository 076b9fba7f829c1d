"""What a benchmark finds out: a number, the floor it is compared with, and the goal of the project."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Literal

Verdict = Literal["met", "missed", "inconclusive"]
NOISE = 1.25
"""A floor does the same work in every round. When one round of it took more than so many times as long as another, the
machine was busy with something else, and nothing is concluded from a comparison with it."""


@dataclass(frozen=True, slots=True)
class Goal:
    limit: float
    at_most: bool = True

    def is_met_by(self, number: float) -> bool:
        return number <= self.limit if self.at_most else number >= self.limit

    def __str__(self) -> str:
        return f"{'<=' if self.at_most else '>='} {self.limit:g}"


@dataclass(frozen=True, slots=True)
class Measure:
    """`ratio` compares `value` with `floor`, `cpu_ratio` the processor time of both. The goal is about the ratios
    where there are any, else about the value."""

    group: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    floor: str = ""
    goal: Goal | None = None
    p95: float | None = None
    cpu_ms: float | None = None
    """Processor time of the server for each call."""

    cpu_ratio: float | None = None
    moved: float | None = None
    """The floor in its worst round, as a multiple of its best."""

    cpu_moved: float | None = None
    second_ratio: float | None = None
    """To another floor, for the reader: no goal is about it."""

    second_floor: str = ""

    @property
    def judged(self) -> float:
        return self.value if self.ratio is None else self.ratio

    @property
    def verdict(self) -> Verdict | None:
        """About the time on the clock, or whatever the value is."""
        return self._verdict(self.judged, self.moved)

    @property
    def cpu_verdict(self) -> Verdict | None:
        return None if self.cpu_ratio is None else self._verdict(self.cpu_ratio, self.cpu_moved)

    def _verdict(self, number: float, moved: float | None) -> Verdict | None:
        if self.goal is None:
            return None
        if moved is not None and moved > NOISE:
            return "inconclusive"
        return "met" if self.goal.is_met_by(number) else "missed"


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to look. A short look is for a first impression: its numbers vary more."""

    name: str
    rounds: int
    seconds: float
    calls: int
    """So many calls of each tool a round."""

    commits: int
    few: int
    many: int
    """Notes, and messages."""

    starts: int
    wakes: int
    subscriber_seconds: float
    limit_seconds: int
    """When a run is still not over then, something hangs."""

    share: float = 1.0
    """How much of the usual is stored beforehand, where its size is not among the above."""

    lasting_calls: int = 2_000
    """After which a server should take no more memory than before."""

    embeds: bool = True
    """Whether texts get their vectors while other things are measured, as they do in use."""

    def with_notes(self, count: int) -> "Effort":
        """With a large store of so many, and the time that it takes to fill it."""
        return replace(self, many=count, limit_seconds=self.limit_seconds + count // 1_000)

    def part_of(self, count: int) -> int:
        return max(2, int(count * self.share))


FULL = Effort(
    name="full",
    rounds=5,
    seconds=0.6,
    calls=40,
    commits=500,
    few=1_000,
    many=100_000,
    starts=5,
    wakes=100,
    subscriber_seconds=5.0,
    limit_seconds=1_800,
)
QUICK = Effort(
    name="quick",
    rounds=2,
    seconds=0.3,
    calls=25,
    commits=100,
    few=1_000,
    many=10_000,
    starts=2,
    wakes=25,
    subscriber_seconds=1.5,
    limit_seconds=600,
)
SMALL = Effort(
    name="small",
    rounds=1,
    seconds=0.05,
    calls=2,
    commits=10,
    few=200,
    many=300,
    starts=1,
    wakes=3,
    subscriber_seconds=0.2,
    limit_seconds=180,
    share=0.02,
    lasting_calls=20,
    embeds=False,
)
"""Everything once, to see that it runs; its numbers mean nothing."""


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median_ratio(values: Sequence[float], floors: Sequence[float]) -> float:
    """The median of the ratios of each round: what disturbs a round disturbs both of its sides."""
    return median(value / floor for value, floor in zip(values, floors, strict=True))


def movement(floor: Sequence[float]) -> float | None:
    """How many times its best round a floor took in its worst. None where the system counted nothing."""
    return max(floor) / min(floor) if floor and min(floor) > 0 else None


@dataclass(slots=True)
class Timings:
    """Milliseconds of many things in this process, and the processor time that it used for them."""

    latencies: list[float] = field(default_factory=list)
    cpu_seconds: float = 0.0

    @contextmanager
    def counting(self) -> Iterator[None]:
        used = time.process_time()
        yield
        self.cpu_seconds += time.process_time() - used

    @property
    def cpu_ms(self) -> float:
        return self.cpu_seconds * 1_000 / max(1, len(self.latencies))

    def rows(self, group: str, name: str, goal: Goal | None) -> list[Measure]:
        p50, p95 = (percentile(self.latencies, share) for share in (0.5, 0.95))
        return [
            Measure(group, f"{name}, p50", p50, "ms", cpu_ms=self.cpu_ms),
            Measure(group, f"{name}, p95", p95, "ms", goal=goal, cpu_ms=self.cpu_ms),
        ]
