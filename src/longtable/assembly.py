"""Joins the slices: the place where each is built from the parts below it. A new slice adds its lines here."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from longtable.activity.service import Activity
from longtable.activity.tools import ActivityTools, activity_tools
from longtable.draft import store as draft_store
from longtable.draft.jobs import forget_reads
from longtable.draft.model import DraftLimits
from longtable.draft.service import Draft
from longtable.draft.tools import DraftTools, draft_tools
from longtable.inbox.service import Inboxes
from longtable.log.ledger import forget_old_keys
from longtable.memory import store as memory_store
from longtable.memory.service import Memory, forget_expired
from longtable.memory.tools import MemoryTools, memory_tools
from longtable.messages import store as message_store
from longtable.messages.service import Messages
from longtable.messages.tools import MessageTools, message_tools
from longtable.notes import store as note_store
from longtable.notes.model import NoteLimits
from longtable.notes.rendering import render_notes
from longtable.notes.service import Notes
from longtable.notes.tools import NoteTools, note_tools
from longtable.parts import Parts
from longtable.plan import store as plan_store
from longtable.plan.service import Plan
from longtable.plan.tools import PlanTools, plan_tools
from longtable.questions import store as question_store
from longtable.questions.service import Questions, render_answers
from longtable.questions.tools import QuestionTools, question_tools
from longtable.records.service import Records
from longtable.records.tools import RecordTools, record_tools
from longtable.redaction.service import Redaction
from longtable.redaction.tools import RedactionTools, redaction_tools
from longtable.search.service import Search
from longtable.search.tools import SearchTools, search_tools
from longtable.sessions.jobs import Chore, Purge
from longtable.sessions.tools import SessionTools, session_tools
from longtable.toolkit.tool import Tool
from longtable.workspace.service import Workspace
from longtable.workspace.tools import WorkspaceTools, workspace_tools


@dataclass(frozen=True, slots=True)
class Slices:
    """Tools in the order in which they are listed, what each slice removes with a session, and does each minute."""

    tools: list[Tool[Any]]
    purges: list[Purge]
    chores: list[Chore]
    inbox: Inboxes


def join_slices(parts: Parts) -> Slices:
    settings, ledger, sessions = parts.settings, parts.ledger, parts.sessions
    notes = Notes(ledger, sessions, NoteLimits(settings.max_notes, settings.max_note_bytes))
    plan = Plan(ledger, sessions, settings.max_tasks)
    questions = Questions(ledger, sessions, parts.waits, settings.max_questions)
    virtual = {"notes": render_notes, "plan": plan.render, "user_answers": render_answers}
    draft = Draft(ledger, sessions, DraftLimits(settings.max_sections, settings.max_section_bytes), virtual)
    activity = Activity(ledger, parts.waits)
    messages = Messages(ledger, sessions, parts.waits, settings.max_messages)
    memory = Memory(ledger, sessions, settings.max_memory)
    tools: list[Tool[Any]] = [
        *note_tools(NoteTools(notes)),
        *draft_tools(DraftTools(draft)),
        *plan_tools(PlanTools(plan)),
        *question_tools(QuestionTools(questions)),
        *workspace_tools(WorkspaceTools(Workspace(ledger, notes, plan, questions))),
        *activity_tools(ActivityTools(activity)),
        *session_tools(SessionTools(sessions, parts.gate, messages.newest)),
        *message_tools(MessageTools(messages)),
        *search_tools(SearchTools(Search(ledger))),
        *memory_tools(MemoryTools(memory)),
        *record_tools(RecordTools(Records(ledger))),
        *redaction_tools(RedactionTools(Redaction(ledger, partial(_backups, settings.data_dir)))),
    ]
    purges: list[Purge] = [
        note_store.purge,
        draft_store.purge,
        plan_store.purge,
        question_store.purge,
        message_store.purge,
        memory_store.purge,
    ]
    return Slices(
        tools=[tool for tool in tools if tool.group in settings.tool_groups],
        purges=purges,
        chores=[forget_reads, forget_expired, forget_old_keys],
        inbox=Inboxes(ledger, parts.waits.wakeups, question_store.count_answers_since),
    )


def _backups(folder: Path) -> list[str]:
    """Names alone: where they lie is the operator's business."""
    return sorted(path.name for path in (folder / "backups").glob("*") if path.is_file())
