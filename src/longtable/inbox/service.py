"""Keeps how far each agent has got, and says what waits beyond that. What an answer shows counts as shown when the
agent's next call arrives, never because it was made."""

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from longtable.inbox import store
from longtable.inbox.offers import NO_OFFER, NOTHING, Offer, Offers, Place, StoredOffer, furthest
from longtable.inbox.store import NOWHERE, InboxPosition
from longtable.kernel.background import BackgroundTask
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.delivery import DELIVERY, Delivery
from longtable.kernel.errors import LongtableError
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger
from longtable.log.shared_reads import SharedReads
from longtable.log.wakeups import Wakeups
from longtable.messages.store import newest_number
from longtable.storage.database import Transaction

SAVED_AFTER = 0.5
OFFERS_SAVED_AFTER = 0.25
"""Seconds. Mostly the next call has confirmed an offer by then, so that nobody else need know of it."""
FRESH_FOR = SECOND // 5
TOLD_FRESH_FOR = 2 * SECOND
"""For an inbox in which nothing waits, where the store tells this process what others commit."""
MAX_HINTS = 10_000
NewAnswers = Callable[[Transaction, str, str, int], Awaitable[int]]
"""Counts the answers to an agent's questions in a session since a moment."""


@dataclass(frozen=True, slots=True)
class _Hint:
    """`seen` is how far the agent had got when the hint was made, including answers that were sent; `confirmed` leaves
    those out."""

    hint: dict[str, int] | None
    seen: Fetched
    confirmed: Fetched
    news: int
    until: int

    def still_holds(self, sent: Fetched) -> bool:
        """False when more was sent since, or when something that was sent got lost."""
        return self.seen is self.confirmed if sent is NOTHING else furthest(self.confirmed, sent) == self.seen


@dataclass(frozen=True, slots=True)
class _Counted:
    """How many messages between two numbers wait for an agent. That never changes."""

    after: int
    up_to: int
    count: int


@dataclass(frozen=True, slots=True)
class _HintRequest:
    """What is needed to make a hint, besides the store."""

    caller: Caller
    sent: Fetched
    before: _Counted | None
    confirming: Callable[[InboxPosition], Fetched]
    news: int
    until: int


class Inboxes:
    """A cursor that has moved is saved soon after, not at once: to lose one costs a repetition, no message."""

    def __init__(self, ledger: Ledger, wakeups: Wakeups, new_answers: NewAnswers) -> None:
        self._ledger = ledger
        self._wakeups = wakeups
        self._new_answers = new_answers
        self._process = secrets.token_hex(8)
        self._offers = Offers()
        self._hints: dict[Caller, _Hint] = {}
        self._counted: dict[Caller, _Counted] = {}
        self._lookups = SharedReads(self._read_hints)
        self._unsaved: dict[Place, Fetched] = {}
        self._saving: BackgroundTask | None = None

    def confirm(self, caller: Caller) -> None:
        """A call of the caller begins: what it was sent before has arrived, unless something shows that it has not."""
        place = (caller.tenant, caller.session_id or "", caller.agent)
        if place in self._offers.by_place:
            confirmed = self._offers.confirm(place, DELIVERY.get())
            if confirmed is not None:
                self._advance(place, confirmed)

    def offer(self, caller: Caller, fetched: Fetched) -> None:
        """The answer to the call at hand shows all up to `fetched`; that counts once the next call confirms it."""
        known = self._hints.get(caller)
        place = (caller.tenant, caller.session, caller.agent)
        confirmed = furthest(known.confirmed if known else NOTHING, self._unsaved.get(place, NOTHING))
        if not _reaches(confirmed, fetched):
            delivery = DELIVERY.get()
            delivery.when_sent(partial(self._sent, place, fetched, delivery))

    async def hint(self, caller: Caller, fetched: Fetched | None = None) -> dict[str, int] | None:
        """What waits for the caller beyond what this answer shows. Looked up again when this process knows of a
        change, and after a moment in any case: another process may know of one."""
        sent = self._sent_up_to(caller, fetched)
        known = self._hints.get(caller)
        news = self._wakeups.inbox_version(caller.tenant, caller.agent)
        if known is not None and known.still_holds(sent) and known.news == news and self._ledger.clock() < known.until:
            return known.hint
        if len(self._hints) >= MAX_HINTS:
            self._hints.clear()
            self._counted.clear()
        looked_up = await self._look(caller, sent)
        self._hints[caller] = looked_up
        return looked_up.hint

    async def shown(self, caller: Caller) -> Fetched:
        """How far the caller has been shown things by answers that it has received."""
        confirmed = self._confirming(caller)

        async def body(tx: Transaction) -> tuple[InboxPosition, Fetched]:
            row = (await store.reached_by(tx, caller.session, [caller.agent])).get(caller.agent, NOWHERE)
            return row, confirmed(row)

        row, reached = await self._ledger.read(caller, body)
        self._learn(caller, row, reached)
        return reached

    def _sent_up_to(self, caller: Caller, fetched: Fetched | None) -> Fetched:
        place = (caller.tenant, caller.session_id or "", caller.agent)
        offered = place in self._offers.by_place
        shown = self._offers.shown(place, DELIVERY.get().connection) if offered else NOTHING
        unsaved = self._unsaved.get(place, NOTHING)
        if fetched is None and shown is unsaved:
            return NOTHING
        return furthest(fetched or NOTHING, shown, unsaved)

    def _sent(self, place: Place, fetched: Fetched, delivery: Delivery) -> None:
        stored = StoredOffer(fetched, self._ledger.clock(), delivery.connection, self._process)
        requests = delivery.transport.requests if delivery.transport is not None else 0
        self._offers.add(place, Offer(stored, delivery.transport, time.perf_counter(), requests))
        self._save_soon()

    def _advance(self, place: Place, reached: Fetched) -> None:
        self._unsaved[place] = furthest(self._unsaved.get(place, NOTHING), reached)
        self._save_soon()

    def _confirming(self, caller: Caller) -> Callable[[InboxPosition], Fetched]:
        """Returns a function that tells from a row of the store how far the agent has got. The row may hold an offer of
        another process, which this call confirms."""
        # What is not saved yet is taken first: it may be saved before the store is asked, never the other way.
        unsaved = self._unsaved.get((caller.tenant, caller.session, caller.agent), NOTHING)
        delivery = DELIVERY.get()
        began = None
        if delivery.arrived_at is not None:
            began = self._ledger.clock() - int((time.perf_counter() - delivery.arrived_at) * SECOND)

        def confirmed(row: InboxPosition) -> Fetched:
            cursor, offer = furthest(row.cursor, unsaved), row.offer
            # Of our own offers we know more than the store does.
            if began is None or offer.process == self._process or offer.connection != delivery.connection:
                return cursor
            return furthest(cursor, offer.fetched) if offer.sent_at <= began else cursor

        return confirmed

    def _learn(self, caller: Caller, row: InboxPosition, confirmed: Fetched) -> None:
        if not _reaches(row.cursor, confirmed):
            self._advance((caller.tenant, caller.session, caller.agent), confirmed)

    async def _look(self, caller: Caller, sent: Fetched) -> _Hint:
        news, until = self._wakeups.inbox_version(caller.tenant, caller.agent), self._ledger.clock() + FRESH_FOR
        lookup = _HintRequest(caller, sent, self._counted.get(caller), self._confirming(caller), news, until)
        hint, self._counted[caller], row = await self._lookups.ask((caller.tenant, caller.session), lookup)
        if hint.hint is None and self._ledger.database.hears_others:
            hint = replace(hint, until=until - FRESH_FOR + TOLD_FRESH_FOR)
        self._learn(caller, row, hint.confirmed)
        return hint

    async def _read_hints(
        self, topic: tuple[str, str], lookups: Sequence[_HintRequest]
    ) -> list[tuple[_Hint, _Counted, InboxPosition]]:
        tenant, session_id = topic

        async def body(tx: Transaction) -> list[tuple[_Hint, _Counted, InboxPosition]]:
            newest = await newest_number(tx, session_id)
            rows = await store.reached_by(tx, session_id, [lookup.caller.agent for lookup in lookups])
            return [await self._made(tx, lookup, rows.get(lookup.caller.agent, NOWHERE), newest) for lookup in lookups]

        return await self._ledger.database.read(tenant, body)

    async def _made(
        self, tx: Transaction, lookup: _HintRequest, row: InboxPosition, newest: int
    ) -> tuple[_Hint, _Counted, InboxPosition]:
        caller, confirmed = lookup.caller, lookup.confirming(row)
        seen = confirmed if lookup.sent is NOTHING else furthest(confirmed, lookup.sent)
        counted = await _count(tx, caller, seen.message, lookup.before, newest)
        answers = await self._new_answers(tx, caller.session, caller.agent, seen.answered_at)
        waiting = {"messages": counted.count, "answers": answers, "events_after": seen.event}
        hint = waiting if counted.count or answers else None
        return _Hint(hint, seen, confirmed, lookup.news, lookup.until), counted, row

    async def close(self) -> None:
        if self._saving is not None:
            self._saving.cancel()
        await self.save()

    async def save(self) -> None:
        """Once over all that is not saved yet. What moves on meanwhile stays for the next time."""
        cursors, offers = dict(self._unsaved), dict(self._offers.to_save())
        rows: defaultdict[str, dict[tuple[str, str], InboxPosition]] = defaultdict(dict)
        for place in {**cursors, **offers}:
            offer = offers[place].stored if place in offers else NO_OFFER
            rows[place[0]][place[1:]] = InboxPosition(cursors.get(place, NOTHING), offer)
        for tenant, of_tenant in rows.items():
            await self._ledger.database.write(tenant, partial(store.save, rows=of_tenant))
        for place, cursor in cursors.items():
            if self._unsaved.get(place) == cursor:
                del self._unsaved[place]
        for place, saved in offers.items():
            self._offers.saved(place, saved)

    def _save_soon(self) -> None:
        if self._saving is None or self._saving.done():
            self._saving = self._ledger.background.start("inbox_cursors", self._save_later)

    async def _save_later(self) -> None:
        while self._unsaved or self._offers.has_unsaved:
            await asyncio.sleep(OFFERS_SAVED_AFTER if self._offers.has_unsaved else SAVED_AFTER)
            with suppress(LongtableError):
                await self.save()


async def _count(tx: Transaction, caller: Caller, after: int, before: _Counted | None, newest: int) -> _Counted:
    """Goes on where the count before ended: an agent may have written thousands itself, which wait for nobody."""
    if before is None or before.after != after or before.up_to > newest:
        before = _Counted(after, after, 0)
    if before.up_to >= newest or before.count >= store.COUNTED:
        return before
    new = await store.new_messages(tx, caller, before.up_to, newest)
    return _Counted(after, newest, min(before.count + new, store.COUNTED))


def _reaches(cursor: Fetched, place: Fetched) -> bool:
    return place is NOTHING or furthest(cursor, place) == cursor
