"""What a question is, when it is settled, who may answer it, and its limits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from longtable.holds.model import Held
from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.kernel.control import Control
from longtable.kernel.errors import NotFound
from longtable.kernel.ids import likely_id, number_of, numbered
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

PREFIX = "q"
CHECKPOINT_PREFIX = "c"
MAX_QUESTION = 10_000
MAX_CONTEXT = 10_000
MAX_OPTIONS = 50
MAX_OPTION = 1_000
MAX_ANSWER = 100_000
MAX_IDS = 1_000
"""Answers in one batch, and questions in one wait."""

Priority = Literal["high", "medium", "low"]
Status = Literal["pending", "answered", "expired", "withdrawn"]
Reason = Literal["blocking_question", "phase_boundary", "agent_requested", "threshold"]
PauseReason = Literal["control", "blocking_question", "phase_boundary", "agent_requested", "threshold"]


@dataclass(frozen=True, slots=True)
class Question:
    """`status` is as of the moment it was read at: one whose time was over by then is expired."""

    number: int
    question: str
    context: str | None
    asked_by: str
    asked_at: int
    priority: Priority
    blocking: bool
    options: tuple[str, ...] | None
    expires_at: int | None
    status: Status = "pending"
    answer: str | None = None
    answered_at: int | None = None
    answered_by: str | None = None
    by_human: bool = False
    require_human: bool = False
    origin: str | None = None
    """Where it was asked, if that was not here."""
    answer_origin: str | None = None
    """Where it was answered, if that was not here: such an answer is nobody's here."""

    @property
    def is_settled(self) -> bool:
        return self.status != "pending"

    @property
    def is_free_text(self) -> bool:
        return self.answer is not None and self.options is not None and self.answer not in self.options

    def refusal_of(self, caller: Caller) -> str | None:
        """Why this caller may not answer it, while it waits for an answer."""
        named = question_id(self.number)
        if caller.is_human or self.status != "pending":
            return None
        if self.asked_by == caller.agent:
            return f"{named} was asked by {self.asked_by}, who cannot answer it as well"
        return f"{named} takes an answer by a person only" if self.require_human else None

    def takes_answer(self, caller: Caller) -> bool:
        """A person's answer replaces a relayed one; nothing replaces a person's."""
        if self.status == "answered":
            return caller.is_human and not self.by_human
        return self.status == "pending"

    def answered(self, answer: str, caller: Caller, now: int) -> "Question":
        return replace(
            self,
            status="answered",
            answer=answer,
            answered_at=now,
            answered_by=caller.agent,
            by_human=caller.is_human,
            answer_origin=None,
        )

    def view(self) -> "QuestionView":
        answered = self.status == "answered"
        return QuestionView(
            id=question_id(self.number),
            question=self.question,
            context=self.context,
            asked_by=self.asked_by,
            asked_at=to_iso(self.asked_at),
            priority=self.priority,
            blocking=self.blocking,
            options=list(self.options) if self.options is not None else None,
            expires_at=to_iso(self.expires_at) if self.expires_at is not None else None,
            status=self.status,
            answer=self.answer,
            answered_at=to_iso(self.answered_at) if self.answered_at is not None else None,
            answered_by=self.answered_by,
            by_human=self.by_human,
            relayed_by=self.answered_by if answered and not (self.by_human or self.answer_origin) else None,
            free_text=_true_or_none(self.is_free_text),
            require_human=_true_or_none(self.require_human),
            imported=_true_or_none(self.origin),
            answer_imported=_true_or_none(self.answer_origin),
        )

    def stamp(self) -> "QuestionStamp":
        view = self.view()
        return QuestionStamp(**{name: getattr(view, name) for name in QuestionStamp.model_fields})


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where the work stood when it paused. `event_seq` is a cursor into the log at that moment."""

    number: int
    event_seq: int
    reasons: tuple[Reason, ...]
    questions: tuple[int, ...]
    created_at: int
    resumed_at: int | None = None

    def resumed(self, now: int) -> "Checkpoint":
        return replace(self, resumed_at=now)

    def view(self) -> "CheckpointView":
        return CheckpointView(
            id=checkpoint_id(self.number),
            reasons=list(self.reasons),
            question_ids=[question_id(number) for number in self.questions],
            event_seq=self.event_seq,
            created_at=to_iso(self.created_at),
            resumed_at=to_iso(self.resumed_at) if self.resumed_at is not None else None,
        )


def _true_or_none(fact: object) -> bool | None:
    return True if fact else None


def question_id(number: int) -> str:
    return numbered(PREFIX, number)


def checkpoint_id(number: int) -> str:
    return numbered(CHECKPOINT_PREFIX, number)


class QuestionView(Value):
    """`relayed_by` names the agent that passed an answer on; `free_text` marks one outside `options`;
    `require_human` a question that only a person answers; `imported` and `answer_imported` what came from a file."""

    id: str
    question: str
    context: str | None
    asked_by: str
    asked_at: str
    priority: Priority
    blocking: bool
    options: list[str] | None
    status: Status
    answer: str | None
    answered_at: str | None
    answered_by: str | None
    by_human: bool
    expires_at: str | None = omitted_if_none()
    relayed_by: str | None = omitted_if_none()
    free_text: bool | None = omitted_if_none()
    require_human: bool | None = omitted_if_none()
    imported: bool | None = omitted_if_none()
    answer_imported: bool | None = omitted_if_none()
    truncated: bool | None = omitted_if_none()
    read_on: dict[str, Any] | None = omitted_if_none()


class QuestionStamp(Value):
    """A question as its asker gets it back: without the texts it just sent."""

    id: str
    status: Status
    asked_by: str
    asked_at: str
    priority: Priority
    blocking: bool
    expires_at: str | None = omitted_if_none()
    require_human: bool | None = omitted_if_none()


class QuestionShown(Result):
    question: QuestionStamp


class PendingQuestions(LimitedResult):
    """`count` is that of all, also where a page shows some."""

    questions: list[QuestionView]
    count: int
    has_blocking: bool
    next_cursor: str | None = omitted_if_none()


class AnsweredQuestions(LimitedResult):
    questions: list[QuestionView]
    next_cursor: str | None = omitted_if_none()


class QuestionPage(Result):
    questions: list[QuestionView]
    count: int
    next_cursor: str | None


class TableQuestion(QuestionView):
    """With the session it was asked in, and what that session is for."""

    session_id: str
    purpose: str


class TableQuestions(Result):
    questions: list[TableQuestion]
    count: int
    next_cursor: str | None


class AnswersSubmitted(LimitedResult):
    answered: list[str]
    not_found: list[str]
    already_answered: list[str]
    expired_or_withdrawn: list[str] | None = omitted_if_none()
    remaining_pending: int
    held: Held | None = omitted_if_none()


class PauseChecked(LimitedResult):
    """`control` is what a person asks of this agent alone."""

    pause: bool
    reasons: list[PauseReason]
    questions: list[QuestionView]
    checkpoint_id: str | None
    event_seq: int | None
    control: Control | None = omitted_if_none()


class CheckpointView(Value):
    id: str
    reasons: list[Reason]
    question_ids: list[str]
    event_seq: int
    created_at: str
    resumed_at: str | None


class CheckpointShown(Result):
    checkpoint: CheckpointView


class CheckpointList(Result):
    checkpoints: list[CheckpointView]
    count: int


class QuestionsExpired(Result):
    expired: list[str]


class AnswersAwaited(LimitedResult):
    """An answer too long to show beside the others is cut, and has `truncated`."""

    answers: list[QuestionView]
    still_pending: list[str]
    expired_or_withdrawn: list[str]


def known_question(name: str, known: Mapping[int, Question], argument: str = "question_id") -> Question:
    number = number_of(PREFIX, name)
    if number is None or number not in known:
        problem = f"{argument}: there is no question {name[:100]!r} in this session"
        meant = likely_id(PREFIX, name) if number is None else ""
        raise NotFound(f"{problem}{meant or '.'}", hint="q1 is the form of an id.")
    return known[number]


def numbers_in(names: Iterable[str]) -> list[int]:
    numbers = (number_of(PREFIX, name) for name in names)
    return list(dict.fromkeys(number for number in numbers if number is not None))
