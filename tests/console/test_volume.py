"""Ten thousand notes and ten thousand messages: the page holds few of them at a time and never stops to think."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.console.chromium import WatchedWindow
from tests.console.console_server import QUIET, ConsoleServer, link_to, need_built_page, signed_in
from tests.console.volume import (
    SESSION,
    WATCH,
    WATCH_DEEP,
    PageWork,
    arrivals_at_deep_note,
    fill,
    first_paint,
    turn_wheel,
    work_of,
)
from tests.e2e.servers import Processes

COUNT = 10_000
MOST_ELEMENTS = 3_000
LONGEST_TASK = 200
SLACK = 5
PASSES = 3
LATEST_PAINT = 5_000
LOADED_WITHIN = 60_000
MOST_LEAPS = 500
LEAP = """(element, share) => new Promise((drawn) => {
  element.scrollTop = element.scrollHeight * share;
  requestAnimationFrame(() => requestAnimationFrame(drawn));
})"""

pytestmark = pytest.mark.timeout(180)

Report = Callable[[str, object], None]


@pytest.fixture(scope="module")
def full(browser: Browser, processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> ConsoleServer:
    need_built_page()
    folder: Path = tmp_path_factory.mktemp("full")
    fill(folder, COUNT)
    server = processes.serve({"data_dir": str(folder), **QUIET})
    return ConsoleServer(server.address, browser, signed_in(browser, link_to(server, folder)))


def opened(seen: WatchedWindow, path: str) -> Page:
    seen.context.add_init_script(WATCH)
    seen.page.goto("about:blank")
    seen.page.goto(f"{seen.origin}/#/sessions/{SESSION}{path}")
    return seen.page


def goes_through(page: Page, box: Locator, first: Locator, last: Locator) -> PageWork:
    """By the wheel, then at one leap to the end, to the middle and back to the start. What the page itself takes too
    long for, it takes too long for every time; what a busy machine holds up is over the next time."""
    passes: list[PageWork] = []
    while not passes or (passes[-1].longest > LONGEST_TASK and len(passes) < PASSES):
        with work_of(page) as work:
            turn_wheel(page, 600)
            leap(box, 1.0, last)
            leap(box, 0.5)
            turn_wheel(page, -600)
            leap(box, 0.0, first)
        passes.append(work)
    return PageWork(min(work.longest for work in passes), max(work.elements for work in passes))


def leap(box: Locator, share: float, to: Locator | None = None) -> None:
    """Again until it is there, as heights are known only of what was in sight."""
    for _ in range(MOST_LEAPS):
        box.evaluate(LEAP, share)
        if to is None or to.count() == 1:
            break
    if to is not None:
        expect(to).to_be_visible()


def check(work: PageWork, report: Report, name: str, longest: int = LONGEST_TASK) -> None:
    print(f"{name}: {work.elements} elements at most, busy for {work.longest:.0f} ms at a time at most")
    report(name, {"elements": work.elements, "longest_ms": work.longest})
    assert work.elements < MOST_ELEMENTS
    assert work.longest <= longest


def place(box: Locator, number: int, of: int = COUNT) -> Locator:
    return box.locator(f"[aria-posinset='{number}'][aria-setsize='{of}']")


def scrolls(page: Page) -> PageWork:
    """By the wheel, down and up again; what a busy machine holds up is over the next time."""
    passes: list[PageWork] = []
    while not passes or (passes[-1].longest > LONGEST_TASK and len(passes) < PASSES):
        with work_of(page) as work:
            turn_wheel(page, 600)
            turn_wheel(page, -600)
        passes.append(work)
    return PageWork(min(work.longest for work in passes), max(work.elements for work in passes))


FETCHED = """() => performance.getEntriesByType("resource")
  .filter((entry) => entry.initiatorType === "fetch").reduce((sum, entry) => sum + entry.transferSize, 0)"""
MOST_FETCHED = 150_000
MOST_REQUESTS = 20
"""To show one note and those around it; the whole board would be 200 pages."""
DEEP_WITHIN = 20_000
"""On any machine; how fast it is on a quiet one, the proofs say."""


def test_ten_thousand_notes_in_columns_scroll_without_a_stop(full: ConsoleServer, record_property: Report) -> None:
    with full.opens("/connect") as seen:
        page = opened(seen, "")
        box = page.get_by_role("region", name="Notes: importer")
        expect(place(box, 1, 50)).to_be_visible(timeout=LOADED_WITHIN)
        fetched, paint = page.evaluate(FETCHED), first_paint(page)

        box.hover()
        work = scrolls(page)

    print(f"first paint after {paint:.0f} ms; {fetched} bytes were fetched to open the board")
    check(work, record_property, "columns")
    assert 0 < fetched <= MOST_FETCHED
    assert 0 < paint <= LATEST_PAINT


def test_ten_thousand_notes_in_one_list_scroll_without_a_stop(full: ConsoleServer, record_property: Report) -> None:
    with full.opens("/connect") as seen:
        page = opened(seen, "")
        page.locator("main :is(label, button)").filter(has_text=re.compile(r"^\s*One list\s*$")).first.click()
        notes = page.get_by_role("list", name="Notes, newest first")
        expect(place(notes, 1, 50)).to_be_visible(timeout=LOADED_WITHIN)

        notes.hover()
        work = scrolls(page)
        expect(notes.locator("[aria-setsize='50']")).to_have_count(0)

    check(work, record_property, "list")


def test_a_hit_deep_in_ten_thousand_notes_is_in_view_at_once_also_after_a_reload(
    full: ConsoleServer, record_property: Report
) -> None:
    with full.opens("/connect") as seen:
        seen.context.add_init_script(WATCH_DEEP)
        seen.page.goto(f"{seen.origin}/notebooks")
        clicked, reloaded = arrivals_at_deep_note(seen.page, DEEP_WITHIN)

    print(f"from the hit: {clicked}; after a reload: {reloaded}")
    record_property("deep note", [clicked.milliseconds, reloaded.milliseconds])
    assert max(clicked.fetched, reloaded.fetched) <= MOST_REQUESTS
    assert max(clicked.bytes, reloaded.bytes) <= MOST_FETCHED


def test_typing_into_the_filter_of_ten_thousand_notes_stays_quick(full: ConsoleServer, record_property: Report) -> None:
    with full.opens("/connect") as seen:
        page = opened(seen, "")
        expect(place(page.get_by_role("region", name="Notes: importer"), 1, 50)).to_be_visible(timeout=LOADED_WITHIN)

        with work_of(page) as work:
            page.locator("main [data-search]").first.press_sequentially("Build 4321 ", delay=60)
            found = page.get_by_role("list", name="Notes found, best first")
            expect(found.get_by_text("Build 4321 of the importer")).to_be_visible()

    check(work, record_property, "filter")


def test_ten_thousand_messages_scroll_without_a_stop(full: ConsoleServer, record_property: Report) -> None:
    with full.opens("/connect") as seen:
        page = opened(seen, "/messages")
        box = page.get_by_role("region", name="Messages", exact=True)
        expect(page.get_by_text(f"Build {COUNT} of the importer")).to_be_visible(timeout=LOADED_WITHIN)
        with work_of(page) as climbing:
            leap(box, 0.0, place(box, 1))  # older ones come as somebody scrolls up

        box.hover()
        work = goes_through(page, box, place(box, 1), place(box, COUNT))

    check(climbing, record_property, "older messages", SLACK * LONGEST_TASK)
    check(work, record_property, "messages")
