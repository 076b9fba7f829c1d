"""Several interests read as one: each event once, in order, with those that want it."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from longtable.kernel.caller import Caller
from longtable.log.kinds import ALL_KINDS, KindFilter
from longtable.log.reader import Interest, Logged
from longtable.storage.database import Transaction

Show = Callable[[Logged], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class JointInterest(Interest):
    """Wants what any of `members` wants, and is shown as `shown_as` says. It belongs to no session, so that the end of
    one does not end it."""

    members: tuple[Interest, ...] = ()
    shown_as: Show = Logged.flat

    @classmethod
    def of(cls, caller: Caller, members: Sequence[Interest], shown_as: Show) -> "JointInterest":
        return cls(caller, None, ALL_KINDS, tuple(members), shown_as)

    @property
    def is_counted(self) -> bool:
        """Its members were counted when they were made."""
        return False

    def wants(self, event: Logged) -> bool:
        return any(member.wants(event) for member in self.members)

    async def page_after(self, tx: Transaction, after: int, limit: int) -> list[Logged]:
        pages = [await interest.page_after(tx, after, limit) for interest in self._by_place()]
        page: list[Logged] = []
        for event in heapq.merge(*pages, key=lambda event: event.seq):
            if len(page) == limit:
                break
            if not page or page[-1].seq != event.seq:
                page.append(event)
        return page

    def show(self, event: Logged) -> dict[str, Any]:
        return self.shown_as(event)

    def _by_place(self) -> list[Interest]:
        """One for each session and reader, of all kinds that are wanted there."""
        kinds: dict[tuple[Caller, str | None], list[KindFilter]] = {}
        for member in self.members:
            kinds.setdefault((member.caller, member.session_id), []).append(member.kinds)
        return [Interest(caller, session_id, _united(wanted)) for (caller, session_id), wanted in kinds.items()]


def _united(filters: list[KindFilter]) -> KindFilter:
    if not all(each.patterns for each in filters):
        return ALL_KINDS
    return KindFilter(tuple(dict.fromkeys(pattern for each in filters for pattern in each.patterns)))
