"""Circuit breaker: after several failures in a row, calls are refused at once for a while."""

import time
from collections.abc import Callable

from longtable.kernel.errors import UpstreamError

FAILURES = 5
PAUSE = 30.0


class CircuitBreaker:
    """Opens after `failures` in a row for PAUSE seconds, then admits one call as a probe."""

    def __init__(self, name: str, *, failures: int = FAILURES, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._max_failures = failures
        self._clock = clock
        self._failures = 0
        self._open_until: float | None = None
        self._probing = False

    @property
    def is_open(self) -> bool:
        """Whether the next call would be refused."""
        return self._open_until is not None and (self._probing or self._clock() < self._open_until)

    def admit(self) -> None:
        """An admitted caller must report how it ended: succeeded, failed or abandoned. Raises UpstreamError when
        open."""
        if self._open_until is None:
            return
        if self.is_open:
            wait = round(max(self._open_until - self._clock(), 0.1), 1)
            raise UpstreamError(
                f"{self._name} failed {self._failures} times in a row and is left alone for a while.",
                hint=f"Try again in {wait} s.",
                upstream=self._name,
                retry_after=wait,
            )
        self._probing = True

    def succeeded(self) -> None:
        self._failures = 0
        self._open_until = None
        self._probing = False

    def failed(self) -> None:
        self._failures += 1
        self._probing = False
        if self._failures >= self._max_failures:
            self._open_until = self._clock() + PAUSE

    def abandoned(self) -> None:
        """The call was cancelled before there was an outcome."""
        self._probing = False
