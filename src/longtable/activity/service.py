"""Reads a session's events, and waits for the next one when there is none."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from longtable.activity.model import EventList
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import CapacityLimitReached
from longtable.log.ledger import Ledger
from longtable.log.reader import EventPage, read_events
from longtable.log.wakeups import Wakeups
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class EventQuery:
    after: int
    kinds: Sequence[str] | None
    limit: int
    wait_seconds: float


class Activity:
    def __init__(self, ledger: Ledger, wakeups: Wakeups, max_waits: int) -> None:
        self._ledger = ledger
        self._wakeups = wakeups
        self._max_waits = max_waits
        self._waits: Counter[str] = Counter()

    async def read(self, call: Call, wanted: EventQuery) -> EventList:
        if wanted.wait_seconds == 0:
            return _listed(await self._page(call, wanted))
        tenant = call.caller.tenant
        if self._waits[tenant] >= self._max_waits:
            raise CapacityLimitReached(f"{self._max_waits} calls are waiting already, which is the limit.")
        self._waits[tenant] += 1
        try:
            return _listed(await self._wait(call, wanted))
        finally:
            self._waits[tenant] -= 1

    async def _wait(self, call: Call, wanted: EventQuery) -> EventPage:
        deadline = self._ledger.clock() + int(wanted.wait_seconds * SECOND)
        with self._wakeups.subscribe(call.caller.tenant) as wakeup:
            while True:
                page = await self._page(call, wanted)
                left = (deadline - self._ledger.clock()) / SECOND
                if page.events or left <= 0 or not await wakeup.wait(left):
                    return page

    async def _page(self, call: Call, wanted: EventQuery) -> EventPage:
        async def body(tx: Transaction) -> EventPage:
            return await read_events(tx, call.caller, wanted.after, wanted.kinds, wanted.limit)

        return await self._ledger.read(call.caller, body)


def _listed(page: EventPage) -> EventList:
    return EventList(events=page.events, next_after=page.next_after)
