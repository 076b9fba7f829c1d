"""The question tools: their arguments, their words for the model, their routes."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from longtable.identity.model import EVERYONE, OVERSEERS, WORKERS
from longtable.kernel.call import Call
from longtable.kernel.clock import DAY, SECOND, from_iso
from longtable.kernel.content import Text
from longtable.questions.arrivals import Arrivals
from longtable.questions.checkpoints import Checkpoints
from longtable.questions.model import (
    MAX_IDS,
    AnsweredQuestions,
    AnswersAwaited,
    AnswersSubmitted,
    CheckpointList,
    CheckpointShown,
    GivenAnswer,
    NewQuestion,
    PauseChecked,
    PendingQuestions,
    Priority,
    QuestionPage,
    QuestionShown,
    Status,
    TableQuestions,
)
from longtable.questions.pause import Situation
from longtable.questions.service import PageQuery, Questions
from longtable.questions.store import QuestionFilter
from longtable.toolkit.durations import BRIEF_FORMS, FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Route, Scope, Tool, WriteArguments

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
    # The names of the forms hold a bracket, by which the paths of faults know to leave them out.
    return "list[]" if isinstance(answers, list) else "map[]"


def _as_choice(schema: dict[str, Any]) -> None:
    # What tells the forms apart is their type, as in every other choice that our schemas offer.
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


class QuestionTools:
    def __init__(self, questions: Questions, arrivals: Arrivals, checkpoints: Checkpoints) -> None:
        self._questions = questions
        self._arrivals = arrivals
        self._checkpoints = checkpoints

    async def add(self, call: Call, arguments: AddQuestion) -> QuestionShown:
        new = NewQuestion(
            question=arguments.question,
            context=arguments.context,
            priority=arguments.priority,
            blocking=arguments.blocking,
            options=tuple(arguments.options) if arguments.options is not None else None,
            expires_in=arguments.expires_in * SECOND if arguments.expires_in is not None else None,
            require_human=arguments.require_human,
        )
        return await self._questions.add(call, new)

    async def pending(self, call: Call, arguments: GetPendingQuestions) -> PendingQuestions:
        wanted = QuestionFilter(priority=arguments.priority, blocking=arguments.blocking)
        return await self._questions.pending(call, wanted)

    async def answered(self, call: Call, arguments: GetAnsweredQuestions) -> AnsweredQuestions:
        since = arguments.since
        return await self._arrivals.answered(call, int(since) if since is not None else None)

    async def list(self, call: Call, arguments: ListQuestions) -> QuestionPage:
        return await self._questions.list(call, PageQuery(arguments.status, arguments.limit, arguments.cursor))

    async def of_all_sessions(self, call: Call, arguments: ListOpenQuestions) -> TableQuestions:
        wanted = PageQuery(arguments.status, arguments.limit, arguments.cursor)
        return await self._questions.of_all_sessions(call, wanted)

    async def answer(self, call: Call, arguments: SubmitAnswers) -> AnswersSubmitted:
        if isinstance(arguments.answers, dict):
            given = [GivenAnswer(*pair) for pair in arguments.answers.items()]
        else:
            given = [GivenAnswer(one.question_id, one.answer) for one in arguments.answers]
        return await self._questions.answer(call, given)

    async def withdraw(self, call: Call, arguments: WithdrawQuestion) -> QuestionShown:
        return await self._questions.withdraw(call, arguments.question_id)

    async def check_pause(self, call: Call, arguments: CheckPause) -> PauseChecked:
        situation = Situation(arguments.at_phase_boundary, arguments.agent_requested, arguments.threshold)
        return await self._questions.check_pause(call, situation)

    async def checkpoints(self, call: Call, arguments: ListCheckpoints) -> CheckpointList:
        return await self._checkpoints.list_open(call)

    async def resume(self, call: Call, arguments: ResumeCheckpoint) -> CheckpointShown:
        return await self._checkpoints.resume(call, arguments.checkpoint_id)

    async def wait(self, call: Call, arguments: WaitForAnswers) -> AnswersAwaited:
        return await self._arrivals.wait(call, arguments.question_ids, arguments.timeout_seconds)


def question_tools(tools: QuestionTools) -> list[Tool[Any]]:
    return [*_asking(tools), *_answering(tools), *_pausing(tools), *_resuming(tools), *_listing(tools)]


def _asking(tools: QuestionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="add_question",
            title="Ask a person",
            description="Ask the people behind this session something that only they can decide or know.",
            arguments=AddQuestion,
            result=QuestionShown,
            run=tools.add,
            group="workspace",
            roles=WORKERS,
            audited_as="question_added",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/questions", 201),),
        ),
        Tool(
            name="withdraw_question",
            title="Withdraw a question",
            description="Take back a question that you asked and no longer need answered.",
            arguments=WithdrawQuestion,
            result=QuestionShown,
            run=tools.withdraw,
            group="workspace",
            roles=WORKERS,
            audited_as="question_withdrawn",
            writes=True,
            destructive=True,
        ),
        Tool(
            name="wait_for_answers",
            title="Wait for answers",
            description="Wait until one of your questions is answered, expired or withdrawn; "
            "at once when an answer is there that you have not been shown. When time runs out, call it again.",
            arguments=WaitForAnswers,
            result=AnswersAwaited,
            run=tools.wait,
            group="workspace",
            roles=WORKERS,
            audited_as="answers_awaited",
        ),
    ]


def _answering(tools: QuestionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="get_pending_questions",
            title="Read pending questions",
            description="Read the questions that wait for an answer, and whether any of them blocks.",
            arguments=GetPendingQuestions,
            result=PendingQuestions,
            run=tools.pending,
            group="workspace",
            roles=EVERYONE,
            audited_as="questions_read",
        ),
        Tool(
            name="get_answered_questions",
            title="Read answers",
            description="Read the answered questions: what was said, by whom, and whether a person said it here.",
            arguments=GetAnsweredQuestions,
            result=AnsweredQuestions,
            run=tools.answered,
            group="workspace",
            roles=EVERYONE,
            audited_as="answers_read",
        ),
        Tool(
            name="submit_answers",
            title="Answer questions",
            description="Answer pending questions of others, or pass on what a person answered. Your own you cannot "
            "answer, nor those that want a person.",
            arguments=SubmitAnswers,
            result=AnswersSubmitted,
            run=tools.answer,
            group="workspace",
            roles=OVERSEERS,
            audited_as="answers_submitted",
            writes=True,
            routes=(Route("POST", "/sessions/{session_id}/answers"),),
        ),
    ]


def _pausing(tools: QuestionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="check_pause",
            title="Check for a pause",
            description="Find out whether the work should pause for people now, and if so, set a checkpoint.",
            arguments=CheckPause,
            result=PauseChecked,
            run=tools.check_pause,
            group="workspace",
            roles=WORKERS,
            audited_as="pause_checked",
            writes=True,
            repeatable=True,
        ),
    ]


def _resuming(tools: QuestionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="resume_checkpoint",
            title="Go on after a pause",
            description="End a pause that waits for no question: tell everybody that the work goes on.",
            arguments=ResumeCheckpoint,
            result=CheckpointShown,
            run=tools.resume,
            group="workspace",
            roles=OVERSEERS,
            audited_as="checkpoint_resumed",
            writes=True,
            repeatable=True,
            routes=(Route("POST", "/sessions/{session_id}/checkpoints/{checkpoint_id}/resume"),),
        ),
        Tool(
            name="list_checkpoints",
            title="List pauses",
            description="List the checkpoints at which the work has paused and not gone on yet.",
            arguments=ListCheckpoints,
            result=CheckpointList,
            run=tools.checkpoints,
            group="workspace",
            roles=EVERYONE,
            audited_as="checkpoints_read",
            over_mcp=False,
            routes=(Route("GET", "/sessions/{session_id}/checkpoints"),),
        ),
    ]


def _listing(tools: QuestionTools) -> list[Tool[Any]]:
    return [
        Tool(
            name="list_questions",
            title="List questions",
            description="List all questions of a session in the order they were asked, whatever became of them.",
            arguments=ListQuestions,
            result=QuestionPage,
            run=tools.list,
            group="workspace",
            roles=EVERYONE,
            audited_as="questions_read",
            over_mcp=False,
            routes=(Route("GET", "/sessions/{session_id}/questions"),),
        ),
        Tool(
            name="list_open_questions",
            title="List questions of all sessions",
            description="List what waits for a person in any session: what blocks first, then by priority, then the "
            "newest.",
            arguments=ListOpenQuestions,
            result=TableQuestions,
            run=tools.of_all_sessions,
            group="workspace",
            roles=OVERSEERS,
            audited_as="questions_read",
            scope=Scope.TENANT,
            over_mcp=False,
            routes=(Route("GET", "/questions"),),
        ),
    ]
