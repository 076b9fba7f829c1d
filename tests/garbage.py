"""A pytest plugin: the collector of garbage looks less often, and not at what was there before the first test."""

import gc

import pytest

_ALLOCATIONS = 20_000
"""Of objects in containers, between two looks. It is 700 otherwise: a test that opens a table makes thousands."""


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, 10, 10)
