"""The page about scratchpads is true: its programs and commands run and show what it says."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.pages import PageReader, reader_in

PAGE = "docs/howto/notebooks.md"


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PageReader]:
    with reader_in(tmp_path / "reader") as one:
        yield one


def test_scratchpads_are_kept_as_the_page_says(reader: PageReader) -> None:
    reader.saves_programs(PAGE)

    reader.follows(PAGE)

    reader.stops_server()
