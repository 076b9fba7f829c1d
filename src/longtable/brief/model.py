"""What a brief shows. Texts are cut to a headline; ids lead to the whole of each."""

from longtable.kernel.control import Control
from longtable.kernel.result import Result, Value, omitted_if_none
from longtable.log.sentences import one_line
from longtable.plan.model import Priority, Status
from longtable.reservations.model import Mode

HEADLINE = 120
PURPOSE = 600


def headline(text: str, most: int = HEADLINE) -> str:
    return one_line(text, most)


class BriefAgent(Value):
    agent: str
    last_active_at: str
    task: str | None = omitted_if_none()
    """The id of the task that it holds."""


class BriefTask(Value):
    id: str
    description: str
    priority: Priority
    status: Status | None = omitted_if_none()
    assigned_to: str | None = omitted_if_none()
    lease_expires_at: str | None = omitted_if_none()


class BriefPlan(Value):
    """`mine` are the tasks that the caller holds, `ready` those that it could begin, the best first; `changed` those
    that have changed since the moment asked for."""

    tasks: dict[str, int]
    mine: list[BriefTask] | None = omitted_if_none()
    ready: list[BriefTask] | None = omitted_if_none()
    changed: list[BriefTask] | None = omitted_if_none()


class BriefReservation(Value):
    path: str
    mode: Mode
    expires_at: str
    agent: str | None = omitted_if_none()


class BriefReservations(Value):
    """Files that the caller has reserved, and those of others."""

    mine: list[BriefReservation] | None = omitted_if_none()
    others: list[BriefReservation] | None = omitted_if_none()


class BriefMessage(Value):
    """`to` is you, where it is for you alone."""

    id: int
    sender: str
    content: str
    to: str | None = omitted_if_none()


class BriefAnswer(Value):
    id: str
    question: str
    answer: str
    answered_by: str


class BriefDecision(Value):
    id: str
    tool: str
    status: str


class BriefWaiting(Value):
    """What the caller has not seen yet: how many messages and the newest of them, answers to its questions, and
    decisions of people about its calls."""

    unread: int
    messages: list[BriefMessage] | None = omitted_if_none()
    answers: list[BriefAnswer] | None = omitted_if_none()
    decisions: list[BriefDecision] | None = omitted_if_none()


class BriefQuestion(Value):
    id: str
    question: str
    asked_by: str
    priority: Priority
    blocking: bool | None = omitted_if_none()


class BriefSection(Value):
    section_id: str
    title: str
    version: int
    author: str


class BriefNote(Value):
    id: str
    headline: str
    author: str


class BriefNotes(Value):
    """Pinned are those with the tag `pinned`."""

    total: int
    pinned: list[BriefNote] | None = omitted_if_none()
    newest: list[BriefNote] | None = omitted_if_none()


class BriefRead(Result):
    """`control` is what a person asks of you: to pause, to go on or to stop. `more` says of which list how many are not
    shown; `name_advice` how an agent without a name chooses one."""

    session_id: str
    purpose: str | None = omitted_if_none()
    you: str
    name_advice: str | None = omitted_if_none()
    as_of: str
    control: Control | None = omitted_if_none()
    waiting: BriefWaiting
    plan: BriefPlan | None = omitted_if_none()
    reservations: BriefReservations | None = omitted_if_none()
    questions: list[BriefQuestion] | None = omitted_if_none()
    agents: list[BriefAgent] | None = omitted_if_none()
    draft: list[BriefSection] | None = omitted_if_none()
    notes: BriefNotes | None = omitted_if_none()
    more: dict[str, int] | None = omitted_if_none()
