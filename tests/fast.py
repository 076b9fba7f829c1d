"""A pytest plugin for `make fast`: tests for half a minute, and no longer. First those of what was changed, then
everything quick, of a test with many examples one, then of all others those that have not run for the longest time."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.related import changed_files, named_alike, related_tests

_HISTORY = "longtable/fast"
RELATED_UNTIL = 8.0
ALL_UNTIL = 12.0
"""Seconds after the tests were collected: nothing begins that would end later. Collecting takes seven more."""
_QUICK_SECONDS = 0.1
_SLOWEST_SECONDS = 3.0
"""What takes longer runs here when it is about what was changed."""
_TOO_LONG = 300
"""A test that may take so many seconds (its mark `timeout`) never begins."""
_UNKNOWN_SECONDS = {False: 0.05, True: 0.5}
"""Of a test that has not run here yet: without the mark `slow`, and with it."""


@dataclass(frozen=True)
class Candidate:
    """`seconds` is what it took when it was fastest, `last_run` a time, or 0."""

    nodeid: str
    seconds: float
    last_run: float
    never: bool = False

    @property
    def file(self) -> str:
        return self.nodeid.split("::", 1)[0]

    @property
    def test(self) -> str:
        return self.nodeid.partition("[")[0]


@dataclass(frozen=True)
class Planned:
    nodeid: str
    begins_before: float


@dataclass
class _Run:
    """What one process knows of this run. `started` is when all tests were found."""

    begins_before: dict[str, float]
    left_out: set[str]
    seconds: dict[str, float]
    found: int = 0
    started: float = 0.0


_run = _Run({}, set(), {})


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    changed = changed_files()
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    candidates = _candidates(items, _history(config))
    planned = plan(candidates, related_tests(changed), named_alike(changed), workers)
    by_id = {item.nodeid: item for item in items}
    _run.found, _run.started = len(items), time.monotonic()
    _run.begins_before = {each.nodeid: each.begins_before for each in planned}
    _run.left_out = set(by_id) - set(_run.begins_before)
    items[:] = [by_id[each.nodeid] for each in planned]


def _candidates(items: Sequence[pytest.Item], history: dict[str, list[float]]) -> list[Candidate]:
    found = []
    for item in items:
        seconds, last_run = history.get(item.nodeid, [_UNKNOWN_SECONDS[_is_slow(item)], 0.0])
        found.append(Candidate(item.nodeid, seconds, last_run, _is_too_long(item)))
    return found


def plan(candidates: Sequence[Candidate], related: Sequence[str], named: set[str], workers: int = 1) -> list[Planned]:
    """In the order in which they begin; of what is neither related nor quick as much as there can be time for."""
    possible = sorted((each for each in candidates if not each.never), key=lambda each: each.last_run)
    firsts = {each.nodeid for each in {each.test: each for each in reversed(possible)}.values()}
    ours = [each for each in possible if each.file in related]
    ours.sort(key=lambda each: (each.file not in named, each.nodeid not in firsts, each.seconds))
    others = [each for each in possible if each.file not in related and each.seconds <= _SLOWEST_SECONDS]
    quick = [each for each in others if each.nodeid in firsts and each.seconds <= _QUICK_SECONDS]
    ids = {each.nodeid for each in quick}
    rest = sorted((each for each in others if each.nodeid not in ids), key=lambda each: each.nodeid not in firsts)
    return [
        *(Planned(each.nodeid, RELATED_UNTIL - each.seconds) for each in ours),
        *(Planned(each.nodeid, ALL_UNTIL - each.seconds) for each in [*quick, *_fitting(rest, workers)]),
    ]


def _fitting(candidates: Sequence[Candidate], workers: int) -> list[Candidate]:
    """Those before the others for which there would be time if they ran alone."""
    fitting, seconds = [], 0.0
    for each in candidates:
        seconds += each.seconds
        if seconds > ALL_UNTIL * workers:
            break
        fitting.append(each)
    return fitting


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """True where the time is over: nothing else runs or reports it then."""
    if time.monotonic() - _run.started < _run.begins_before[item.nodeid]:
        return None
    _run.left_out.add(item.nodeid)
    # The test before has kept what this one would have needed.
    item.session._setupstate.teardown_exact(nextitem)
    return True


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _run.seconds[report.nodeid] = _run.seconds.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        related = set(related_tests(changed_files()))
        output["found"] = _run.found
        output["related_left_out"] = [each for each in _run.left_out if each.split("::", 1)[0] in related]
    elif _run.seconds:
        _remember(session.config)


def _remember(config: pytest.Config) -> None:
    history, now = _history(config), time.time()
    for nodeid, seconds in _run.seconds.items():
        fastest = min(seconds, *history.get(nodeid, [seconds])[:1])
        history[nodeid] = [round(fastest, 4), now]
    assert config.cache is not None
    config.cache.set(_HISTORY, history)


def _history(config: pytest.Config) -> dict[str, list[float]]:
    """By id: seconds, and when it ran last."""
    assert config.cache is not None
    found: dict[str, list[float]] = config.cache.get(_HISTORY, {})
    return found


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the process that has the workers."""
    output = getattr(node, "workeroutput", {})
    _run.found = max(_run.found, output.get("found", 0))
    _run.left_out.update(output.get("related_left_out", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missed = sorted({each.split("::", 1)[0] for each in _run.left_out - set(_run.seconds)})
    terminalreporter.write_line(
        f"{len(_run.seconds)} of {_run.found} tests and examples ran; those that have waited longest run next time."
    )
    if missed:
        terminalreporter.write_line(f"Not all about what was changed had time: run pytest {' '.join(missed)}")


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


def _is_too_long(item: pytest.Item) -> bool:
    limit = item.get_closest_marker("timeout")
    return limit is not None and limit.args[0] >= _TOO_LONG
