"""Every part of the benchmark runs to its end and measures something. How fast anything is, no test says."""

from math import isfinite
from pathlib import Path

import pytest

from benchmarks.__main__ import PARTS
from benchmarks.measure import SMALL
from benchmarks.table import table

QUICK = ("cpu", "search", "store", "wakes")
"""The others take a minute and are left to `make proof`."""


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=() if part in QUICK else pytest.mark.proof) for part in PARTS]
)
def test_a_part_of_the_benchmark_runs_to_its_end(part: str, tmp_path: Path) -> None:
    measures = PARTS[part](tmp_path, SMALL)

    assert measures
    assert all(isfinite(measure.judged) for measure in measures)
    assert all(measure.name in table(measures) for measure in measures)
