"""What a benchmark finds out: a number, the floor it is compared with, and the goal of the project."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median


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
    """`ratio` compares `value` with `floor`. The goal is about the ratio where there is one, else the value.
    `fair` compares it with the least that the same work could cost here, `fair_floor`."""

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

    fair: float | None = None
    fair_floor: str = ""

    @property
    def judged(self) -> float:
        return self.value if self.ratio is None else self.ratio

    @property
    def meets_goal(self) -> bool | None:
        return None if self.goal is None else self.goal.is_met_by(self.judged)


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
    """How much of the usual is laid out, where its size is not among the above."""

    before: Path | None = None
    """A checkout of an earlier version, to be measured in the same rounds."""

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
    limit_seconds=540,
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
    limit_seconds=180,
)
SMALL = Effort(
    name="small",
    rounds=1,
    seconds=0.05,
    calls=2,
    commits=10,
    few=60,
    many=120,
    starts=1,
    wakes=3,
    subscriber_seconds=0.2,
    limit_seconds=180,
    share=0.02,
)
"""Everything once, to see that it runs; its numbers mean nothing."""


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median_ratio(values: Sequence[float], floors: Sequence[float]) -> float:
    """The median of the ratios of each round: what disturbs a round disturbs both of its sides."""
    return median(value / floor for value, floor in zip(values, floors, strict=True))
