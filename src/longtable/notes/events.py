"""What happens to notes, as the log tells it."""

from longtable.log.model import Event
from longtable.log.page_cache import NOTE_ADDED
from longtable.notes.model import Note, note_id


def added(note: Note) -> Event:
    payload = {"note_id": note_id(note.number), "tags": list(note.tags)}
    return Event(NOTE_ADDED, payload, about=note.number)
