"""Joins the slices: the place where each is built from the parts below it. A new slice adds its lines here."""

from dataclasses import dataclass
from typing import Any

from longtable.activity.service import Activity
from longtable.activity.tools import ActivityTools, activity_tools
from longtable.kernel.caller import Caller
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.notes import store as note_store
from longtable.notes.model import NoteLimits
from longtable.notes.service import Notes
from longtable.notes.tools import NoteTools, note_tools
from longtable.sessions.gate import Gate
from longtable.sessions.jobs import Purge
from longtable.sessions.service import Sessions
from longtable.sessions.tools import SessionTools, session_tools
from longtable.settings.options import Settings
from longtable.storage.database import Transaction
from longtable.toolkit.tool import Tool


@dataclass(frozen=True, slots=True)
class Parts:
    """What every slice stands on."""

    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: Sessions
    gate: Gate


@dataclass(frozen=True, slots=True)
class Slices:
    """Tools in the order in which they are listed, and what each slice removes with a session."""

    tools: list[Tool[Any]]
    purges: list[Purge]


def join_slices(parts: Parts) -> Slices:
    settings, ledger, sessions = parts.settings, parts.ledger, parts.sessions
    notes = Notes(ledger, sessions, NoteLimits(settings.max_notes, settings.max_note_bytes))
    activity = Activity(ledger, parts.waits)
    tools: list[Tool[Any]] = [
        *note_tools(NoteTools(notes)),
        *activity_tools(ActivityTools(activity)),
        *session_tools(SessionTools(sessions, parts.gate, _no_messages)),
    ]
    return Slices(tools=tools, purges=[note_store.purge])


async def _no_messages(tx: Transaction, caller: Caller) -> tuple[list[dict[str, Any]], int]:
    return [], 0
