"""A floor for what has no other: the same small work again and again, before and after each part."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from benchmarks.measure import Measure, movement, percentile

TIMES = 9
STEPS = 100_000
ON_THE_CLOCK = ("ms", "calls/s", "commits/s", "writes/s")
"""Units of what a busy machine makes worse. Bytes and shares stay what they are."""


@dataclass
class Machine:
    """How long the work took, each time that somebody looked."""

    looks: list[float] = field(default_factory=list)

    def watch(self, part: Callable[[], list[Measure]]) -> list[Measure]:
        """What a part measures; a goal about the clock that has no floor of its own gets this one."""
        before = self.look()
        measures = part()
        moved = movement([before, self.look(), min(self.looks)])
        return [replace(one, moved=moved) if _needs_a_floor(one) else one for one in measures]

    def look(self) -> float:
        """The third longest of some: one or two that were interrupted say little."""
        taken = percentile([_work() for _ in range(TIMES)], 0.7)
        self.looks.append(taken)
        return taken


def _needs_a_floor(measure: Measure) -> bool:
    return measure.goal is not None and measure.moved is None and measure.unit in ON_THE_CLOCK


def _work() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(STEPS):
        total += number
    return time.perf_counter() - began
