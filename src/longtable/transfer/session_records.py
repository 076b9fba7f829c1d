"""What an export has of a session: a type of record for each table.

A field whose value is null is left out of its line. What is not here is not exported: reservations, which end by
themselves; how far each agent has read; what can be made from the rest (the search index, counters, previews)."""

import re
from typing import Final

from longtable.draft.model import MAX_TITLE, RESERVED, SECTION_ID
from longtable.memory.model import MAX_VALUE_BYTES
from longtable.messages import model as messages
from longtable.notes.model import MAX_SOURCE_BYTES, MAX_TAG_CHARACTERS, MAX_TAGS
from longtable.plan import model as plan
from longtable.questions import model as questions
from longtable.sessions.model import MAX_METADATA_BYTES, MAX_PURPOSE
from longtable.transfer.record_type import RecordType, field, nullable_field
from longtable.transfer.values import (
    A_SESSION,
    AN_ORIGIN,
    COUNT,
    FLAG,
    MOMENT,
    NAME,
    NUMBER,
    VISIBILITY,
    choice,
    integer,
    joined_numbers,
    json_value,
    listed_numbers,
    numbered,
    pattern,
    position_in,
    text,
    text_list,
    unique_texts,
)

_SECTION: Final = pattern(
    re.compile(rf"(?!(?:{'|'.join(RESERVED)})$){SECTION_ID.removeprefix('^').removesuffix('$')}"),
    f"must have the form {SECTION_ID}, and not be one of {', '.join(RESERVED)}",
)

SESSION: Final = RecordType(
    "session",
    "sessions",
    (
        field("id", A_SESSION, "session_id"),
        field("purpose", text(MAX_PURPOSE)),
        field("metadata", json_value(MAX_METADATA_BYTES, dict)),
        field("created_by", NAME),
        field("created_at", MOMENT),
        field("expires_at", MOMENT),
        field("status", choice("active", "closed", "expired")),
        field("ended_at", MOMENT, optional=True),
    ),
    ("session_id",),
    has_origin=True,
)
NOTE: Final = RecordType(
    "note",
    "notes",
    (
        field("id", numbered("n"), "number"),
        field("content", text()),
        field("tags", unique_texts(MAX_TAGS, MAX_TAG_CHARACTERS)),
        field("author", NAME),
        field("source", text(MAX_SOURCE_BYTES), optional=True),
        field("supersedes", numbered("n"), optional=True),
        field("superseded_by", numbered("n"), optional=True),
        field("created_at", MOMENT),
    ),
    ("number",),
    has_origin=True,
)
SECTION: Final = RecordType(
    "section",
    "sections",
    (field("id", _SECTION, "section_id"), field("position", COUNT), field("version", NUMBER)),
    ("position", "section_id"),
    frozenset({"section_id"}),
)
SECTION_VERSION: Final = RecordType(
    "section_version",
    "section_versions",
    (
        field("section", _SECTION, "section_id"),
        field("version", NUMBER),
        field("title", text(MAX_TITLE)),
        field("content", text()),
        field("author", NAME),
        field("created_at", MOMENT),
    ),
    ("section_id", "version"),
    frozenset({"section_id"}),
    has_origin=True,
)
TASK: Final = RecordType(
    "task",
    "tasks",
    (
        field("id", numbered("t"), "number"),
        field("description", text(plan.MAX_DESCRIPTION)),
        field("status", choice(*plan.STATUSES)),
        field("assigned_to", NAME, optional=True),
        field("priority", position_in(plan.PRIORITIES)),
        field("depends_on", joined_numbers("t", plan.MAX_DEPENDENCIES)),
        field("metadata", json_value(plan.MAX_METADATA_BYTES, dict), optional=True),
        field("notes", integer(0, plan.MAX_NOTES * 2), "note_count"),
        field("version", NUMBER),
        field("claims", COUNT),
        field("lease_holder", NAME, optional=True),
        field("lease_expires_at", MOMENT, optional=True),
        field("created_by", NAME),
        field("created_at", MOMENT),
        field("updated_at", MOMENT),
    ),
    ("number",),
    has_origin=True,
)
TASK_NOTE: Final = RecordType(
    "task_note",
    "task_notes",
    (
        field("task", numbered("t")),
        field("number", NUMBER),
        field("author", NAME),
        field("text", text(plan.MAX_NOTE)),
        field("created_at", MOMENT),
    ),
    ("task", "number"),
    has_origin=True,
)
QUESTION: Final = RecordType(
    "question",
    "questions",
    (
        field("id", numbered("q"), "number"),
        field("question", text(questions.MAX_QUESTION)),
        field("context", text(questions.MAX_CONTEXT), optional=True),
        field("asked_by", NAME),
        field("asked_at", MOMENT),
        field("priority", choice("high", "medium", "low")),
        field("blocking", FLAG),
        field("require_human", FLAG),
        field("options", text_list(questions.MAX_OPTIONS, questions.MAX_OPTION), optional=True),
        field("expires_at", MOMENT, optional=True),
        field("status", choice("pending", "answered", "expired", "withdrawn")),
        field("answer", text(questions.MAX_ANSWER), optional=True),
        field("answered_at", MOMENT, optional=True),
        field("answered_by", NAME, optional=True),
        field("by_human", FLAG, "told_by_human", source="by_human + told_by_human"),
        field("answer_origin", AN_ORIGIN, optional=True),
    ),
    ("number",),
    has_origin=True,
)
CHECKPOINT: Final = RecordType(
    "checkpoint",
    "checkpoints",
    (
        field("id", numbered("c"), "number"),
        field("event_seq", COUNT),
        field("reasons", text_list(10, 100)),
        field("questions", listed_numbers("q", 1_000_000)),
        field("created_at", MOMENT),
        field("resumed_at", MOMENT, optional=True),
    ),
    ("number",),
)
MESSAGE: Final = RecordType(
    "message",
    "messages",
    (
        field("id", NUMBER, "number"),
        field("sender", NAME),
        field("sender_type", text(100)),
        field("content", text(messages.MAX_CHARACTERS)),
        field("visibility", VISIBILITY),
        field("metadata", json_value(messages.MAX_METADATA_BYTES, dict)),
        field("to", NAME, "addressee", optional=True),
        field("control", choice("pause", "resume", "stop"), optional=True),
        field("acknowledged_at", MOMENT, optional=True),
        field("parent", NUMBER, optional=True),
        field("thread", NUMBER),
        field("created_at", MOMENT),
    ),
    ("number",),
    has_origin=True,
)
MEMORY: Final = RecordType(
    "memory",
    "memory",
    (
        field("agent", NAME),
        field("key", text(255, minimum=1), "memory_key"),
        nullable_field("value", json_value(MAX_VALUE_BYTES)),
        field("version", NUMBER),
        field("created_at", MOMENT),
        field("updated_at", MOMENT),
        field("expires_at", MOMENT, optional=True),
    ),
    ("agent", "memory_key"),
    frozenset({"agent", "memory_key"}),
)

IN_SESSION: Final = (NOTE, SECTION, SECTION_VERSION, TASK, TASK_NOTE, QUESTION, CHECKPOINT, MESSAGE, MEMORY)
"""In the order of the file."""
