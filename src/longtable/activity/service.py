"""Reads a session's events, and waits for the next one when there is none."""

from collections.abc import Sequence
from dataclasses import dataclass

from longtable.activity.model import EventList
from longtable.kernel.call import Call
from longtable.log.ledger import Ledger
from longtable.log.reader import EventPage, read_events
from longtable.log.waits import Waits
from longtable.storage.database import Transaction

QUIET = "scratchpad/section_read"
"""Reading is no news: it ends nobody's wait, unless they asked for it by name."""


@dataclass(frozen=True, slots=True)
class EventQuery:
    after: int
    kinds: Sequence[str] | None
    limit: int
    wait_seconds: float

    def is_news(self, page: EventPage) -> bool:
        asked_for = QUIET in (self.kinds or ())
        return any(asked_for or event["kind"] != QUIET for event in page.events)


class Activity:
    def __init__(self, ledger: Ledger, waits: Waits) -> None:
        self._ledger = ledger
        self._waits = waits

    async def read(self, call: Call, wanted: EventQuery) -> EventList:
        async def look() -> EventPage:
            return await self._page(call, wanted)

        page = await self._waits.until(call.caller.tenant, wanted.wait_seconds, look, wanted.is_news)
        return EventList(events=page.events, next_after=page.next_after)

    async def _page(self, call: Call, wanted: EventQuery) -> EventPage:
        async def body(tx: Transaction) -> EventPage:
            return await read_events(tx, call.caller, wanted.after, wanted.kinds, wanted.limit)

        return await self._ledger.read(call.caller, body)
