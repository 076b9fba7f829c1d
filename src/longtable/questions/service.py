"""Decides about questions: who asks, who answers, what is settled, and when the work pauses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.content import check_characters, check_count
from longtable.kernel.errors import AlreadyAnswered, CapacityLimitReached, Conflict, Forbidden
from longtable.kernel.ids import number_of
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.questions import events, store
from longtable.questions.checkpoints import expire_due, resume_settled, set_checkpoint
from longtable.questions.model import (
    MAX_ANSWER,
    MAX_CONTEXT,
    MAX_IDS,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTION,
    PREFIX,
    AnswersSubmitted,
    GivenAnswer,
    NewQuestion,
    PauseChecked,
    PendingQuestions,
    Question,
    QuestionPage,
    QuestionShown,
    Status,
    TableQuestion,
    TableQuestions,
    checkpoint_id,
    known_question,
    numbers_in,
    question_id,
)
from longtable.questions.pause import Situation, pause_reasons
from longtable.questions.store import QuestionFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction


@dataclass(frozen=True, slots=True)
class PageQuery:
    status: Status | None
    limit: int
    cursor: str | None


@dataclass(slots=True)
class BatchResult:
    """What becomes of a batch of answers."""

    answered: dict[int, Question] = field(default_factory=dict)
    not_found: list[str] = field(default_factory=list)
    already_answered: list[str] = field(default_factory=list)


class Questions:
    def __init__(self, ledger: Ledger, sessions: Sessions, limit: int) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._limit = limit

    async def add(self, call: Call, new: NewQuestion) -> QuestionShown:
        _check(new)

        async def body(work: Work) -> QuestionShown:
            await self._sessions.open_for_writing(work)
            question = await self._ask(work, new)
            work.touched(f"question:{question_id(question.number)}")
            work.happened(events.added(question))
            return QuestionShown(question=question.view())

        return await self._ledger.write(call, QuestionShown, body)

    async def pending(self, call: Call, wanted: QuestionFilter) -> PendingQuestions:
        found = await self._select(call, replace(wanted, status="pending"))
        return PendingQuestions(
            questions=[question.view() for question in found],
            count=len(found),
            has_blocking=any(question.blocking for question in found),
        )

    async def list(self, call: Call, wanted: PageQuery) -> QuestionPage:
        after = decode_cursor(wanted.cursor, int)[0] if wanted.cursor else 0
        found = await self._select(call, QuestionFilter(wanted.status, after=after, limit=wanted.limit + 1))
        page = found[: wanted.limit]
        return QuestionPage(
            questions=[question.view() for question in page],
            count=len(page),
            next_cursor=encode_cursor(page[-1].number) if len(found) > len(page) else None,
        )

    async def of_all_sessions(self, call: Call, wanted: PageQuery) -> TableQuestions:
        """The most urgent first: what blocks, then by priority, then the newest."""
        now, status = self._ledger.clock(), wanted.status or "pending"
        after = _urgency(wanted.cursor) if wanted.cursor else None

        async def body(tx: Transaction) -> Sequence[tuple[store.SessionQuestion, store.Urgency]]:
            return await store.most_urgent(tx, status, after, wanted.limit + 1, now)

        found = await self._ledger.read(call.caller, body)
        page = found[: wanted.limit]
        return TableQuestions(
            questions=[_at_its_table(asked) for asked, _ in page],
            count=len(page),
            next_cursor=encode_cursor(*page[-1][1]) if len(found) > len(page) else None,
        )

    async def answer(self, call: Call, given: Sequence[GivenAnswer]) -> AnswersSubmitted:
        """Never fails for a question that cannot take its answer: the result says what became of each. Raises
        Forbidden, with nothing changed, where this caller may not answer one of them."""
        check_count("answers", given, MAX_IDS)
        for one in given:
            check_characters(f"answers.{one.question_id[:100]}", one.answer, MAX_ANSWER)

        async def body(work: Work) -> AnswersSubmitted:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            known = await store.find(tx, session_id, numbers_in(one.question_id for one in given), work.now)
            _check_answerer(known, work.caller)
            verdict = _judge(given, known, work)
            await store.answer(tx, session_id, list(verdict.answered.values()))
            for question in verdict.answered.values():
                work.happened(events.answered(question))
            if verdict.answered:
                await resume_settled(work)
            answered = [question_id(number) for number in verdict.answered]
            work.touched("questions", answered=answered)
            return AnswersSubmitted(
                answered=answered,
                not_found=_once(verdict.not_found),
                already_answered=_once(verdict.already_answered),
                remaining_pending=len(await store.pending(tx, session_id, work.now)),
            )

        return await self._ledger.write(call, AnswersSubmitted, body)

    async def withdraw(self, call: Call, named: str) -> QuestionShown:
        async def body(work: Work) -> QuestionShown:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            known = await store.find(tx, session_id, numbers_in([named]), work.now)
            question = known_question(named, known)
            _check_withdrawal(question, work.caller)
            await store.withdraw(tx, session_id, question.number)
            work.touched(f"question:{named}")
            work.happened(events.withdrawn(question.number))
            await resume_settled(work)
            return QuestionShown(question=replace(question, status="withdrawn").view())

        return await self._ledger.write(call, QuestionShown, body)

    async def check_pause(self, call: Call, situation: Situation) -> PauseChecked:
        async def body(work: Work) -> PauseChecked:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            pending = await store.pending(tx, session_id, work.now)
            reasons = pause_reasons(pending, situation)
            checkpoint = await set_checkpoint(work, reasons, pending) if reasons else None
            return PauseChecked(
                pause=checkpoint is not None,
                reasons=list(reasons),
                questions=[question.view() for question in pending],
                checkpoint_id=checkpoint_id(checkpoint.number) if checkpoint else None,
                event_seq=checkpoint.event_seq if checkpoint else None,
            )

        return await self._ledger.write(call, PauseChecked, body)

    async def _ask(self, work: Work, new: NewQuestion) -> Question:
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
            options=new.options,
            expires_at=work.now + new.expires_in if new.expires_in is not None else None,
            require_human=new.require_human,
        )
        await store.insert(work.tx, session_id, question)
        return question

    async def _select(self, call: Call, wanted: QuestionFilter) -> Sequence[Question]:
        now = self._ledger.clock()
        return await self._ledger.read(call.caller, lambda tx: store.select(tx, call.caller.session, wanted, now))


async def render_answers(tx: Transaction, caller: Caller) -> str:
    """All answers of the caller's session as Markdown. Every text is quoted, so that none can pass for another."""
    found = await store.select(tx, caller.session, QuestionFilter(status="answered"), now=0)
    parts = [
        f"## {question_id(question.number)}, asked by {question.asked_by}\n\n{_quoted(question.question)}\n\n"
        f"{_signature(question)}:\n\n{_quoted(question.answer or '')}\n"
        for question in found
    ]
    return "\n".join(["# Answers\n", *parts]) if parts else "No question has been answered yet.\n"


def _urgency(cursor: str) -> store.Urgency:
    blocking, rank, asked_at, session_id, number = decode_cursor(cursor, int, int, int, str, int)
    return blocking, rank, asked_at, session_id, number


def _at_its_table(asked: store.SessionQuestion) -> TableQuestion:
    return TableQuestion(**dict(asked.question.view()), session_id=asked.session_id, purpose=asked.purpose)


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines() or [""])


def _signature(question: Question) -> str:
    how = "Answered by" if question.by_human else "Answer relayed by"
    return f"{how} {question.answered_by}{', in free text' if question.is_free_text else ''}"


def _check(new: NewQuestion) -> None:
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


def _check_answerer(known: Mapping[int, Question], caller: Caller) -> None:
    refused = {number: reason for number, one in known.items() if (reason := one.refusal_of(caller)) is not None}
    if refused:
        raise Forbidden(
            f"{next(iter(refused.values()))}.",
            hint="Nothing was answered.",
            question_ids=[question_id(number) for number in refused],
        )


def _judge(given: Sequence[GivenAnswer], known: Mapping[int, Question], work: Work) -> BatchResult:
    verdict = BatchResult()
    for one in given:
        number = number_of(PREFIX, one.question_id)
        question = known.get(number) if number is not None else None
        if question is None:
            verdict.not_found.append(one.question_id)
        elif question.number in verdict.answered or not question.takes_answer(work.caller):
            verdict.already_answered.append(one.question_id)
        else:
            verdict.answered[question.number] = question.answered(one.answer, work.caller, work.now)
    return verdict


def _once(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
