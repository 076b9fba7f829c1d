"""What happens by redaction, as the log tells it."""

from longtable.log.model import Event
from longtable.redaction.model import RedactedThing


def redacted(thing: RedactedThing) -> Event:
    return Event("scratchpad/redacted", {"object_kind": thing.kind, "object_id": thing.id, "version": thing.version})
