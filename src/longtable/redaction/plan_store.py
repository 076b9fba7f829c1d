"""SQL that replaces the texts of a task by a tombstone: in the row, its notes, the events and stored results."""

from typing import Any

from longtable.kernel.clock import to_iso
from longtable.log.model import preview
from longtable.plan import store as plan_store
from longtable.plan.model import TaskNote, task_id
from longtable.redaction import logged_events, stored_results
from longtable.redaction.logged_events import about
from longtable.redaction.model import TOMBSTONE
from longtable.redaction.stored_results import JsonObject, without
from longtable.storage.database import Transaction


async def redact_task(tx: Transaction, session_id: str, number: int, now: int) -> bool:
    """What is to be done, in the words of now and of before, and its metadata."""
    task = await plan_store.find(tx, session_id, number)
    if task is None:
        return False
    name = task_id(number)
    await plan_store.save(
        tx, session_id, task._replace(description=TOMBSTONE, metadata=None, version=task.version + 1), now
    )
    await tx.execute(
        "UPDATE tasks SET metadata = NULL WHERE tenant = :tenant AND session_id = :session_id AND number = :number",
        session_id=session_id,
        number=number,
    )
    texts = {"description": TOMBSTONE, "metadata": None}
    await stored_results.scrub(tx, session_id, name, without("id", name, texts))
    await logged_events.scrub_replaced(tx, session_id, "tasks", number, "description", TOMBSTONE)
    await logged_events.scrub(
        tx, session_id, "scratchpad/tasks_added", lambda payload: _without_preview_of(name, payload)
    )
    return True


async def redact_task_note(tx: Transaction, session_id: str, number: int, place: int) -> bool:
    """One of the remarks about a task: the first has the place 1."""
    row = await tx.first(
        """SELECT author, text, created_at FROM task_notes
           WHERE tenant = :tenant AND session_id = :session_id AND task = :task AND number = :place""",
        session_id=session_id,
        task=number,
        place=place,
    )
    if row is None:
        return False
    note = TaskNote(**row)
    await tx.execute(
        """UPDATE task_notes SET text = :tombstone
           WHERE tenant = :tenant AND session_id = :session_id AND task = :task AND number = :place""",
        session_id=session_id,
        task=number,
        place=place,
        tombstone=TOMBSTONE,
    )
    name = task_id(number)
    await stored_results.scrub(tx, session_id, name, lambda found: _without_note(name, note, found))
    words = about({"item_id": name, "note_preview": preview(note.text)}, {"note_preview": TOMBSTONE})
    await logged_events.scrub(tx, session_id, "scratchpad/task_noted", words)
    return True


def _without_preview_of(name: str, payload: dict[str, Any]) -> dict[str, Any]:
    previews = [
        TOMBSTONE if id == name else words for id, words in zip(payload["task_ids"], payload["previews"], strict=True)
    ]
    return {**payload, "previews": previews}


def _without_note(name: str, note: TaskNote, found: JsonObject) -> JsonObject:
    """A result may have a part of the notes only, and a part of each text, but always author and time."""
    if found.get("id") != name or not isinstance(found.get("notes"), list):
        return found
    moment = to_iso(note.created_at)
    clean = [
        {**each, "text": TOMBSTONE} if (each.get("author"), each.get("timestamp")) == (note.author, moment) else each
        for each in found["notes"]
    ]
    return {**found, "notes": clean}
