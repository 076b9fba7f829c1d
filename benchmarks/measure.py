"""What a benchmark finds out: a number, the floor it is compared with, and the goal of the project."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    """`ratio` compares `value` with `floor`. The goal is about the ratio where there is one, else the value."""

    group: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    floor: str = ""
    goal: Goal | None = None

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
    few_notes: int
    many_notes: int
    starts: int
    wakes: int
    subscriber_seconds: float
    limit_seconds: int
    """When a run is still not over then, something hangs."""


FULL = Effort("full", 5, 1.2, 1_000, 100_000, 7, 100, 5.0, 540)
QUICK = Effort("quick", 2, 0.3, 1_000, 10_000, 2, 25, 1.5, 180)


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def median_ratio(values: Sequence[float], floors: Sequence[float]) -> float:
    """The median of the ratios of each round: what disturbs a round disturbs both of its sides."""
    return median(value / floor for value, floor in zip(values, floors, strict=True))
