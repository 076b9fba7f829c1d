"""Reads a session's events: onwards, waiting for the next one when there is none, or back from the newest."""

from dataclasses import dataclass

from longtable.activity import store
from longtable.activity.model import ActivityPage, EventList
from longtable.kernel.call import Call
from longtable.kernel.clock import from_iso
from longtable.kernel.result import Fetched
from longtable.log.kinds import KindFilter
from longtable.log.ledger import Ledger
from longtable.log.reader import EventFilter, EventPage, read_page
from longtable.log.waits import Waits
from longtable.storage.database import Transaction

QUIET = "scratchpad/section_read"
"""Reading is no news: it ends nobody's wait, unless they asked for it by name."""


@dataclass(frozen=True, slots=True)
class EventQuery:
    after: int
    kinds: KindFilter
    limit: int
    wait_seconds: float

    def is_news(self, page: EventPage) -> bool:
        asked_for = QUIET in self.kinds.patterns
        return any(asked_for or event["kind"] != QUIET for event in page.events)


class Activity:
    def __init__(self, ledger: Ledger, waits: Waits) -> None:
        self._ledger = ledger
        self._waits = waits

    async def read(self, call: Call, wanted: EventQuery) -> EventList:
        async def look() -> EventPage:
            return await self._page(call, wanted)

        page = await self._waits.until(call.caller, wanted.wait_seconds, look, wanted.is_news)
        listed = EventList(events=page.events, next_after=page.next_after)
        if not wanted.kinds.patterns:
            listed.fetches(_fetched(page))
        return listed

    async def look_back(self, call: Call, before: int | None, limit: int) -> ActivityPage:
        async def body(tx: Transaction) -> ActivityPage:
            # The newest first: what is committed between the two reads comes after it, so no stream misses it.
            newest = await store.newest_visible(tx, call.caller)
            found = await store.visible_before(tx, call.caller, before, limit + 1)
            page = found[:limit]
            return ActivityPage(
                events=[event.flat() for event in page],
                count=len(page),
                next_before=page[-1].seq if len(found) > limit else None,
                last_seq=newest,
            )

        return await self._ledger.read(call.caller, body)

    async def _page(self, call: Call, wanted: EventQuery) -> EventPage:
        async def body(tx: Transaction) -> EventPage:
            event_filter = EventFilter(call.caller, call.caller.session, wanted.kinds)
            return await read_page(tx, event_filter, wanted.after, wanted.limit)

        return await self._ledger.read(call.caller, body)


def _fetched(page: EventPage) -> Fetched:
    """Who reads all events has seen what they tell of: each message and each answer."""
    messages = [event["message_id"] for event in page.events if event["kind"] == "message/added"]
    answers = [from_iso(event["timestamp"]) for event in page.events if event["kind"] == "scratchpad/question_answered"]
    return Fetched(max(messages, default=0), max(answers, default=0), page.next_after)
