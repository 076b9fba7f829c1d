"""Answers that come through the client of the agent that asked. A client is a program on the agent's side, so nobody
knows whether a person said it: such an answer counts as passed on by the agent. Where a person is required it is not
asked for."""

from collections.abc import Collection, Sequence

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.content import check_characters
from longtable.log.ledger import Ledger, Work
from longtable.questions import events, store
from longtable.questions.checkpoints import expire_due, resume_settled
from longtable.questions.model import (
    MAX_ANSWER,
    AnswersSubmitted,
    Priority,
    Question,
    QuestionView,
    numbers_in,
    question_id,
)
from longtable.questions.store import QuestionFilter
from longtable.sessions.service import Sessions

_ORDER: Sequence[Priority] = ("high", "medium", "low")


class RelayedAnswers:
    def __init__(self, ledger: Ledger, sessions: Sessions) -> None:
        self._ledger = ledger
        self._sessions = sessions

    async def open_questions(self, caller: Caller, ids: Collection[str] | None) -> list[QuestionView]:
        """The caller's own that take such an answer, of all or of those named; what is most urgent first."""
        now, where = self._ledger.clock(), QuestionFilter("pending", asked_by=caller.agent)
        found = await self._ledger.read(caller, lambda tx: store.select(tx, caller.session, where, now))
        relayable = [one for one in found if not one.require_human and (ids is None or question_id(one.number) in ids)]
        relayable.sort(key=lambda one: (not one.blocking, _ORDER.index(one.priority), one.number))
        return [question.view() for question in relayable]

    async def relay(self, call: Call, id: str, answer: str) -> None:
        """What was answered meanwhile stays."""
        check_characters("answer", answer, MAX_ANSWER)
        [number] = numbers_in([id])

        async def body(work: Work) -> AnswersSubmitted:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            question = (await store.find(tx, session_id, [number], work.now)).get(number)
            answered = []
            if question is not None and _takes(question, work.caller):
                question = question.answered(answer, work.caller, work.now)
                await store.answer(tx, session_id, [question])
                work.happened(events.answered(question))
                await resume_settled(work)
                answered = [id]
            work.touched("questions", answered=answered)
            pending = len(await store.pending(tx, session_id, work.now))
            return AnswersSubmitted(answered=answered, not_found=[], already_answered=[], remaining_pending=pending)

        await self._ledger.write(call, AnswersSubmitted, body)


def _takes(question: Question, caller: Caller) -> bool:
    return question.status == "pending" and question.asked_by == caller.agent and not question.require_human
