"""A workspace in the shape that orchestrators know it."""

from longtable.kernel.result import Result, Value
from longtable.notes.model import NoteView
from longtable.plan.model import TaskView
from longtable.questions.model import QuestionView


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
