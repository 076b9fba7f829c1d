"""A pytest plugin for `make fast`: first the tests of what was changed, then everything quick, of a test with many
examples one, then of all other examples and tests what fits into half a minute, another part each time."""

import os
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.related import changed_files, related_tests

_QUICK = ("tests/unit/", "tests/spec/")
_SEED = "LONGTABLE_TEST_SEED"
_RELATED_UNTIL = 15.0
_OTHERS_UNTIL = 22.0
"""Seconds after the start, on a machine with nothing else to do. What is quick always runs."""
_TOO_LONG = 300
"""A test that may take so many seconds (its mark `timeout`) never begins."""

_began = time.monotonic()
_until: dict[str, float] = {}
_left_out: list[str] = []


def pytest_configure() -> None:
    # All workers must have the same order. They inherit what is set before they are started.
    os.environ.setdefault(_SEED, str(time.time_ns()))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    related = {path: place for place, path in enumerate(related_tests(changed_files()))}
    items[:] = in_order(items, related, random.Random(os.environ[_SEED]))


def in_order(items: Sequence[pytest.Item], related: dict[str, int], dice: random.Random) -> list[pytest.Item]:
    ours = [item for item in items if _file(item) in related]
    quick = [item for item in items if _file(item) not in related and not _is_slow(item)]
    examples = _one_of_each(quick, dice)
    others = [item for item in items if _file(item) not in related and item not in examples]
    ours.sort(key=lambda item: related[_file(item)])
    dice.shuffle(others)
    _until.update({item.nodeid: _RELATED_UNTIL for item in ours if item.get_closest_marker("slow")})
    _until.update({item.nodeid: _OTHERS_UNTIL for item in others})
    _until.update({item.nodeid: 0.0 for item in items if _is_too_long(item)})
    return [*ours, *(item for item in quick if item in examples), *others]


def _one_of_each(items: Sequence[pytest.Item], dice: random.Random) -> set[pytest.Item]:
    by_test: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_test.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {dice.choice(examples) for examples in by_test.values()}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """True where the time is over: nothing else runs or reports it then."""
    if time.monotonic() - _began < _until.get(item.nodeid, float("inf")):
        return None
    _left_out.append(item.nodeid)
    # The test before has kept what this one would have needed.
    item.session._setupstate.teardown_exact(nextitem)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left_out"] = _left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """In the process that has the workers."""
    _left_out.extend(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    related = set(related_tests(changed_files()))
    missed = sorted({path for path in map(_file_of, _left_out) if path in related})
    terminalreporter.write_line(f"{len(_left_out)} examples and slow tests were left out; others run next time.")
    if missed:
        terminalreporter.write_line(f"Some of them are about what was changed: run pytest {' '.join(missed)}")


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None or not item.nodeid.startswith(_QUICK)


def _is_too_long(item: pytest.Item) -> bool:
    limit = item.get_closest_marker("timeout")
    return limit is not None and limit.args[0] >= _TOO_LONG


def _file(item: pytest.Item) -> str:
    return _file_of(item.nodeid)


def _file_of(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]
