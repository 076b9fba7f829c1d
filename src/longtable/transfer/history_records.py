"""What happened to a thing where it was made. An import keeps it as data: it is never an event, an approval or an audit
record here."""

import json
import re
from typing import Final

from longtable.transfer.record_type import RecordType, field
from longtable.transfer.values import DIGEST, FLAG, MOMENT, NUMBER, VISIBILITY, choice, json_value, numbered, text

_NAME: Final = text(1_000)
_PLACE: Final = text(100_000)
_FACTS: Final = json_value(1_000_000, dict)

EVENT: Final = RecordType(
    "event",
    "events",
    (
        field("seq", NUMBER),
        field("kind", text(200)),
        field("actor", _NAME),
        field("actor_type", _NAME),
        field("visibility", VISIBILITY),
        field("to", _NAME, "addressee", optional=True),
        field("payload", _FACTS),
        field("about", NUMBER, optional=True),
        field("created_at", MOMENT),
    ),
    ("seq",),
    has_origin=True,
    is_history=True,
    # The first is shown for an hour only, the second is the import itself.
    condition="kind NOT IN ('scratchpad/section_read', 'session/imported')",
)
DECISION: Final = RecordType(
    "decision",
    "decisions",
    (
        field("id", numbered("d"), "number"),
        field("kind", _NAME),
        field("status", choice("waiting", "approved", "denied", "expired", "used")),
        field("agent", _NAME),
        field("workspace", _PLACE, optional=True),
        field("tool", _NAME),
        field("identity", _PLACE),
        field("upstream", _NAME),
        field("description", text()),
        field("why", text(), optional=True),
        field("arguments", text()),
        field("steps", text(), optional=True),
        field("policy_version", _NAME),
        field("requested_at", MOMENT),
        field("expires_at", MOMENT),
        field("decided_at", MOMENT, optional=True),
        field("decided_by", _NAME, optional=True),
        field("reason", text(), optional=True),
        field("relayed", FLAG),
        field("standing_until", MOMENT, optional=True),
        field("used_at", MOMENT, optional=True),
    ),
    ("number",),
    has_origin=True,
    is_history=True,
    moment="requested_at",
)
AUDIT: Final = RecordType(
    "audit",
    "audit",
    (
        field("seq", NUMBER),
        field("event_type", text(200)),
        field("operation", _NAME),
        field("agent_id", _NAME),
        field("agent_type", _NAME),
        field("role", text(100)),
        field("surface", text(100)),
        field("object", _PLACE, optional=True),
        field("outcome", text(200)),
        field("arguments_digest", DIGEST, optional=True),
        field("metadata", _FACTS),
        field("created_at", MOMENT),
        field("digest", DIGEST),
    ),
    ("seq",),
    has_origin=True,
    is_history=True,
    condition="event_type NOT IN ('data_exported', 'session_exported', 'session_imported', 'scratchpad_imported')",
)

HISTORY: Final = (EVENT, DECISION, AUDIT)
"""In the order of the file."""

_PREVIEW: Final = re.compile("previews?$")


def without_previews(payload: str) -> str:
    """An event without what it repeats of the thing it tells of: that is in the record of the thing, where a redaction
    reaches it."""
    facts = json.loads(payload)
    kept = {name: value for name, value in facts.items() if name != "tags" and not _PREVIEW.search(name)}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
