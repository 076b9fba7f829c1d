"""Pages of events, flat as every listener gets them."""

from typing import Any

from longtable.kernel.result import LimitedResult, Result, omitted_if_none


class EventList(LimitedResult):
    events: list[dict[str, Any]]
    next_after: int
    lagged: bool | None = omitted_if_none()


class ActivityPage(Result):
    """The newest first. `next_before` leads to the events before these, and is null where there are none; a stream
    that begins after `last_seq` misses nothing."""

    events: list[dict[str, Any]]
    count: int
    next_before: int | None
    last_seq: int
