"""Metrics of all workers of one supervisor: each counts in files of the supervisor's folder, and who is asked adds them
up. So a count outlives the worker that made it, however that ended."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import CollectorRegistry, values
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector


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

    def summed(self, declared: CollectorRegistry) -> CollectorRegistry:
        """Of all workers, with every metric that is declared, as one process would show them."""
        registry = CollectorRegistry()
        registry.register(_AllMetrics(declared, self.folder))
        return registry


class _AllMetrics(Collector):
    """The files know a metric only from its first value on."""

    def __init__(self, declared: CollectorRegistry, folder: Path) -> None:
        self._declared = declared
        self._counted = MultiProcessCollector(None, str(folder))  # type: ignore[no-untyped-call]

    def collect(self) -> Iterator[Metric]:
        counted = list(self._counted.collect())  # type: ignore[no-untyped-call]
        names = {metric.name for metric in counted}
        yield from counted
        for metric in self._declared.collect():
            if metric.name not in names:
                yield Metric(metric.name, metric.documentation, metric.type)
