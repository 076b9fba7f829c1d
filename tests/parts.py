"""A pytest plugin: `--part measured` runs the tests in which coverage is cheap, `--part rest` all the others."""

import pytest

_MEASURED = ("tests/unit/", "tests/spec/", "tests/contracts/", "tests/gateway/")
_SLOW_TOO = "tests/spec/"
_REPEATS = "tests/spec/test_tenant_walls.py"
"""Runs the same code hundreds of times."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("measured", "rest"), help="run one of the two parts of all tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("part")
    if part is None:
        return
    kept = [item for item in items if _measured(item) == (part == "measured")]
    config.hook.pytest_deselected(items=[item for item in items if _measured(item) != (part == "measured")])
    items[:] = kept


def _measured(item: pytest.Item) -> bool:
    """What runs in the process of the tests, on the embedded store: tracing slows servers down to half their speed."""
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    if not item.nodeid.startswith(_MEASURED) or item.nodeid.startswith(_REPEATS) or "postgresql" in parameters.values():
        return False
    return item.nodeid.startswith(_SLOW_TOO) or item.get_closest_marker("slow") is None
