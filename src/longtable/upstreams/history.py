"""What became of the connections of an upstream: how often it was started, what went wrong last, what it wrote."""

from longtable.kernel.clock import system_clock, to_iso
from longtable.upstreams.port import UpstreamStatus


class ConnectionHistory:
    def __init__(self) -> None:
        self._starts = 0
        self._started_at: int | None = None
        self._last_error: str | None = None
        self._last_error_at: int | None = None
        self._log = ""

    def opened(self) -> None:
        self._starts += 1
        self._started_at = system_clock()

    def failed(self, problem: str, log: str) -> None:
        self._last_error, self._last_error_at = problem, system_clock()
        self._log = log

    def status(self, log: str = "") -> UpstreamStatus:
        """`log` is what the current process wrote; without, that of the last one counts."""
        return UpstreamStatus(
            restarts=max(self._starts - 1, 0),
            started_at=None if self._started_at is None else to_iso(self._started_at),
            last_error=self._last_error,
            last_error_at=None if self._last_error_at is None else to_iso(self._last_error_at),
            log=tuple((log or self._log).splitlines()),
        )
