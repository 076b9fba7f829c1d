"""Every part of the benchmark runs to its end and measures something. How fast anything is, no test says."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from math import isfinite
from pathlib import Path
from typing import IO

import pytest

from benchmarks import processes
from benchmarks.__main__ import PARTS, Parts, end, measure_in
from benchmarks.checkouts import measure_checkouts
from benchmarks.measure import NOISE, SMALL, Goal, Measure
from benchmarks.plot import plot
from benchmarks.processes import ROOT
from benchmarks.results import new_result, read, save
from benchmarks.rounds import longtable_at
from benchmarks.soak import Sample, Soak, verdict
from benchmarks.table import comparison, summary, table
from tests.e2e.preloaded import fork_server

pytestmark = pytest.mark.timeout(180)

ALL_PARTS: Parts = {**PARTS, "checkouts": partial(measure_checkouts, before=ROOT, after=ROOT)}
ROWS = {
    "start": ["longtable, median", "longtable, least"],
    "store": ["bare commit", "64 writers"],
    "http": [
        *("no-op tool", "add_note", "add_message", "scratch_append_cell", "bare commit"),
        *("read_notes, 50", "get_messages, 50", "read_plan, 200 tasks", "mixed: add, read", "mixed: add, read, p95"),
    ],
    "postgres": ["add_note, CPU", "add_message, CPU", "scratch_append_cell, CPU"],
    "growth": [
        *("add_note (large session)", "a note of 184 bytes, on disk"),
        *(f"search_context, {word} (small session)" for word in ("a rare word", "a word of all", "an absent word")),
    ],
    "vectors": ["a search, p95", "recall of the 10 nearest", "memory of the vectors"],
    "waiting": ["memory of each", "CPU while nothing happens", "woken after a message, p95"],
    "checkouts": ["add_note", "mixed: add, read"],
}
"""Rows that the goals of the project are about, and that must not be lost."""


ON_POSTGRESQL = ("delivery", "postgres")
"""They use the server of the other tests instead of starting one."""


def test_a_part_that_fails_takes_no_other_with_it_and_fails_the_run(tmp_path: Path) -> None:
    def fails(folder: Path, effort: object) -> list[Measure]:
        raise RuntimeError("no server")

    def works(folder: Path, effort: object) -> list[Measure]:
        return [Measure("Store", "1 writer", 1.0, "ms")]

    measures, failed = measure_in(tmp_path, {"store": fails, "http": works}, SMALL)

    assert ([one.name for one in measures], failed) == (["1 writer"], ["store"])
    with pytest.raises(SystemExit, match="store"):
        end(failed)
    end([])


@pytest.mark.parametrize("part", ALL_PARTS)
def test_a_part_of_the_benchmark_runs_to_its_end(
    part: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "start_python", _forked)
    if part in ON_POSTGRESQL:
        monkeypatch.setenv("LONGTABLE_TEST_POSTGRES", request.getfixturevalue("postgres").admin_url)

    measures = ALL_PARTS[part](tmp_path, SMALL)

    assert measures
    assert all(isfinite(measure.judged) for measure in measures)
    assert all(measure.name in table(measures) for measure in measures)
    assert set(ROWS.get(part, [])) <= {measure.name for measure in measures}


def _forked(module: Sequence[str], folder: Path, variables: Mapping[str, str], errors: IO[bytes]) -> processes.Started:
    """A process that has loaded the program already: what it would cost to load it is not asked here."""
    (their_in, our_in), (our_out, their_out) = os.pipe(), os.pipe()
    try:
        streams = [their_in, their_out, errors.fileno()]
        process = fork_server().start(list(module), variables, streams, cwd=folder)
    finally:
        os.close(their_in)
        os.close(their_out)
    return process, os.fdopen(our_in, "wb"), os.fdopen(our_out, "rb")


def test_a_result_is_kept_as_json_as_a_table_and_as_a_plot(tmp_path: Path) -> None:
    measures = [Measure("Group", "a call", 2.0, "ms", ratio=1.2, floor="floor", goal=Goal(1.5), moved=1.0)]

    path = save(new_result("full", 1.0, measures), tmp_path)

    assert read(path).measures == measures
    assert json.loads(path.read_text())["measures"][0]["verdict"] == "met"
    assert "a call" in path.with_suffix(".md").read_text()
    assert "a call" in path.with_suffix(".svg").read_text()


def test_nothing_is_concluded_when_the_floor_moved() -> None:
    still = Measure("Group", "a call", 2.0, "ms", ratio=1.2, floor="floor", goal=Goal(1.5), moved=NOISE)
    moved = Measure("Group", "a call", 2.0, "ms", ratio=1.2, floor="floor", goal=Goal(1.5), moved=NOISE + 0.1)

    assert still.verdict == "met"
    assert moved.verdict == "inconclusive"
    assert summary([still, moved]) == "1 met, 0 missed, 1 inconclusive"
    assert "inconclusive" in table([moved])


def test_processor_time_is_judged_beside_the_clock() -> None:
    noisy = Measure("Group", "a call", 2.0, "ms", ratio=1.2, goal=Goal(1.5), cpu_ratio=1.7, moved=9.0, cpu_moved=1.1)

    assert (noisy.verdict, noisy.cpu_verdict) == ("inconclusive", "missed")
    assert summary([noisy]) == "0 met, 1 missed, 0 inconclusive"


def test_two_results_are_compared_row_by_row() -> None:
    before = [Measure("Group", "a call", 2.0, "ms", ratio=2.0), Measure("Group", "an old call", 1.0, "ms")]
    after = [Measure("Group", "a call", 1.0, "ms", ratio=1.0), Measure("Group", "a new call", 1.0, "ms")]

    lines = comparison(before, after).splitlines()

    assert [cell.strip() for cell in lines[2].split("|")][5] == "0.50"
    assert "new" in lines[3]
    assert "gone" in lines[4]


def test_a_plot_has_a_bar_for_every_goal() -> None:
    none_at_all = Measure("Group", "nothing happened", 0.0, "calls/s", goal=Goal(5, at_most=False))

    assert "nothing happened" in plot("A run", [none_at_all])


def test_a_soak_samples_a_server_under_a_mix_of_calls_that_all_succeed(tmp_path: Path) -> None:
    with longtable_at(tmp_path / "data") as listener:
        soak = Soak(listener, tmp_path / "data" / "longtable.db-wal", sample_seconds=0.5)
        samples = asyncio.run(soak.run(2.0))

    assert soak.failed == 0
    assert len(soak.latencies) > 20
    assert all(sample.memory_mb > 0 and sample.p99_ms > 0 for sample in samples)


def test_a_soak_tells_what_grows_from_what_stays_flat() -> None:
    samples = [Sample(minute, 100 + minute * 10, 40, 2, 20, 4) for minute in range(60)]

    found = verdict(samples)

    assert {name for name, (_, _, is_flat) in found.items() if not is_flat} == {"memory_mb"}
