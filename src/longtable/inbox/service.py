"""Keeps how far each agent has got, and says what waits beyond that."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from longtable.inbox import store
from longtable.kernel.background import BackgroundTask
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger
from longtable.log.wakeups import Wakeups
from longtable.messages.store import newest_number
from longtable.storage.database import Transaction

SAVED_AFTER = 0.5
FRESH_FOR = SECOND // 5
MAX_HINTS = 10_000
NewAnswers = Callable[[Transaction, str, str, int], Awaitable[int]]
"""Counts the answers to an agent's questions in a session since a moment."""

_Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Hint:
    """`cursor` is how far the agent had got when it was made."""

    hint: dict[str, int] | None
    cursor: Fetched
    news: int
    until: int


@dataclass(frozen=True, slots=True)
class _Counted:
    """So many messages wait among those after one number and up to another: that never changes."""

    after: int
    up_to: int
    count: int


class Inboxes:
    """A cursor that has moved is saved soon after, not at once: to lose one costs a repeated hint, no message."""

    def __init__(self, ledger: Ledger, wakeups: Wakeups, new_answers: NewAnswers) -> None:
        self._ledger = ledger
        self._wakeups = wakeups
        self._new_answers = new_answers
        self._hints: dict[Caller, _Hint] = {}
        self._counted: dict[Caller, _Counted] = {}
        self._unsaved: dict[_Place, Fetched] = {}
        self._saving: BackgroundTask | None = None

    def fetched(self, caller: Caller, fetched: Fetched) -> None:
        known = self._hints.get(caller)
        if known is not None and _furthest(known.cursor, fetched) == known.cursor and self._is_fresh(caller, known):
            return
        place = (caller.tenant, caller.session, caller.agent)
        self._unsaved[place] = _furthest(self._unsaved.get(place, Fetched()), fetched)
        self._hints.pop(caller, None)
        if self._saving is None or self._saving.done():
            self._saving = self._ledger.background.start("inbox_cursors", self._save_later)

    async def hint(self, caller: Caller) -> dict[str, int] | None:
        """Looked up again when this process knows of a change, and after a moment in any case: another process may
        know of one."""
        known = self._hints.get(caller)
        if known is not None and self._is_fresh(caller, known):
            return known.hint
        news, now = self._wakeups.news(caller.tenant), self._ledger.clock()
        hint, cursor, counted = await self._look(caller)
        if len(self._hints) >= MAX_HINTS:
            self._hints.clear()
            self._counted.clear()
        self._hints[caller] = _Hint(hint, cursor, news, now + FRESH_FOR)
        self._counted[caller] = counted
        return hint

    def answers_shown(self, caller: Caller) -> Callable[[Transaction], Awaitable[int]]:
        """Finds up to which moment the caller has been shown the answers to its own questions."""
        cursor = self._cursor(caller)

        async def body(tx: Transaction) -> int:
            return (await cursor(tx)).answered_at

        return body

    def messages_shown(self, caller: Caller) -> Callable[[Transaction], Awaitable[int]]:
        """Finds up to which number the caller has been shown the messages of its session."""
        cursor = self._cursor(caller)

        async def body(tx: Transaction) -> int:
            return (await cursor(tx)).message

        return body

    def _cursor(self, caller: Caller) -> Callable[[Transaction], Awaitable[Fetched]]:
        # What is not saved yet is taken first: it may be saved before the store is asked, never the other way.
        reached = self._unsaved.get((caller.tenant, caller.session, caller.agent), Fetched())

        async def body(tx: Transaction) -> Fetched:
            return _furthest(await store.cursor(tx, caller), reached)

        return body

    def _is_fresh(self, caller: Caller, known: _Hint) -> bool:
        return known.news == self._wakeups.news(caller.tenant) and self._ledger.clock() < known.until

    async def _look(self, caller: Caller) -> tuple[dict[str, int] | None, Fetched, _Counted]:
        before, reached = self._counted.get(caller), self._cursor(caller)

        async def body(tx: Transaction) -> tuple[dict[str, int] | None, Fetched, _Counted]:
            cursor = await reached(tx)
            counted = await _count(tx, caller, cursor.message, before)
            answers = await self._new_answers(tx, caller.session, caller.agent, cursor.answered_at)
            if not counted.count and not answers:
                return None, cursor, counted
            return {"messages": counted.count, "answers": answers, "events_after": cursor.event}, cursor, counted

        return await self._ledger.read(caller, body)

    async def close(self) -> None:
        if self._saving is not None:
            self._saving.cancel()
        await self.save()

    async def save(self) -> None:
        while self._unsaved:
            (tenant, session_id, agent), reached = next(iter(self._unsaved.items()))

            async def body(tx: Transaction, place: _Place = (tenant, session_id, agent), at: Fetched = reached) -> None:
                await store.advance(tx, place[1], place[2], at)

            await self._ledger.database.write(tenant, body)
            if self._unsaved.get((tenant, session_id, agent)) == reached:
                del self._unsaved[tenant, session_id, agent]

    async def _save_later(self) -> None:
        await asyncio.sleep(SAVED_AFTER)
        with suppress(LongtableError):
            await self.save()


async def _count(tx: Transaction, caller: Caller, after: int, before: _Counted | None) -> _Counted:
    """Goes on where the count before ended: an agent may have written thousands itself, which wait for nobody."""
    newest = await newest_number(tx, caller.session)
    if before is None or before.after != after or before.up_to > newest:
        before = _Counted(after, after, 0)
    if before.up_to >= newest or before.count >= store.COUNTED:
        return before
    new = await store.new_messages(tx, caller, before.up_to, newest)
    return _Counted(after, newest, min(before.count + new, store.COUNTED))


def _furthest(one: Fetched, other: Fetched) -> Fetched:
    return Fetched(
        max(one.message, other.message), max(one.answered_at, other.answered_at), max(one.event, other.event)
    )
