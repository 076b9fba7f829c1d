"""When a connection that failed may be opened again: after growing pauses, and not without end."""

import random
import time
from collections import deque
from collections.abc import Callable

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 60.0
STEADY_AFTER = 60.0
"""Seconds after which a connection counts as one that works: its end is the first failure again."""
MAX_STARTS = 10
WINDOW = 600.0


class RestartBackoff:
    """`max_starts` bounds the starts within the window: a process costs more than a request."""

    def __init__(
        self,
        *,
        max_starts: int = MAX_STARTS,
        clock: Callable[[], float] = time.monotonic,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._max_starts = max_starts
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

    def ended(self) -> None:
        """It did not start, or it has broken off."""
        now = self._clock()
        if self._opened is not None and now - self._opened >= STEADY_AFTER:
            self._failures = 0
            self._starts.clear()
        self._opened = None
        pause = min(FIRST_PAUSE * 2**self._failures, LONGEST_PAUSE)
        self._failures = min(self._failures + 1, 16)
        self._earliest = now + pause * (0.5 + self._jitter() / 2)
