"""Time as a value that is handed in: whole microseconds since 1970, shown as ISO 8601 UTC."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

Clock = Callable[[], int]
"""Returns the current time in microseconds since 1970-01-01T00:00:00Z."""

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_WITHOUT_ZONE = datetime(1970, 1, 1)  # noqa: DTZ001 - it is UTC, and isoformat is fast without a zone


def system_clock() -> int:
    return time.time_ns() // 1_000


def to_iso(moment: int) -> str:
    return f"{_to_second(moment // SECOND)}.{moment % SECOND:06}Z"


@lru_cache(maxsize=4096)
def _to_second(second: int) -> str:
    """Cached: rows that are read together were often written within the same second."""
    return (_EPOCH_WITHOUT_ZONE + timedelta(seconds=second)).isoformat()


def from_iso(text: str) -> int:
    """Raises ValueError for anything that is not an ISO 8601 moment; one without a zone is UTC."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1)
