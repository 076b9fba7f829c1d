"""The event of a redaction."""

from longtable.log.model import Event
from longtable.redaction.model import RedactedThing


def redacted(thing: RedactedThing) -> Event:
    return Event("scratchpad/redacted", {"object_kind": thing.kind, "object_id": thing.id, "version": thing.version})
