"""A pytest plugin for `scripts.mutants`: stores which tests run which lines of the program, in the file that
`LONGTABLE_COVERING` names."""

import os

import coverage
import pytest

_measured = coverage.Coverage(data_file=os.environ["LONGTABLE_COVERING"], source=["src/longtable"], config_file=False)
_measured.start()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _measured.switch_context(item.nodeid)


def pytest_unconfigure() -> None:
    _measured.stop()
    _measured.save()
