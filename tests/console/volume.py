"""A session with more in it than anybody reads, and what a browser has to do to show it."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

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
