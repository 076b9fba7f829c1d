"""A page of events, flat as every listener gets them."""

from typing import Any

from longtable.kernel.result import Result, when_there


class EventList(Result):
    events: list[dict[str, Any]]
    next_after: int
    lagged: bool | None = when_there()
