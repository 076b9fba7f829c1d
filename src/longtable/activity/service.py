"""Reads a session's events: onwards, waiting for the next one when there is none, or back from the newest."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

from longtable.activity import store
from longtable.activity.arguments import ListActivity, ReadEvents
from longtable.activity.model import ActivityPage, EventList
from longtable.identity.model import EVERYONE, OVERSEERS
from longtable.kernel.call import Call
from longtable.kernel.clock import from_iso
from longtable.kernel.result import Fetched
from longtable.log.kinds import KindFilter
from longtable.log.ledger import Ledger
from longtable.log.reader import EventFilter, EventPage, PageRequest, read_pages
from longtable.log.shared_reads import SharedReads
from longtable.log.waits import Waits
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import first_within
from longtable.toolkit.tool import Route, tool

QUIET = "scratchpad/section_read"
"""Ends no wait, unless it is requested by name."""

_LOOKED_AHEAD = 500


class Activity:
    def __init__(self, ledger: Ledger, waits: Waits) -> None:
        self._ledger = ledger
        self._waits = waits
        self._pages = SharedReads(self._read_pages)

    @tool(
        "read_events",
        title="Read events",
        description="Read what happened since a number, or wait for the next.",
        group="workspace",
        roles=EVERYONE,
        audited_as="events_read",
    )
    async def read(self, call: Call, arguments: ReadEvents) -> EventList:
        kinds = KindFilter.parse("kinds", arguments.kinds)
        caller = call.caller
        request = PageRequest(EventFilter(caller, caller.session, kinds), arguments.after, arguments.limit)
        look = partial(self._look, request)
        page, _ = await self._waits.until(caller, arguments.wait_seconds, look, itemgetter(1))
        shown = first_within(_lean(page.events, call), call.max_chars)
        if len(shown) < len(page.events):
            page = EventPage(page.events[: len(shown)], shown[-1]["seq"])
            listed = EventList.of_json(events=shown, next_after=page.next_after, truncated=True)
        else:
            listed = EventList.of_json(events=shown, next_after=page.next_after)
        if not kinds.patterns and not page.is_beyond_log:
            listed.fetches(_fetched(page))
        listed.measured()
        return listed

    async def _look(self, request: PageRequest) -> tuple[EventPage, bool]:
        """The page, and whether it ends a wait. One that has only reads does if news come after them."""
        caller, kinds = request.event_filter.caller, request.event_filter.kinds
        topic = (caller.tenant, caller.session)
        page = seen = await self._pages.ask(topic, request)
        while not _is_news(kinds, seen) and len(seen.events) == request.limit:
            request = replace(request, after=seen.next_after, limit=_LOOKED_AHEAD)
            seen = await self._pages.ask(topic, request)
        return page, _is_news(kinds, seen)

    async def _read_pages(self, topic: tuple[str, str], requests: Sequence[PageRequest]) -> list[EventPage]:
        tenant, session_id = topic
        return await self._ledger.database.read(tenant, lambda tx: read_pages(tx, session_id, requests))

    @tool(
        "list_activity",
        title="Look back at what happened",
        description="List a session's events, the newest first.",
        group="workspace",
        roles=OVERSEERS,
        audited_as="events_read",
        over_mcp=False,
        routes=(Route("GET", "/sessions/{session_id}/activity"),),
    )
    async def look_back(self, call: Call, arguments: ListActivity) -> ActivityPage:
        before, limit = arguments.before, arguments.limit

        async def body(tx: Transaction) -> ActivityPage:
            # Read first: a stream that begins here also gets what is committed between the two reads.
            newest = await store.newest_visible(tx, call.caller)
            found = await store.visible_before(tx, call.caller, before, limit + 1)
            page = found[:limit]
            return ActivityPage.of_json(
                events=[event.flat() for event in page],
                count=len(page),
                next_before=page[-1].seq if len(found) > limit else None,
                last_seq=newest,
            )

        return await self._ledger.read(call.caller, body)


def _lean(events: list[dict[str, Any]], call: Call) -> Iterable[dict[str, Any]]:
    """The events without the caller's own session, to keep a model's answer short; a program gets every field."""
    if call.max_chars is None:
        return events
    own = call.caller.session
    return ({name: part for name, part in event.items() if name != "session_id" or part != own} for event in events)


def _is_news(kinds: KindFilter, page: EventPage) -> bool:
    return any(event["kind"] != QUIET or QUIET in kinds.patterns for event in page.events)


def _fetched(page: EventPage) -> Fetched:
    """A reader of all events has seen the messages and answers they are about."""
    messages = [event["message_id"] for event in page.events if event["kind"] == "message/added"]
    answers = [from_iso(event["timestamp"]) for event in page.events if event["kind"] == "scratchpad/question_answered"]
    return Fetched(max(messages, default=0), max(answers, default=0), page.next_after)
