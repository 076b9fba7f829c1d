"""Notes as one text, for readers who want the corkboard in a piece."""

from longtable.kernel.caller import Caller
from longtable.kernel.clock import to_iso
from longtable.notes import store
from longtable.notes.model import Note, note_id
from longtable.notes.store import NoteFilter
from longtable.storage.database import Transaction

MOST_BYTES = 1_048_576
_PAGE = 100


async def render_notes(tx: Transaction, caller: Caller) -> str:
    """The notes of the caller's session in order, as Markdown. A full corkboard would be too much for one answer:
    the text then ends with how many are left out."""
    total = await store.newest_number(tx, caller.session)
    entries: list[str] = []
    room = MOST_BYTES
    while page := await store.page(tx, caller.session, NoteFilter(_PAGE, after=len(entries))):
        for note in page:
            entry = _entry(note)
            room -= len(entry.encode())
            if room < 0:
                entries.append(f"*{total - len(entries)} more notes are left out here; read_notes has them.*\n")
                return "\n".join(entries)
            entries.append(entry)
    return "\n".join(entries)


def _entry(note: Note) -> str:
    heading = f"## {note_id(note.number)}, {note.author}, {to_iso(note.created_at)}"
    facts = {
        "Tags": ", ".join(note.tags),
        "Source": note.source,
        "Supersedes": note_id(note.supersedes) if note.supersedes else None,
        "Superseded by": note_id(note.superseded_by) if note.superseded_by else None,
    }
    lines = [heading, *(f"{name}: {value}" for name, value in facts.items() if value)]
    return "\n\n".join([*lines, note.content]) + "\n"
