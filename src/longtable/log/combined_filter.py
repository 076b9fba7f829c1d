"""Several event filters read as one: each event once, in order."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from longtable.kernel.caller import Caller
from longtable.log.kinds import ALL_KINDS, KindFilter
from longtable.log.reader import EventFilter, LoggedEvent
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class CombinedFilter(EventFilter):
    """Matches what any of `members` matches. It belongs to no session, so that the end of one does not end it."""

    members: tuple[EventFilter, ...] = ()

    @classmethod
    def of(cls, caller: Caller, members: Sequence[EventFilter]) -> "CombinedFilter":
        return cls(caller, None, ALL_KINDS, tuple(members))

    @property
    def is_counted(self) -> bool:
        """Its members were counted when they were created."""
        return False

    def matches(self, event: LoggedEvent) -> bool:
        return any(member.matches(event) for member in self.members)

    async def page_after(self, tx: Transaction, after: int, limit: int) -> list[LoggedEvent]:
        pages = [await event_filter.page_after(tx, after, limit) for event_filter in self._by_session()]
        page: list[LoggedEvent] = []
        for event in heapq.merge(*pages, key=lambda event: event.seq):
            if len(page) == limit:
                break
            if not page or page[-1].seq != event.seq:
                page.append(event)
        return page

    def _by_session(self) -> list[EventFilter]:
        """One filter for each caller and session, of all kinds that any member selects there."""
        kinds: dict[tuple[Caller, str | None], list[KindFilter]] = {}
        for member in self.members:
            kinds.setdefault((member.caller, member.session_id), []).append(member.kinds)
        return [EventFilter(caller, session_id, _united(filters)) for (caller, session_id), filters in kinds.items()]


def _united(filters: list[KindFilter]) -> KindFilter:
    if not all(each.patterns for each in filters):
        return ALL_KINDS
    return KindFilter(tuple(dict.fromkeys(pattern for each in filters for pattern in each.patterns)))
