"""A page that is left open does not grow with what happens meanwhile."""

from playwright.sync_api import expect

from tests.console.console_server import ConsoleServer
from tests.console.heap import heap_of

EVENTS = 150
MOST_GROWTH = 1_500_000
"""Bytes. Each event kept with all that is drawn of it would be more."""


def test_the_first_page_stays_as_large_as_it_was(console: ConsoleServer) -> None:
    ann = console.agent("ann")
    session = ann.post("/sessions", purpose="Much to do")["session_id"]

    with console.opens("/") as seen:
        row = seen.page.get_by_role("article", name="ann at Much to do")
        measure, sizes = heap_of(seen.page), []
        for turn in range(3):
            for number in range(EVENTS):
                ann.post(f"/sessions/{session}/notes", content=f"Note {turn}-{number} " + "about it " * 20)
            expect(row.get_by_text(f"Note {turn}-{EVENTS - 1}")).to_be_visible()
            sizes.append(measure())

    print([f"{size / 1e6:.1f} MB" for size in sizes])
    assert sizes[2] - sizes[1] <= MOST_GROWTH
