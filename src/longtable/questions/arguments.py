"""What the question tools take."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from longtable.kernel.clock import DAY, SECOND, from_iso
from longtable.kernel.content import Text
from longtable.questions.model import MAX_IDS, Priority, Status
from longtable.toolkit.durations import BRIEF_FORMS, FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

LONGEST_LIFE = 3650 * DAY


def _distinct(options: list[str]) -> list[str]:
    if len(set(options)) < len(options):
        raise ValueError("must differ from one another")
    return options


def _moment(text: str) -> int:
    try:
        return from_iso(text)
    except ValueError:
        raise ValueError("must be an ISO 8601 time, such as 2026-01-31T12:00:00Z") from None


def _form(answers: Any) -> str:
    # Names with a bracket are left out of the paths of errors.
    return "list[]" if isinstance(answers, list) else "map[]"


def _as_choice(schema: dict[str, Any]) -> None:
    # Types tell the forms apart, as in every other choice of our schemas.
    schema["anyOf"] = schema.pop("oneOf")


NonEmpty = Annotated[Text, StringConstraints(min_length=1)]


class AnswerOf(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    question_id: Text
    answer: NonEmpty


Answers = Annotated[
    Annotated[list[AnswerOf], Field(min_length=1, max_length=MAX_IDS), Tag("list[]")]
    | Annotated[dict[Text, NonEmpty], Field(min_length=1, max_length=MAX_IDS), Tag("map[]")],
    Discriminator(_form),
    Field(json_schema_extra=_as_choice),
]


class AddQuestion(WriteArguments):
    question: NonEmpty = Field(description="What you need to know. At most 10,000 characters.")
    context: Text | None = Field(default=None, description="Why you need it, and what depends on it.")
    priority: Priority = "medium"
    blocking: bool = Field(default=False, description="Whether work must stop until this is answered.")
    options: Annotated[list[NonEmpty], Field(min_length=1, max_length=MAX_ITEMS), AfterValidator(_distinct)] | None = (
        Field(default=None, description="Up to 50 answers to choose from; another answer is accepted too.")
    )
    expires_in: Annotated[int, Seconds(1, LONGEST_LIFE // SECOND)] | None = Field(
        default=None, description=f"After this time nobody may answer any more: {FORMS}."
    )
    require_human: bool = Field(
        default=False, description="Whether only a person may answer, so that no agent can pass on an answer."
    )


class GetPendingQuestions(Arguments):
    priority: Priority | None = None
    blocking: bool | None = Field(default=None, description="Only those that block, or only those that do not.")


class GetAnsweredQuestions(Arguments):
    since: Annotated[str, AfterValidator(_moment)] | None = Field(
        default=None, description="Only those answered at this ISO 8601 time or later."
    )


class ListQuestions(Arguments):
    status: Status | None = None
    limit: int = Field(default=1000, ge=1, le=1000)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class ListOpenQuestions(Arguments):
    status: Status = Field(default="pending", description="Pending are those that can still be answered.")
    limit: int = Field(default=100, ge=1, le=500)
    cursor: str | None = Field(default=None, description="next_cursor of the page before.")


class SubmitAnswers(WriteArguments):
    answers: Answers = Field(description="The answers by question id, or a list of them. At most 1,000.")

    @property
    def listed(self) -> list[AnswerOf]:
        if isinstance(self.answers, list):
            return self.answers
        return [AnswerOf.model_construct(question_id=id, answer=answer) for id, answer in self.answers.items()]


class WithdrawQuestion(WriteArguments):
    question_id: Text


class CheckPause(WriteArguments):
    at_phase_boundary: bool = Field(default=False, description="Whether a new phase of the work is about to begin.")
    agent_requested: bool = Field(default=False, description="Whether an agent said that it needs a person to go on.")
    threshold: int = Field(default=3, ge=0, description="Pause when more questions than this are pending.")


class ListCheckpoints(Arguments):
    """Nothing to choose."""


class ResumeCheckpoint(WriteArguments):
    checkpoint_id: Text = Field(description="As check_pause or scratchpad/checkpoint_created names it.")


class WaitForAnswers(Arguments):
    question_ids: Annotated[list[Text], Field(min_length=1, max_length=MAX_ITEMS)] | None = Field(
        default=None,
        description="Which questions; else all that you have pending, and answers that you have not been shown yet.",
    )
    timeout_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(
        default=25, description=f"How long to wait: {BRIEF_FORMS}; at most 50."
    )
