"""Metrics of all workers of one supervisor: each counts in files of the supervisor's folder, and who is asked adds them
up. So a count outlives the worker that made it, however that ended."""

import os
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry, values
from prometheus_client.multiprocess import MultiProcessCollector


@dataclass(frozen=True, slots=True)
class SharedMetrics:
    """`number` is this worker's alone while it lives, and another's afterwards, who goes on counting in its files.
    `since` is when the supervisor began, by the clock that all processes of a machine share."""

    folder: Path
    number: int
    since: float

    def switch_on(self) -> None:
        """For all metrics that this process makes from now on."""
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(self.folder)
        number = self.number
        values.ValueClass = values.MultiProcessValue(lambda: number)  # type: ignore[no-untyped-call]

    def summed(self) -> CollectorRegistry:
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(self.folder))  # type: ignore[no-untyped-call]
        return registry
