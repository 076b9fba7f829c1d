"""A session with more in it than anybody reads, and what a browser has to do to show it."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, expect

from benchmarks.preload import add_messages, add_notes, call_tool
from benchmarks.serve_longtable import settings_for
from longtable.app import open_app
from longtable.server.serve import DEFAULT_PROJECT

SESSION = "volume"
WHEEL_STEPS = 40

WATCH = """
globalThis.__work = { longest: 0, tasks: [], most: 0 };
new PerformanceObserver((list) => {
  for (const { duration, startTime } of list.getEntries()) {
    __work.longest = Math.max(__work.longest, duration);
    __work.tasks.push([Math.round(startTime), Math.round(duration)]);
  }
}).observe({ type: "longtask", buffered: true });
const count = () => {
  __work.most = Math.max(__work.most, document.getElementsByTagName("*").length);
  requestAnimationFrame(count);
};
requestAnimationFrame(count);
"""
"""Notes how long the page was busy at a time, and how many elements it had at most."""


DEEP = 682
"""The number of a note far from both ends."""
WATCH_DEEP = f"""
globalThis.__deep = {{ since: 0, seen: 0, fetched: 0, bytes: 0 }};
const fetchedSince = () => performance.getEntriesByType("resource")
  .filter((entry) => entry.initiatorType === "fetch" && entry.startTime >= __deep.since);
const look = () => {{
  const note = document.querySelector("article[aria-label^='Note n{DEEP} ']");
  const at = note?.getBoundingClientRect();
  if (at && at.height > 0 && at.top >= 0 && at.top < innerHeight) {{
    const entries = fetchedSince();
    __deep.seen = performance.now();
    __deep.fetched = entries.length;
    __deep.bytes = entries.reduce((sum, entry) => sum + entry.transferSize, 0);
  }} else requestAnimationFrame(look);
}};
requestAnimationFrame(look);
addEventListener("click", () => {{ __deep.since = performance.now(); }}, true);
"""
"""Notes when that note is in view, and what was fetched for it: since the page was opened or since the last click."""


_SEEN = """() => new Promise((done) => {
  const wait = () => (__deep.seen ? done(__deep) : requestAnimationFrame(wait));
  wait();
})"""


@dataclass(frozen=True)
class Arrival:
    milliseconds: float
    fetched: int
    bytes: int


def arrival(page: Page, within: float) -> Arrival:
    """Of the note in view."""
    expect(page.get_by_role("article", name=re.compile(f"^Note n{DEEP} "))).to_be_in_viewport(timeout=within)
    deep = page.evaluate(_SEEN)
    return Arrival(deep["seen"] - deep["since"], deep["fetched"], deep["bytes"])


def arrivals_at_deep_note(page: Page, within: float) -> tuple[Arrival, Arrival]:
    """By a click on the hit of a search, and by a reload. The page must have been opened with WATCH_DEEP."""
    page.get_by_label("Search the notebooks").fill(f'"Build {DEEP} of the importer"')
    page.get_by_label("Everything").check()
    hit = page.get_by_role("list", name="Search hits").locator(f"a[href$='/notes/n{DEEP}']")
    hit.wait_for(timeout=within)
    hit.click()
    clicked = arrival(page, within)
    page.reload()
    return clicked, arrival(page, within)


def fill(folder: Path, count: int) -> None:
    """Before a server runs there. In a thread of its own: a browser's loop may run in this one."""

    async def add() -> None:
        async with open_app(settings_for(folder), DEFAULT_PROJECT) as app:
            await call_tool(app, "create_session", session_id=SESSION, purpose="Ten thousand of each")
            await add_notes(app, count, SESSION)
            await add_messages(app, SESSION, count)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, add()).result()


@dataclass
class PageWork:
    """`longest` is the longest time in milliseconds for which the page could not react."""

    longest: float = 0.0
    elements: int = 0


@contextmanager
def work_of(page: Page) -> Iterator[PageWork]:
    """What the page has to do meanwhile."""
    page.evaluate("() => { __work.longest = 0; __work.tasks = []; __work.most = 0; }")
    work = PageWork()
    yield work
    # Entries are handed over after the task itself has ended.
    page.evaluate("() => new Promise((go) => setTimeout(() => requestAnimationFrame(go), 100))")
    measured = page.evaluate("__work")
    work.longest, work.elements = measured["longest"], measured["most"]


def turn_wheel(page: Page, by: int) -> None:
    """Over whatever the mouse is."""
    for _ in range(WHEEL_STEPS):
        page.mouse.wheel(0, by)
        page.evaluate("() => new Promise(requestAnimationFrame)")


def first_paint(page: Page) -> float:
    """Milliseconds from the start of the navigation to the first content."""
    return float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1"))
