"""Counts what is refused because a limit is reached, and logs each limit at most once a minute."""

import asyncio
from collections import Counter
from collections.abc import Callable

from longtable.kernel.logs import logger

LOG_SECONDS = 60.0


class Refusals:
    """`on_refusal` is called for every refusal; the log gets the first, then one line a minute with how many more."""

    def __init__(self) -> None:
        self.on_refusal: Callable[[str], None] | None = None
        self.totals: Counter[str] = Counter()
        self._unlogged: dict[str, int] = {}

    def count(self, limit: str) -> None:
        """Needs a running event loop."""
        self.totals[limit] += 1
        if self.on_refusal is not None:
            self.on_refusal(limit)
        if limit in self._unlogged:
            self._unlogged[limit] += 1
        else:
            self._log(limit, 1)

    def _log(self, limit: str, refused: int) -> None:
        logger.warning("limit_reached", limit=limit, refused=refused)
        self._unlogged[limit] = 0
        asyncio.get_running_loop().call_later(LOG_SECONDS, self._log_rest, limit)

    def _log_rest(self, limit: str) -> None:
        refused = self._unlogged.pop(limit)
        if refused:
            self._log(limit, refused)
