"""The command: `python -m benchmarks [--quick]` measures, `peers` measures other servers beside ours, `compare` looks
back."""

import argparse
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from benchmarks.checkouts import measure_checkouts
from benchmarks.commits import measure_commits
from benchmarks.delivery import measure_delivery
from benchmarks.gateway import measure_gateway
from benchmarks.growth import measure_growth
from benchmarks.http_calls import measure_http
from benchmarks.measure import FULL, QUICK, Effort, Measure
from benchmarks.million import measure_vectors
from benchmarks.noise import Machine
from benchmarks.peers import measure_peers
from benchmarks.postgres_calls import measure_postgres
from benchmarks.processes import ROOT
from benchmarks.results import BenchmarkResult, new_result, read, save, saved
from benchmarks.search import measure_search
from benchmarks.start import measure_start
from benchmarks.table import comparison, summary, table
from benchmarks.tool_calls import measure_tools
from benchmarks.waiting import measure_waiting
from benchmarks.wakes import measure_wakes

Parts = Mapping[str, Callable[[Path, Effort], list[Measure]]]
PARTS: Parts = {
    "start": measure_start,
    "store": measure_commits,
    "http": measure_http,
    "tools": measure_tools,
    "postgres": measure_postgres,
    "growth": measure_growth,
    "wakes": measure_wakes,
    "waiting": measure_waiting,
    "delivery": measure_delivery,
    "search": measure_search,
    "vectors": measure_vectors,
    "gateway": measure_gateway,
}
PEERS_LIMIT = 1_200
"""Seconds: others take their time."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["run", "compare", "peers"], default="run")
    parser.add_argument("of", nargs="*", type=Path, help="compare: two result files, or one or two checkouts")
    parser.add_argument("--quick", action="store_true", help="a first impression in a minute and a half")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; nothing is saved then")
    parser.add_argument("--notes", type=int, metavar="N", help="how many the large store of `growth` has")
    parser.add_argument("--calls", type=int, metavar="N", help="after which `peers` looks whether memory has grown")
    given = parser.parse_args()
    effort = QUICK if given.quick else FULL
    if given.notes:
        effort = effort.with_notes(given.notes)
    if given.calls:
        effort = replace(effort, lasting_calls=given.calls)
    if given.command == "compare":
        compare([path.resolve() for path in given.of], effort)
    elif given.command == "peers":
        run(replace(effort, name=f"peers, {effort.name}", limit_seconds=PEERS_LIMIT), {"peers": measure_peers})
    elif given.only:
        end(measure({name: PARTS[name] for name in given.only}, effort)[1])
    else:
        run(effort, PARTS)


def run(effort: Effort, parts: Parts) -> None:
    """Measures all parts and saves what was seen, also where one of them failed."""
    began = time.perf_counter()
    measures, failed = measure(parts, effort)
    path = save(new_result(effort.name, time.perf_counter() - began, measures))
    print(f"\n{path} (.md, .svg)")
    end(failed)


def measure(parts: Parts, effort: Effort) -> tuple[list[Measure], list[str]]:
    """What was seen, and the names of the parts that failed."""
    _stop_after(effort.limit_seconds)
    with tempfile.TemporaryDirectory(prefix="longtable-benchmark-") as folder:
        measures, failed = measure_in(Path(folder), parts, effort)
    print(table(measures))
    print(f"\nGoals: {summary(measures)}.")
    return measures, failed


def measure_in(folder: Path, parts: Parts, effort: Effort) -> tuple[list[Measure], list[str]]:
    measures: list[Measure] = []
    failed: list[str] = []
    machine = Machine()
    for name, part in parts.items():
        print(f"measuring: {name}", file=sys.stderr, flush=True)
        try:
            measures += machine.watch(lambda part=part: part(folder, effort))  # type: ignore[misc]  # mypy cannot infer a default
        except Exception:  # noqa: BLE001  the other parts took minutes: they are worth keeping
            traceback.print_exc()
            failed.append(name)
    return measures, failed


def end(failed: Sequence[str]) -> None:
    if failed:
        raise SystemExit(f"failed: {', '.join(failed)}")


def _stop_after(seconds: int) -> None:
    """A server that never answers must not keep the run from its end: children are stopped on the way out."""

    def stop(*_: object) -> None:
        raise SystemExit(f"the benchmark was not over after {seconds} s")

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)


def compare(of: Sequence[Path], effort: Effort) -> None:
    """Two result files, or the newest one and the one before it of the same effort; or two checkouts, which are
    measured now, the first being the earlier one. What is not named is this checkout."""
    if of and of[0].is_dir():
        before, after = of[0], of[1] if len(of) > 1 else ROOT
        part = partial(measure_checkouts, before=before, after=after)
        print(f"before: {before}\nafter:  {after}\n")
        end(measure({"checkouts": part}, effort)[1])
        return
    earlier, later = map(read, of) if of else _newest_two()
    print(f"before: {earlier.title}\nafter:  {later.title}\n")
    print(comparison(earlier.measures, later.measures))


def _newest_two() -> list[BenchmarkResult]:
    results = saved()
    alike = [result for result in results if result.effort == results[-1].effort] if results else []
    if len(alike) < 2:
        raise SystemExit("There are no two results of the same effort to compare: run the benchmark first.")
    return alike[-2:]


if __name__ == "__main__":
    main()
