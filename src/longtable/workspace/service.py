"""Puts a workspace together from the slices that hold its parts."""

from longtable.draft import store as draft_store
from longtable.draft.model import SectionVersion
from longtable.kernel.call import Call
from longtable.kernel.clock import to_iso
from longtable.log.ledger import Ledger
from longtable.notes.service import NoteQuery, Notes
from longtable.plan.service import Plan, PlanQuery
from longtable.questions.model import QuestionView
from longtable.questions.service import PageQuery, Questions
from longtable.workspace.model import DraftSection, WorkspaceRead

_QUESTIONS_A_PAGE = 500


class Workspace:
    def __init__(self, ledger: Ledger, notes: Notes, plan: Plan, questions: Questions) -> None:
        self._ledger = ledger
        self._notes = notes
        self._plan = plan
        self._questions = questions

    async def read(self, call: Call, limit: int) -> WorkspaceRead:
        """Everything but the notes is shown whole. Looking at it is not reading a section: nobody is told."""
        session_id = call.caller.session
        sections = await self._ledger.read(call.caller, lambda tx: draft_store.manuscript(tx, session_id))
        notes = await self._notes.read(call, NoteQuery(limit))
        plan = await self._plan.read(call, PlanQuery())
        return WorkspaceRead(
            notes=notes.notes,
            draft_sections={section.section_id: _section(section) for section in sections},
            plan=plan.tasks,
            questions=await self._all_questions(call),
            next_cursor=notes.next_cursor,
        )

    async def _all_questions(self, call: Call) -> list[QuestionView]:
        found: list[QuestionView] = []
        cursor: str | None = None
        while True:
            page = await self._questions.list(call, PageQuery(None, _QUESTIONS_A_PAGE, cursor))
            found += page.questions
            cursor = page.next_cursor
            if cursor is None:
                return found


def _section(section: SectionVersion) -> DraftSection:
    return DraftSection(
        title=section.title,
        content=section.content or "",
        version=section.version,
        author=section.author,
        updated_at=to_iso(section.created_at),
    )
