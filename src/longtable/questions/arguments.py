"""What the question tools take."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from longtable.holds.arguments import HoldSeconds
from longtable.kernel.clock import DAY, SECOND
from longtable.kernel.content import MomentOrAge, Text
from longtable.questions.model import MAX_IDS, MAX_OPTIONS, Priority, Status
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, WriteArguments

LONGEST_LIFE = 3650 * DAY


def _distinct(options: list[str]) -> list[str]:
    # Of too many the number is what is wrong, which the service says.
    if len(set(options)) < len(options) <= MAX_OPTIONS:
        raise ValueError("must differ from one another")
    return options


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
    question: NonEmpty = Field(description="What you need to know.")
    context: Text | None = Field(default=None, description="Why, and what depends on it.")
    priority: Priority = Field(default="medium", description="How urgent.")
    blocking: bool = Field(default=False, description="Work stops until answered.")
    options: Annotated[list[NonEmpty], Field(min_length=1, max_length=MAX_ITEMS), AfterValidator(_distinct)] | None = (
        Field(default=None, description="Up to 50 suggested answers.")
    )
    expires_in: Annotated[int, Seconds(1, LONGEST_LIFE // SECOND)] | None = Field(
        default=None, description=f"In {FORMS}."
    )
    require_human: bool = Field(default=False, description="Only a person may answer.")


class GetPendingQuestions(MaxChars):
    priority: Priority | None = Field(default=None, description="Only these.")
    blocking: bool | None = Field(default=None, description="Only those that block, or not.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class GetAnsweredQuestions(MaxChars):
    since: MomentOrAge | None = Field(default=None, description="ISO 8601 time, or 24h.")
    cursor: str | None = Field(default=None, description="From next_cursor.")


class ListQuestions(Arguments):
    status: Status | None = None
    limit: int = Field(default=1000, ge=1, le=1000)
    cursor: str | None = Field(default=None, description="From next_cursor.")


class ListOpenQuestions(Arguments):
    status: Status = Field(default="pending", description="Pending are those that can still be answered.")
    limit: int = Field(default=100, ge=1, le=500)
    cursor: str | None = Field(default=None, description="From next_cursor.")


class SubmitAnswers(WriteArguments, MaxChars):
    unlisted = frozenset({"hold_seconds"})
    answers: Answers = Field(description="By question id, or a list.")
    hold_seconds: HoldSeconds = 0

    @property
    def listed(self) -> list[AnswerOf]:
        if isinstance(self.answers, list):
            return self.answers
        return [AnswerOf.model_construct(question_id=id, answer=answer) for id, answer in self.answers.items()]


class WithdrawQuestion(WriteArguments):
    question_id: Text = Field(description="Such as q3.")


class CheckPause(WriteArguments, MaxChars):
    at_phase_boundary: bool = Field(default=False, description="A new phase begins.")
    agent_requested: bool = Field(default=False, description="An agent needs a person.")
    threshold: int = Field(default=3, ge=0, description="Pause if more questions wait.")


class ListCheckpoints(Arguments):
    """Nothing to choose."""


class ResumeCheckpoint(WriteArguments):
    checkpoint_id: Text = Field(description="From check_pause.")


class WaitForAnswers(MaxChars):
    question_ids: Annotated[list[Text], Field(min_length=1, max_length=MAX_ITEMS)] | None = Field(
        default=None,
        description="Default: all of yours.",
    )
    timeout_seconds: Annotated[float, Seconds(0, 50, parts=True)] = Field(default=25, description="At most 50 seconds.")
