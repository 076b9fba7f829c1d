"""The page about scratchpads is true: its programs and commands run and show what it says."""

from tests.e2e.pages import PageReader

PAGE = "docs/howto/notebooks.md"


def test_scratchpads_are_kept_as_the_page_says(reader: PageReader) -> None:
    reader.saves_programs(PAGE)

    reader.follows(PAGE)

    reader.stops_server()
