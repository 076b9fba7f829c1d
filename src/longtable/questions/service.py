"""Decides about questions: what may be asked, and who may withdraw it."""

from dataclasses import replace

from longtable.identity.model import WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.content import check_characters, check_count
from longtable.kernel.errors import AlreadyAnswered, CapacityLimitReached, Conflict, Forbidden
from longtable.log.ledger import Ledger, Work
from longtable.questions import events, store
from longtable.questions.arguments import AddQuestion, WithdrawQuestion
from longtable.questions.checkpoints import expire_due, resume_settled
from longtable.questions.model import (
    MAX_CONTEXT,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTION,
    Question,
    QuestionShown,
    known_question,
    numbers_in,
    question_id,
)
from longtable.sessions.service import Sessions
from longtable.toolkit.tool import Route, tool


class Questions:
    def __init__(self, ledger: Ledger, sessions: Sessions, limit: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limit = limit

    @tool(
        "add_question",
        title="Ask a person",
        description="Ask people what only they can decide or know.",
        group="workspace",
        roles=WORKERS,
        audited_as="question_added",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/questions", 201),),
    )
    async def add(self, call: Call, arguments: AddQuestion) -> QuestionShown:
        _check(arguments)

        async def body(work: Work) -> QuestionShown:
            await self._sessions.open_for_writing(work)
            question = await self._ask(work, arguments)
            work.touched(f"question:{question_id(question.number)}")
            work.happened(events.added(question))
            return QuestionShown(question=question.stamp())

        return await self._ledger.write(call, QuestionShown, body)

    @tool(
        "withdraw_question",
        title="Withdraw a question",
        description="Take back a question of yours.",
        group="workspace",
        roles=WORKERS,
        audited_as="question_withdrawn",
        writes=True,
        destructive=True,
    )
    async def withdraw(self, call: Call, arguments: WithdrawQuestion) -> QuestionShown:
        id = arguments.question_id

        async def body(work: Work) -> QuestionShown:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            known = await store.find(tx, session_id, numbers_in([id]), work.now)
            question = known_question(id, known)
            _check_withdrawal(question, work.caller)
            await store.withdraw(tx, session_id, question.number)
            work.touched(f"question:{id}")
            work.happened(events.withdrawn(question.number))
            await resume_settled(work)
            return QuestionShown(question=replace(question, status="withdrawn").stamp())

        return await self._ledger.write(call, QuestionShown, body)

    async def _ask(self, work: Work, new: AddQuestion) -> Question:
        session_id = work.caller.session
        number = await store.next_number(work.tx, session_id, "question")
        if number > self._limit:
            raise CapacityLimitReached(
                f"This session has {self._limit} questions, which is the limit.", limit=self._limit
            )
        question = Question(
            number=number,
            question=new.question,
            context=new.context,
            asked_by=work.caller.agent,
            asked_at=work.now,
            priority=new.priority,
            blocking=new.blocking,
            options=tuple(new.options) if new.options is not None else None,
            expires_at=work.now + new.expires_in * SECOND if new.expires_in is not None else None,
            require_human=new.require_human,
        )
        await store.insert(work.tx, session_id, question)
        return question


def _check(new: AddQuestion) -> None:
    check_characters("question", new.question, MAX_QUESTION)
    check_characters("context", new.context or "", MAX_CONTEXT)
    check_count("options", new.options or (), MAX_OPTIONS)
    for position, option in enumerate(new.options or ()):
        check_characters(f"options.{position}", option, MAX_OPTION)


def _check_withdrawal(question: Question, caller: Caller) -> None:
    named = question_id(question.number)
    if question.asked_by != caller.agent:
        raise Forbidden(f"Only {question.asked_by}, who asked {named}, may withdraw it.")
    if question.status == "answered":
        raise AlreadyAnswered(f"{named} is answered already.", hint="get_answered_questions shows the answer.")
    if question.is_settled:
        raise Conflict(f"{named} is {question.status} already.", status=question.status)
