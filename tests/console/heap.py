"""How much a page holds in memory, after everything that nobody needs was thrown away."""

from collections.abc import Callable

from playwright.sync_api import Page


def heap_of(page: Page) -> Callable[[], int]:
    """Measures the bytes that its scripts hold."""
    session = page.context.new_cdp_session(page)

    def measure() -> int:
        for _ in range(2):  # what only the first round has let go of
            session.send("HeapProfiler.collectGarbage")
        return int(session.send("Runtime.getHeapUsage")["usedSize"])

    return measure
