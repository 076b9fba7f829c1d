"""Brings answers to those who asked: at once when they are there already, else as soon as they come. An answer that
the agent has not been shown is never passed over."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.content import check_count
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.questions import store
from longtable.questions.model import (
    MAX_IDS,
    AnsweredQuestions,
    AnswersAwaited,
    Question,
    known_question,
    numbers_in,
    question_id,
)
from longtable.questions.store import QuestionFilter
from longtable.storage.database import Transaction

_A_MOMENT_LATER = SECOND // 1_000
"""Added to a wait for an expiry: timers may ring a little before the clock has come that far."""

Shown = Callable[[Caller], Awaitable[Fetched]]
"""How far the caller has been shown things by answers that it has received."""


@dataclass(frozen=True, slots=True)
class _Look:
    """The questions that were looked for, and all answers to the caller that it has not been shown."""

    asked: Sequence[Question]
    new: Sequence[Question]

    @property
    def is_over(self) -> bool:
        return not self.asked or any(question.is_settled for question in self.asked)

    def fetched(self, caller: Caller) -> Fetched:
        """The moment up to which nothing new remains unshown, once these have been shown."""
        shown = {question.number for question in self.asked}
        unshown = [question.answered_at or 0 for question in self.new if question.number not in shown]
        moments = [question.answered_at or 0 for question in self.asked if question.asked_by == caller.agent]
        first_unshown = min(unshown, default=math.inf)
        return Fetched(answered_at=max((moment for moment in moments if moment < first_unshown), default=0))


class Arrivals:
    def __init__(self, ledger: Ledger, waits: Waits, shown: Shown) -> None:
        self._ledger = ledger
        self._waits = waits
        self._shown = shown

    async def answered(self, call: Call, since: int | None) -> AnsweredQuestions:
        shown = await self._shown(call.caller)
        look = await self._look_for(call, shown, QuestionFilter(status="answered", since=since))
        listed = AnsweredQuestions(questions=[question.view() for question in look.asked])
        listed.fetches(look.fetched(call.caller))
        return listed

    async def wait(self, call: Call, named: Sequence[str] | None, seconds: float) -> AnswersAwaited:
        """Returns when the first of the questions is settled. Without names: what this agent has pending, and the
        answers that it has not been shown."""
        check_count("question_ids", named or (), MAX_IDS)
        shown = await self._shown(call.caller)
        look = await self._first_look(call, shown, named)
        if not look.is_over:
            await self._until_settled(call, look.asked, seconds)
            look = await self._look_at(call, shown, [question.number for question in look.asked])
        awaited = AnswersAwaited(
            answers=[question.view() for question in look.asked if question.status == "answered"],
            still_pending=[question_id(question.number) for question in look.asked if not question.is_settled],
            expired_or_withdrawn=[
                question_id(question.number) for question in look.asked if question.status in ("expired", "withdrawn")
            ],
        )
        awaited.fetches(look.fetched(call.caller))
        return awaited

    async def _first_look(self, call: Call, shown: Fetched, named: Sequence[str] | None) -> _Look:
        if named is None:
            look = await self._look_for(call, shown, QuestionFilter(status="pending", asked_by=call.caller.agent))
            return _Look([*look.new, *look.asked], look.new)
        look = await self._look_at(call, shown, numbers_in(named))
        known = {question.number: question for question in look.asked}
        for name in named:
            known_question(name, known)
        return look

    async def _look_for(self, call: Call, shown: Fetched, wanted: QuestionFilter) -> _Look:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> _Look:
            found = await store.select(tx, call.caller.session, wanted, now)
            return _Look(found, await _answered_since(tx, call.caller, shown))

        return await self._ledger.read(call.caller, body)

    async def _look_at(self, call: Call, shown: Fetched, numbers: Sequence[int]) -> _Look:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> _Look:
            found = await store.find(tx, call.caller.session, numbers, now)
            return _Look(list(found.values()), await _answered_since(tx, call.caller, shown))

        return await self._ledger.read(call.caller, body)

    async def _until_settled(self, call: Call, asked: Sequence[Question], seconds: float) -> None:
        numbers = [question.number for question in asked]
        # Nothing is told to the log when time runs out, so nobody would wake us then.
        ends = [question.expires_at for question in asked if question.expires_at is not None]
        left = (min(ends) - self._ledger.clock() + _A_MOMENT_LATER) / SECOND if ends else seconds

        async def look() -> bool:
            now = self._ledger.clock()
            return await self._ledger.read(
                call.caller, lambda tx: store.any_settled(tx, call.caller.session, numbers, now)
            )

        await self._waits.until(call.caller, min(seconds, left), look, bool)


async def _answered_since(tx: Transaction, caller: Caller, shown: Fetched) -> Sequence[Question]:
    """The answers to the caller's questions that it has not been shown."""
    wanted = QuestionFilter(status="answered", since=shown.answered_at + 1, asked_by=caller.agent)
    return await store.select(tx, caller.session, wanted, now=0)
