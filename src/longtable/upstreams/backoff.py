"""Exponential backoff with jitter for connections, and a bound on starts within a window."""

import random
import time
from collections import deque
from collections.abc import Callable

from longtable.kernel.errors import UpstreamError

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 60.0
STEADY_AFTER = 60.0
"""A connection that lasted so many seconds resets the backoff."""
MAX_STARTS = 10
PROGRAM_GROWTH = 4
"""A start costs a program most of a second of processor time, which calls of other upstreams then wait for."""
WINDOW = 600.0


class RestartBackoff:
    """`max_starts` within the window: a process costs more than a request. With each failure the pause is
    `growth` times as long."""

    def __init__(
        self,
        *,
        max_starts: int = MAX_STARTS,
        growth: int = 2,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._max_starts = max_starts
        self._growth = growth
        self._clock = clock
        self._jitter = jitter
        self._failures = 0
        self._earliest = 0.0
        self._opened: float | None = None
        self._starts: deque[float] = deque(maxlen=max_starts)

    def delay(self) -> float:
        """Seconds until the next start is allowed."""
        now = self._clock()
        delay = self._earliest - now
        if len(self._starts) == self._max_starts:
            delay = max(delay, self._starts[0] + WINDOW - now)
        return max(delay, 0.0)

    def starting(self) -> None:
        self._starts.append(self._clock())

    def opened(self) -> None:
        self._opened = self._clock()

    def rested(self) -> None:
        """The connection was ended because nobody used it: its start is no sign of a crash loop."""
        if self._starts:
            self._starts.pop()
        self._closed(self._clock())

    def ended(self) -> None:
        """It failed to start, or the connection was lost."""
        now = self._clock()
        self._closed(now)
        pause = min(FIRST_PAUSE * self._growth**self._failures, LONGEST_PAUSE)
        self._failures = min(self._failures + 1, 16)
        self._earliest = now + pause * (0.5 + self._jitter() / 2)

    def _closed(self, now: float) -> None:
        if self._opened is not None and now - self._opened >= STEADY_AFTER:
            self._failures = 0
            self._starts.clear()
        self._opened = None


def not_running(name: str, problem: str | None, wait: float) -> UpstreamError:
    return UpstreamError(
        f"{name} is not running: {problem or 'it failed'}",
        hint=f"The next attempt is in {wait:.0f} s.",
        upstream=name,
        retry_after=round(wait, 1),
    )
