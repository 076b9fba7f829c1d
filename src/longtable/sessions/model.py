"""What a session is, and the rules about its life."""

from dataclasses import dataclass
from typing import Any, Literal

from longtable.kernel.clock import DAY, HOUR, to_iso
from longtable.kernel.errors import SessionClosed, SessionExpired
from longtable.kernel.page import cursor_before
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none

Status = Literal["active", "closed", "expired"]

MAX_PURPOSE = 10_000
MAX_METADATA_BYTES = 10_240
MAX_TTL = 3650 * DAY
NEWEST_MESSAGES = 50
"""Shown with a session."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    ttl: int
    idle: int
    """How long a provisioned session may stay unused."""

    per_tenant: int

    @property
    def prolonged_after(self) -> int:
        """How long a provisioned session is used before its end is moved again."""
        return min(HOUR, self.idle // 2)


@dataclass(frozen=True, slots=True)
class Session:
    session_id: str
    purpose: str
    metadata: dict[str, Any]
    created_by: str
    created_at: int
    expires_at: int
    status: Status
    origin: str | None = None
    """The store it was made in, if that was not this one."""
    forked_from: str | None = None
    """The session that it began as a copy of, after the event `fork_seq`."""
    fork_seq: int | None = None

    def status_at(self, now: int) -> Status:
        """Expiry counts by the clock, not by when the periodic job runs."""
        return "expired" if self.status == "active" and now >= self.expires_at else self.status

    def check_open(self, now: int) -> None:
        status = self.status_at(now)
        if status == "expired":
            raise expired(self.session_id)
        if status == "closed":
            raise SessionClosed("This session is closed: it can be read but not changed.", session_id=self.session_id)

    def view(self, now: int) -> "SessionView":
        return SessionView(
            session_id=self.session_id,
            purpose=self.purpose,
            metadata=self.metadata,
            created_by=self.created_by,
            created_at=to_iso(self.created_at),
            expires_at=to_iso(self.expires_at),
            status=self.status_at(now),
            imported_from=self.origin,
            forked_from=self.forked_from,
            fork_seq=self.fork_seq,
        )


def expired(session_id: str) -> SessionExpired:
    return SessionExpired("This session has expired.", hint="Create a new one.", session_id=session_id)


class SessionView(Value):
    session_id: str
    purpose: str
    metadata: dict[str, Any]
    created_by: str
    created_at: str
    expires_at: str
    status: Status
    imported_from: str | None = omitted_if_none()
    forked_from: str | None = omitted_if_none()
    fork_seq: int | None = omitted_if_none()


class SessionCreated(Result):
    session_id: str
    created_by: str
    created_at: str
    expires_at: str
    entered: bool = False
    """Whether later calls on this connection act in the session."""

    next_step: str | None = omitted_if_none()
    """How to go on inside the session, where the connection cannot remember it."""


class SessionRead(LimitedResult):
    session: SessionView
    messages: list[dict[str, Any]]
    message_count: int
    older: str | None = omitted_if_none()
    """Where get_messages goes on, as its cursor, when there are more."""

    @classmethod
    def of(cls, session: SessionView, messages: list[dict[str, Any]], count: int) -> "SessionRead":
        """With as many of the newest messages as the answer has room for."""
        is_cut = len(messages) < min(count, NEWEST_MESSAGES) or any("truncated" in each for each in messages)
        return cls(
            session=session,
            messages=messages,
            message_count=count,
            older=cursor_before(messages[-1]["id"]) if len(messages) < count else None,
            truncated=True if is_cut else None,
        )


class SessionList(LimitedResult):
    sessions: list[SessionView]
    next_cursor: str | None


class SessionStatus(Result):
    session_id: str
    status: Status


class SessionJoined(Result):
    session_id: str
    purpose: str
    expires_at: str
    next_step: str | None = omitted_if_none()


class SessionFound(Result):
    session_id: str | None


class SessionExtended(Result):
    session_id: str
    expires_at: str


class SessionForked(Result):
    """`records` is how many notes, versions, tasks, questions and messages the new session begins with."""

    session_id: str
    forked_from: str
    fork_seq: int
    records: int
    expires_at: str
