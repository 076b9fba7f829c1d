"""The two kinds of entry in the log, and who may see an event."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.canonical import canonical, digest_of

PREVIEW = 200


class Replaced(NamedTuple):
    """A row that was changed: its table, its number or name, and the columns as they were before."""

    table: str
    id: int | str
    columns: dict[str, Any]


class Visibility(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"
    AGENT_ONLY = "agent_only"


@dataclass(slots=True)
class Event:
    """A fact, in the past tense. One that is `addressed` may change what an inbox says. `about` is the number of the
    note or message that it is about: listeners are shown its first characters, which are not stored again. A private
    one is seen by `addressee`, too. `undo` is what it replaced, for a fork at an earlier event."""

    kind: str
    payload: dict[str, Any]
    visibility: Visibility = Visibility.PUBLIC
    addressed: bool = False
    about: int | None = None
    addressee: str | None = None
    undo: Replaced | None = None


@dataclass(slots=True)
class AuditRecord:
    """Who did what to which object, with which outcome. Never content, never a secret. Not frozen: one is created for
    every call, and that would take three times as long."""

    tenant: str
    event_type: str
    operation: str
    session_id: str | None
    agent_id: str
    agent_type: str
    role: str
    surface: str
    object: str | None
    outcome: str
    arguments_digest: str | None
    metadata: dict[str, Any]
    created_at: int

    @classmethod
    def of(cls, call: Call, outcome: str, now: int, object: str | None = None) -> "AuditRecord":
        caller = call.caller
        return cls(
            tenant=caller.tenant,
            event_type=call.audited_as,
            operation=call.operation,
            session_id=caller.session_id,
            agent_id=caller.agent,
            agent_type=caller.agent_type,
            role=caller.role.value,
            surface=caller.surface.value,
            object=object,
            outcome=outcome,
            arguments_digest=call.arguments_digest or None,
            metadata=call.metadata,
            created_at=now,
        )

    def chained(self, seq: int, previous: str) -> str:
        """The digest that ties this record to its place in the chain of its tenant."""
        return digest_of(canonical([seq, previous, *_chained(self)]))


CHAINED = tuple(name for name in AuditRecord.__slots__ if name != "tenant")
"""The tenant is which chain it is, not what it says: a chain stays whole when its tenant gets a new name."""

_chained = attrgetter(*CHAINED)


@dataclass(slots=True)
class LogEntry:
    """What one operation adds to the log when it commits."""

    tenant: str
    actor: str
    actor_type: str
    session_id: str | None
    now: int
    events: list[Event] = field(default_factory=list)
    audit: list[AuditRecord] = field(default_factory=list)
    quiet: bool = False
    """The entry of a read: callers that wait for a change are not woken."""
    size: int = 0
    """About how many bytes the operation has stored."""
    rows: Callable[[Any], Awaitable[None]] | None = None
    """What a read that is written down later adds to the store besides, in the same transaction."""


def preview(text: str) -> str:
    return text[:PREVIEW]


def may_see(caller: Caller, actor: str, actor_type: str, visibility: str, addressee: str | None = None) -> bool:
    """The one rule about visibility. `visible_rows` is the same rule in SQL; a test holds them together."""
    if visibility == Visibility.PUBLIC or caller.is_human:
        return True
    if visibility == Visibility.PRIVATE:
        return caller.agent in (actor, addressee)
    return visibility == Visibility.AGENT_ONLY and actor_type == caller.agent_type


def visible_rows(actor: str, actor_type: str) -> str:
    """`may_see` as a predicate over the named columns; bind the parameters of `viewer`."""
    return (
        f"(:sees_all = 1 OR visibility = 'public'"
        f" OR (visibility = 'private' AND ({actor} = :viewer OR addressee = :viewer))"
        f" OR (visibility = 'agent_only' AND {actor_type} = :viewer_type))"
    )


def viewer(caller: Caller) -> dict[str, Any]:
    return {"sees_all": int(caller.is_human), "viewer": caller.agent, "viewer_type": caller.agent_type}
