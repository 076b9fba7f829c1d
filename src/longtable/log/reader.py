"""Reads the log: a tenant's or a session's events in order, as one caller may see them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.log.kinds import ALL_KINDS, KindFilter
from longtable.log.model import may_see, viewer, visible_rows
from longtable.storage.database import Transaction

_SHARED = 500
"""Events that are read at once for many readers; where there are more, each reads for itself."""
_START = """(SELECT SUBSTR({table}.content, 1, 200) FROM {table} WHERE {table}.tenant = :tenant
    AND {table}.session_id = events.session_id AND {table}.number = events.about)"""
COLUMNS = f"""seq, kind, session_id, actor, actor_type, visibility, payload, created_at,
    CASE WHEN about IS NULL THEN NULL WHEN kind = 'message/added' THEN {_START.format(table="messages")}
        ELSE {_START.format(table="notes")} END AS content_preview, addressee"""
"""What a `LoggedEvent` is made of."""


class LoggedEvent(NamedTuple):
    """An event as the log holds it. `content_preview` is the start of the text that it is about; older events have it
    in their payload."""

    seq: int
    kind: str
    session_id: str | None
    actor: str
    actor_type: str
    visibility: str
    payload: str
    created_at: int
    content_preview: str | None = None
    addressee: str | None = None

    def flat(self) -> dict[str, Any]:
        """The event as every listener gets it: one flat object."""
        flat = {
            "seq": self.seq,
            "kind": self.kind,
            "session_id": self.session_id,
            "actor": self.actor,
            "timestamp": to_iso(self.created_at),
            **json.loads(self.payload),
        }
        if self.content_preview is not None:
            flat["content_preview"] = self.content_preview
        return flat


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Selects the events of one session and of no session, or (None) of the whole tenant; of all kinds, or some."""

    caller: Caller
    session_id: str | None
    kinds: KindFilter = ALL_KINDS

    @property
    def is_counted(self) -> bool:
        """Whether it counts as a subscription of its caller."""
        return True

    def matches(self, event: LoggedEvent) -> bool:
        """`visible_after` is the same rule in SQL."""
        if self.session_id is not None and event.session_id not in (self.session_id, None):
            return False
        seen = may_see(self.caller, event.actor, event.actor_type, event.visibility, event.addressee)
        return seen and self.kinds.matches(event.kind)

    async def page_after(self, tx: Transaction, after: int, limit: int) -> list[LoggedEvent]:
        return await visible_after(tx, self, after, limit)

    def show(self, event: LoggedEvent) -> dict[str, Any]:
        return event.flat()


@dataclass(frozen=True, slots=True)
class EventPage:
    """`next_after` is the cursor to go on from: no event that the caller may see lies before it unread.
    `is_beyond_log` says that the cursor it was read from names an event that is yet to come."""

    events: list[dict[str, Any]]
    next_after: int
    is_beyond_log: bool = False


@dataclass(frozen=True, slots=True)
class PageRequest:
    event_filter: EventFilter
    after: int
    limit: int

    def select(self, events: Sequence[tuple[LoggedEvent, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Picks the events of this page from those of its session. Each comes with its form for listeners."""
        matches, after = self.event_filter.matches, self.after
        return [flat for event, flat in events if event.seq > after and matches(event)][: self.limit]


async def head(tx: Transaction) -> int:
    """The number of the tenant's newest event."""
    row = await tx.first("SELECT event_seq FROM audit_heads WHERE tenant = :tenant")
    return int(row["event_seq"]) if row else 0


async def tail(tx: Transaction, after: int, limit: int) -> list[LoggedEvent]:
    """All events of the tenant after `after`, whatever their visibility."""
    rows = await tx.tuples(
        f"SELECT {COLUMNS} FROM events WHERE tenant = :tenant AND seq > :after ORDER BY seq LIMIT :limit",
        after=after,
        limit=limit,
    )
    return list(starmap(LoggedEvent, rows))


async def visible_after(tx: Transaction, event_filter: EventFilter, after: int, limit: int) -> list[LoggedEvent]:
    kinds, patterns = event_filter.kinds.as_sql()
    condition = f"AND {visible_rows('actor', 'actor_type')} {kinds}"
    parameters = {**viewer(event_filter.caller), **patterns}
    return await _after(tx, event_filter.session_id, after, limit, condition, parameters)


async def read_page(tx: Transaction, event_filter: EventFilter, after: int, limit: int) -> EventPage:
    # The head first: what is committed between the two reads is then shown, never skipped.
    newest = await head(tx)
    found = await visible_after(tx, event_filter, after, limit)
    return _page([event.flat() for event in found], after, limit, newest)


async def read_pages(tx: Transaction, session_id: str, requests: Sequence[PageRequest]) -> list[EventPage]:
    """Of one session. What many read at once is read once for all, and then shown to each who may see it."""
    if len(requests) > 1:
        newest = await head(tx)
        events = await _after(tx, session_id, min(request.after for request in requests), _SHARED, "", {})
        if len(events) < _SHARED:
            shown = [(event, event.flat()) for event in events]
            return [_page(request.select(shown), request.after, request.limit, newest) for request in requests]
    return [await read_page(tx, request.event_filter, request.after, request.limit) for request in requests]


def _page(shown: list[dict[str, Any]], after: int, limit: int, newest: int) -> EventPage:
    last = shown[-1]["seq"] if shown else after
    next_after = last if len(shown) == limit else max(last, newest)
    return EventPage(shown, next_after, is_beyond_log=not shown and after > newest)


async def _after(
    tx: Transaction, session_id: str | None, after: int, limit: int, condition: str, parameters: dict[str, Any]
) -> list[LoggedEvent]:
    named = {} if session_id is None else {"session_id": session_id}
    # Two ranges of one index, merged: an OR would make the store sort all remaining rows.
    places = ("",) if session_id is None else ("AND session_id = :session_id", "AND session_id IS NULL")
    ranges = [
        f"SELECT {COLUMNS} FROM events WHERE tenant = :tenant AND seq > :after {place} {condition}" for place in places
    ]
    rows = await tx.tuples(
        f"{' UNION ALL '.join(ranges)} ORDER BY seq LIMIT :limit", after=after, limit=limit, **named, **parameters
    )
    return list(starmap(LoggedEvent, rows))
