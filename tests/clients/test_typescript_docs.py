"""The page about the TypeScript client is true: it is installed as it says, and every program on it runs."""

from pathlib import Path

from tests.clients.typescript import PACKAGE, skip_unless_built
from tests.e2e.pages import reader_in

PAGE = "docs/howto/typescript-client.md"


def test_the_programs_do_what_the_page_says(tmp_path: Path) -> None:
    skip_unless_built()
    with reader_in(tmp_path / "reader") as reader:
        reader.changes["../longtable/clients/typescript"] = str(PACKAGE)
        reader.saves_programs(PAGE)

        reader.follows(PAGE)

        reader.stops_server()
