"""Takes answers, and delivers them to the agents that asked: at once, or as soon as they come. No answer that the
agent has not been shown is skipped."""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial

from longtable.holds.model import Held
from longtable.holds.service import Holds
from longtable.identity.model import EVERYONE, OVERSEERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.content import check_characters, check_count, moment_of
from longtable.kernel.errors import Forbidden
from longtable.kernel.ids import number_of
from longtable.kernel.result import Fetched
from longtable.log.ledger import Ledger, Work
from longtable.log.shared_reads import SharedReads
from longtable.log.waits import Waits
from longtable.questions import events, store
from longtable.questions.arguments import (
    AnswerOf,
    GetAnsweredQuestions,
    GetPendingQuestions,
    SubmitAnswers,
    WaitForAnswers,
)
from longtable.questions.checkpoints import expire_due, resume_settled
from longtable.questions.model import (
    MAX_ANSWER,
    MAX_IDS,
    PREFIX,
    AnsweredQuestions,
    AnswersAwaited,
    AnswersSubmitted,
    PendingQuestions,
    Question,
    Status,
    known_question,
    numbers_in,
    question_id,
)
from longtable.questions.pages import as_json, page_of, with_way_on
from longtable.questions.store import QuestionFilter
from longtable.sessions.service import Sessions
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import all_within
from longtable.toolkit.tool import Route, tool

_A_MOMENT_LATER = SECOND // 1_000
"""Added to a wait for an expiry: a timer may fire a little too early."""

Shown = Callable[[Caller], Awaitable[Fetched]]
"""How far the caller has been shown things by answers that it has received."""


@dataclass(frozen=True, slots=True)
class _Lookup:
    """The questions that were looked up, and the answered ones of the caller that it has not been shown."""

    questions: Sequence[Question]
    new: Sequence[Question]

    @property
    def is_over(self) -> bool:
        return not self.questions or any(question.is_settled for question in self.questions)

    def ids_in(self, *statuses: Status) -> list[str]:
        return [question_id(question.number) for question in self.questions if question.status in statuses]

    def showing(self, numbers: Set[int]) -> "_Lookup":
        """This lookup, narrowed to these questions."""
        return replace(self, questions=[question for question in self.questions if question.number in numbers])

    def fetched(self, caller: Caller) -> Fetched:
        """The moment up to which the caller has been shown every answer, once it has been shown these."""
        shown = {question.number for question in self.questions}
        unshown = [question.answered_at or 0 for question in self.new if question.number not in shown]
        moments = [question.answered_at or 0 for question in self.questions if question.asked_by == caller.agent]
        first_unshown = min(unshown, default=math.inf)
        return Fetched(answered_at=max((moment for moment in moments if moment < first_unshown), default=0))


@dataclass(slots=True)
class BatchResult:
    """What becomes of a batch of answers."""

    answered: dict[int, Question] = field(default_factory=dict)
    not_found: list[str] = field(default_factory=list)
    already_answered: list[str] = field(default_factory=list)
    expired_or_withdrawn: list[str] = field(default_factory=list)

    def result(self, pending: int, held: Held | None = None) -> AnswersSubmitted:
        return AnswersSubmitted(
            answered=[question_id(number) for number in self.answered],
            not_found=list(dict.fromkeys(self.not_found)),
            already_answered=list(dict.fromkeys(self.already_answered)),
            expired_or_withdrawn=list(dict.fromkeys(self.expired_or_withdrawn)) or None,
            remaining_pending=pending,
            held=held,
        )


class Answers:
    def __init__(self, ledger: Ledger, sessions: Sessions, waits: Waits, shown: Shown, holds: Holds) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._waits = waits
        self._shown = shown
        self._holds = holds
        self._settled = SharedReads(self._read_settled)

    @tool(
        "wait_for_answers",
        title="Wait for answers",
        description="Wait until one of your questions is settled; when time runs out, call it again.",
        group="workspace",
        roles=WORKERS,
        audited_as="answers_awaited",
    )
    async def wait(self, call: Call, arguments: WaitForAnswers) -> AnswersAwaited:
        """Returns when the first of the questions is settled. Without ids: what this agent has pending, and the
        answers that it has not been shown."""
        check_count("question_ids", arguments.question_ids or (), MAX_IDS)
        shown = await self._shown(call.caller)
        lookup = await self._first_lookup(call, shown, arguments.question_ids)
        if not lookup.is_over:
            await self._until_settled(call, lookup.questions, arguments.timeout_seconds)
            lookup = await self._find(call, shown, [question.number for question in lookup.questions])
        answered = [question for question in lookup.questions if question.status == "answered"]
        # Answers of one moment are shown together or not at all, so rather all of them, and the long ones cut.
        answers = [with_way_on(answer) for answer in all_within(as_json(answered), call.max_chars)]
        left_out = {question.number for question in answered[len(answers) :]}
        awaited = AnswersAwaited.of_json(
            answers=answers,
            still_pending=lookup.ids_in("pending"),
            expired_or_withdrawn=lookup.ids_in("expired", "withdrawn"),
            **({"truncated": True} if left_out else {}),
        )
        kept = {question.number for question in lookup.questions} - left_out
        awaited.fetches(lookup.showing(kept).fetched(call.caller))
        return awaited

    @tool(
        "get_pending_questions",
        title="Read pending questions",
        description="Read the questions that wait for an answer.",
        group="workspace",
        roles=EVERYONE,
        audited_as="questions_read",
    )
    async def pending(self, call: Call, arguments: GetPendingQuestions) -> PendingQuestions:
        now, session_id = self._ledger.clock(), call.caller.session
        where = QuestionFilter("pending", arguments.priority, arguments.blocking)
        found = await self._ledger.read(call.caller, lambda tx: store.select(tx, session_id, where, now))
        page, _ = page_of(found, arguments.cursor, call.max_chars)
        has_blocking = any(question.blocking for question in found)
        return PendingQuestions.of_json(**page, count=len(found), has_blocking=has_blocking)

    @tool(
        "get_answered_questions",
        title="Read answers",
        description="Read the answers: by whom, and whether a person said it here.",
        group="workspace",
        roles=EVERYONE,
        audited_as="answers_read",
    )
    async def answered(self, call: Call, arguments: GetAnsweredQuestions) -> AnsweredQuestions:
        since = moment_of(arguments.since, self._ledger.clock()) if arguments.since else None
        shown = await self._shown(call.caller)
        lookup = await self._select(call, shown, QuestionFilter(status="answered", since=since))
        page, numbers = page_of(lookup.questions, arguments.cursor, call.max_chars)
        listed = AnsweredQuestions.of_json(**page)
        listed.fetches(lookup.showing(numbers).fetched(call.caller))
        return listed

    @tool(
        "submit_answers",
        title="Answer questions",
        description="Answer questions of others, or pass on a person's answer; not those that want a person.",
        group="workspace",
        roles=OVERSEERS,
        audited_as="answers_submitted",
        writes=True,
        routes=(Route("POST", "/sessions/{session_id}/answers"),),
    )
    async def answer(self, call: Call, arguments: SubmitAnswers) -> AnswersSubmitted:
        """Never fails for a question that cannot take its answer: the result says what became of each. Raises
        Forbidden, with nothing changed, where this caller may not answer one of them."""
        answers = arguments.listed
        check_count("answers", answers, MAX_IDS)
        for answer in answers:
            check_characters(f"answers.{answer.question_id[:100]}", answer.answer, MAX_ANSWER)
        if arguments.hold_seconds:
            return await self._hold(call, answers, arguments.hold_seconds)

        async def body(work: Work) -> AnswersSubmitted:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            await expire_due(work)
            known = await store.find(tx, session_id, numbers_in(answer.question_id for answer in answers), work.now)
            _check_answerer(known, work.caller)
            batch = _batch_result(answers, known, work)
            was_answered = [known[number] for number in batch.answered if known[number].status == "answered"]
            former = await store.replaced_answers(tx, session_id, was_answered)
            await store.answer(tx, session_id, list(batch.answered.values()))
            for number, question in batch.answered.items():
                if number in former:
                    work.replaces(former[number])
                work.happened(events.answered(question))
            if batch.answered:
                await resume_settled(work)
            work.touched("questions", answered=[question_id(number) for number in batch.answered])
            return batch.result(len(await store.pending(tx, session_id, work.now)))

        return await self._ledger.write(call, AnswersSubmitted, body)

    async def _hold(self, call: Call, answers: Sequence[AnswerOf], seconds: int) -> AnswersSubmitted:
        """Nobody is notified of an answer that is held, and its question still waits for one."""

        async def body(work: Work) -> AnswersSubmitted:
            await self._sessions.open_for_writing(work)
            tx, session_id = work.tx, work.caller.session
            known = await store.find(tx, session_id, numbers_in(answer.question_id for answer in answers), work.now)
            batch = _batch_result(answers, known, work)
            accepted = {question_id(number): question.answer for number, question in batch.answered.items()}
            held = await self._holds.keep(work, {"answers": accepted}, seconds) if accepted else None
            batch.answered.clear()
            return batch.result(len(await store.pending(tx, session_id, work.now)), held)

        result = await self._ledger.write(call, AnswersSubmitted, body)
        self._holds.release_soon()
        return result

    async def _first_lookup(self, call: Call, shown: Fetched, ids: Sequence[str] | None) -> _Lookup:
        if ids is None:
            lookup = await self._select(call, shown, QuestionFilter(status="pending", asked_by=call.caller.agent))
            return _Lookup([*lookup.new, *lookup.questions], lookup.new)
        lookup = await self._find(call, shown, numbers_in(ids))
        known = {question.number: question for question in lookup.questions}
        for position, id in enumerate(ids):
            known_question(id, known, f"question_ids.{position}")
        return lookup

    async def _select(self, call: Call, shown: Fetched, where: QuestionFilter) -> _Lookup:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> _Lookup:
            found = await store.select(tx, call.caller.session, where, now)
            return _Lookup(found, await _answered_since(tx, call.caller, shown))

        return await self._ledger.read(call.caller, body)

    async def _find(self, call: Call, shown: Fetched, numbers: Sequence[int]) -> _Lookup:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> _Lookup:
            found = await store.find(tx, call.caller.session, numbers, now)
            return _Lookup(list(found.values()), await _answered_since(tx, call.caller, shown))

        return await self._ledger.read(call.caller, body)

    async def _until_settled(self, call: Call, questions: Sequence[Question], seconds: float) -> None:
        numbers = [question.number for question in questions]
        # An expiry writes no event, so nothing would wake this wait.
        ends = [question.expires_at for question in questions if question.expires_at is not None]
        left = (min(ends) - self._ledger.clock() + _A_MOMENT_LATER) / SECOND if ends else seconds

        look = partial(self._settled.ask, (call.caller.tenant, call.caller.session), numbers)
        await self._waits.until(call.caller, min(seconds, left), look, bool)

    async def _read_settled(self, topic: tuple[str, str], requests: Sequence[Sequence[int]]) -> list[set[int]]:
        """For each caller, which of the questions that it waits for are settled."""
        (tenant, session_id), now = topic, self._ledger.clock()
        numbers = sorted({number for numbers in requests for number in numbers})

        async def body(tx: Transaction) -> set[int]:
            found: set[int] = set()
            for first in range(0, len(numbers), MAX_IDS):
                found |= await store.settled(tx, session_id, numbers[first : first + MAX_IDS], now)
            return found

        found = await self._ledger.database.read(tenant, body)
        return [found.intersection(numbers) for numbers in requests]


async def _answered_since(tx: Transaction, caller: Caller, shown: Fetched) -> Sequence[Question]:
    """The answers to the caller's questions that it has not been shown."""
    where = QuestionFilter(status="answered", since=shown.answered_at + 1, asked_by=caller.agent)
    return await store.select(tx, caller.session, where, now=0)


def _check_answerer(known: Mapping[int, Question], caller: Caller) -> None:
    refused = {number: reason for number, one in known.items() if (reason := one.refusal_of(caller)) is not None}
    if refused:
        raise Forbidden(
            f"{next(iter(refused.values()))}.",
            hint="Nothing was answered.",
            question_ids=[question_id(number) for number in refused],
        )


def _batch_result(answers: Sequence[AnswerOf], known: Mapping[int, Question], work: Work) -> BatchResult:
    batch = BatchResult()
    for one in answers:
        number = number_of(PREFIX, one.question_id)
        question = known.get(number) if number is not None else None
        if question is None:
            batch.not_found.append(one.question_id)
        elif question.status in ("expired", "withdrawn"):
            batch.expired_or_withdrawn.append(one.question_id)
        elif question.number in batch.answered or not question.takes_answer(work.caller):
            batch.already_answered.append(one.question_id)
        else:
            batch.answered[question.number] = question.answered(one.answer, work.caller, work.now)
    return batch
