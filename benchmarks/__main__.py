"""The command: `python -m benchmarks [--quick]` measures, `peers` measures other servers beside ours, `compare` looks
back."""

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.commits import measure_commits
from benchmarks.delivery import measure_delivery
from benchmarks.gateway import measure_gateway
from benchmarks.growth import measure_growth
from benchmarks.http_calls import measure_http
from benchmarks.measure import FULL, QUICK, Effort, Measure
from benchmarks.peers import measure_peers
from benchmarks.results import new_result, save, saved
from benchmarks.search import measure_search
from benchmarks.server_cpu import measure_cpu
from benchmarks.start import measure_start
from benchmarks.table import comparison, table
from benchmarks.tool_calls import measure_tools
from benchmarks.wakes import measure_wakes

Parts = Mapping[str, Callable[[Path, Effort], list[Measure]]]
PARTS: Parts = {
    "start": measure_start,
    "store": measure_commits,
    "http": measure_http,
    "cpu": measure_cpu,
    "tools": measure_tools,
    "growth": measure_growth,
    "wakes": measure_wakes,
    "delivery": measure_delivery,
    "search": measure_search,
    "gateway": measure_gateway,
}
PEERS_LIMIT = 1_200
"""Seconds: others take their time."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["run", "compare", "peers"], default="run")
    parser.add_argument("--quick", action="store_true", help="a first impression in a minute and a half")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; nothing is saved then")
    parser.add_argument("--before", type=Path, metavar="CHECKOUT", help="an earlier version, to compare CPU with")
    given = parser.parse_args()
    effort = replace(QUICK if given.quick else FULL, before=given.before and given.before.resolve())
    if given.command == "compare":
        compare()
    elif given.command == "peers":
        run(replace(effort, name=f"peers, {effort.name}", limit_seconds=PEERS_LIMIT), {"peers": measure_peers})
    elif given.only:
        measure({name: PARTS[name] for name in given.only}, effort)
    else:
        run(effort, PARTS)


def run(effort: Effort, parts: Parts) -> None:
    began = time.perf_counter()
    measures = measure(parts, effort)
    path = save(new_result(effort.name, time.perf_counter() - began, measures))
    print(f"\n{path} (.md, .svg)")


def measure(parts: Parts, effort: Effort) -> list[Measure]:
    _stop_after(effort.limit_seconds)
    measures: list[Measure] = []
    with tempfile.TemporaryDirectory(prefix="longtable-benchmark-") as folder:
        for name, part in parts.items():
            print(f"measuring: {name}", file=sys.stderr, flush=True)
            measures += part(Path(folder), effort)
    print(table(measures))
    return measures


def _stop_after(seconds: int) -> None:
    """A server that never answers must not keep the run from its end: children are stopped on the way out."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"the benchmark was not over after {seconds} s")

    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)


def compare() -> None:
    """The newest result and the one before it of the same effort."""
    results = saved()
    alike = [result for result in results if result.effort == results[-1].effort] if results else []
    if len(alike) < 2:
        raise SystemExit("There are no two results of the same effort to compare: run the benchmark first.")
    before, after = alike[-2:]
    print(f"before: {before.title}\nafter:  {after.title}\n")
    print(comparison(before.measures, after.measures))


if __name__ == "__main__":
    main()
