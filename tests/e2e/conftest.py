"""Places for stores, processes that end with the test, and who runs commands or reads a page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pages import PageReader, reader_in
from tests.e2e.program import Program
from tests.e2e.servers import Processes, processes_in
from tests.stores import anyio_backend, login, postgres, replicated, store

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]


@pytest.fixture
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Processes]:
    executed = request.node.get_closest_marker("executed") is not None
    with processes_in(tmp_path / "work", executed=executed) as own:
        yield own


@pytest.fixture
def embedded(tmp_path: Path) -> dict[str, str]:
    """The options of an embedded store of the test's own."""
    return {"data_dir": str(tmp_path / "data")}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path / "data")


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PageReader]:
    with reader_in(tmp_path / "reader") as one:
        yield one
