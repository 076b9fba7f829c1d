"""A pytest plugin for `make fast`: first the tests of what was changed, then everything quick, then of all others what
fits into half a minute, another part each time."""

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
_OTHERS_UNTIL = 25.0
"""Seconds after the start, on a machine with nothing else to do. What is quick always runs."""

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
    others = [item for item in items if _file(item) not in related and _is_slow(item)]
    ours.sort(key=lambda item: related[_file(item)])
    dice.shuffle(others)
    _until.update({item.nodeid: _RELATED_UNTIL for item in ours if item.get_closest_marker("slow")})
    _until.update({item.nodeid: _OTHERS_UNTIL for item in others})
    return [*ours, *quick, *others]


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
    terminalreporter.write_line(f"{len(_left_out)} slow tests were left out; another part of them runs next time.")
    if missed:
        terminalreporter.write_line(f"Some of them are about what was changed: run pytest {' '.join(missed)}")


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None or not item.nodeid.startswith(_QUICK)


def _file(item: pytest.Item) -> str:
    return _file_of(item.nodeid)


def _file_of(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]
