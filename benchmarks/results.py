"""Results on disk: one JSON file for each run, beside its table and its plot."""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import Goal, Measure
from benchmarks.plot import plot
from benchmarks.processes import ROOT
from benchmarks.table import summary, table

FOLDER = ROOT / "benchmarks" / "results"


@dataclass(frozen=True, slots=True)
class BenchmarkResult:
    taken_at: str
    effort: str
    seconds: float
    machine: dict[str, Any]
    measures: list[Measure]

    @property
    def title(self) -> str:
        return f"Longtable, {self.taken_at}, {self.effort} run of {self.seconds:.0f} s"


def new_result(effort: str, seconds: float, measures: Sequence[Measure]) -> BenchmarkResult:
    machine = {
        "python": platform.python_version(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "load": [round(load, 1) for load in os.getloadavg()],
    }
    return BenchmarkResult(datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"), effort, seconds, machine, list(measures))


def save(result: BenchmarkResult, folder: Path = FOLDER) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{result.taken_at}.json"
    stored = {**asdict(result), "measures": [_stored(measure) for measure in result.measures]}
    path.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    page = f"# {result.title}\n\nGoals: {summary(result.measures)}.\n\n{table(result.measures)}\n"
    path.with_suffix(".md").write_text(page, encoding="utf-8")
    path.with_suffix(".svg").write_text(plot(result.title, result.measures), encoding="utf-8")
    return path


def saved(folder: Path = FOLDER) -> list[BenchmarkResult]:
    """Every result, the oldest first."""
    return [read(path) for path in sorted(folder.glob("*.json"))]


def read(path: Path) -> BenchmarkResult:
    stored = json.loads(path.read_text(encoding="utf-8"))
    measures = [_measure(row) for row in stored.pop("measures")]
    return BenchmarkResult(**stored, measures=measures)


def _stored(measure: Measure) -> dict[str, Any]:
    """With what was concluded, for programs that read the file."""
    return {**asdict(measure), "verdict": measure.verdict, "cpu_verdict": measure.cpu_verdict}


def _measure(row: dict[str, Any]) -> Measure:
    """Files of earlier versions have other fields besides."""
    known = {field.name for field in fields(Measure)}
    kept = {name: value for name, value in row.items() if name in known and name != "goal"}
    return Measure(**kept, goal=Goal(**row["goal"]) if row["goal"] else None)
