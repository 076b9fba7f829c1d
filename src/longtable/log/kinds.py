"""Every kind of event, what it tells and what it carries. A slice adds a line here for each fact of its own."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EventKind:
    """`payload` maps every field that it may carry to its meaning."""

    name: str
    meaning: str
    payload: Mapping[str, str]


def _kind(name: str, meaning: str, **payload: str) -> EventKind:
    return EventKind(name, meaning, payload)


EVENT_KINDS: Mapping[str, EventKind] = {
    kind.name: kind
    for kind in (
        _kind("session/created", "A session was created, or provisioned for callers that brought none."),
        _kind("session/closed", "A session was closed: it can be read but not changed any more."),
        _kind("session/expired", "The time of a session is over."),
        _kind("session/extended", "A session got more time.", expires_at="when it expires now"),
        _kind(
            "scratchpad/note_added",
            "A note was pinned to the corkboard.",
            note_id="id of the note",
            tags="its tags",
            content_preview="its first 200 characters",
        ),
    )
}
