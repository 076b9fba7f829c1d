"""A workspace as orchestrators read it, and the overview of tables."""

from longtable.kernel.result import Result, Value
from longtable.notes.model import NoteView
from longtable.plan.model import PlanSummary, TaskView
from longtable.questions.model import QuestionView
from longtable.sessions.model import SessionView


class DraftSection(Value):
    title: str
    content: str
    version: int
    author: str
    updated_at: str


class WorkspaceRead(Result):
    notes: list[NoteView]
    draft_sections: dict[str, DraftSection]
    plan: list[TaskView]
    questions: list[QuestionView]
    next_cursor: str | None
    """For the notes beyond those shown: read_notes goes on from here."""


class Seated(Value):
    agent: str
    last_active_at: str


class TableView(SessionView):
    """A session and how far it has got. `agents` did something in it, the most recently active first; only some
    may be shown. Messages are counted as far as the caller may read them."""

    agents: list[Seated]
    agent_count: int
    tasks: PlanSummary
    progress: float
    open_questions: int
    blocking_questions: int
    notes: int
    sections: int
    messages: int
    last_activity_at: str


class TableList(Result):
    sessions: list[TableView]
    count: int
    next_cursor: str | None


class TableShown(Result):
    """A stream that begins after `last_seq` has everything that happened since."""

    session: TableView
    last_seq: int
