"""What happens to notes, as the log tells it."""

from longtable.log.model import Event
from longtable.notes.model import Note, note_id


def added(note: Note) -> Event:
    payload = {"note_id": note_id(note.number), "tags": list(note.tags)}
    return Event("scratchpad/note_added", payload, about=note.number)
