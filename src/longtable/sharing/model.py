"""What a link shares, and for how long."""

from typing import Literal, NamedTuple

from longtable.draft.model import SectionVersion
from longtable.kernel.clock import DAY, to_iso
from longtable.kernel.result import Result, Value, omitted_if_none
from longtable.messages.model import Message
from longtable.notes.model import Note
from longtable.plan.model import Task, TaskNote
from longtable.sessions.model import Session

DEFAULT_LIFETIME = 7 * DAY
MAX_LINKS = 100
"""The most open links of one session."""
MAX_ITEMS = 1_000
"""Notes, and messages, that a page shows: the newest."""
PATH = "/shared/"

LinkStatus = Literal["open", "expired", "revoked"]


class SharedLink(NamedTuple):
    """`section_id` is None for a whole session."""

    share_id: str
    session_id: str
    section_id: str | None
    created_by: str
    created_at: int
    expires_at: int
    revoked_at: int | None = None

    def status_at(self, now: int) -> LinkStatus:
        if self.revoked_at is not None:
            return "revoked"
        return "open" if now < self.expires_at else "expired"

    def view(self, now: int) -> "ShareView":
        return ShareView(
            share_id=self.share_id,
            session_id=self.session_id,
            section_id=self.section_id,
            created_by=self.created_by,
            created_at=to_iso(self.created_at),
            expires_at=to_iso(self.expires_at),
            status=self.status_at(now),
        )


class SharedContent(NamedTuple):
    """What a page shows. `notes` and `messages` are the newest, in the order in which they were written."""

    session: Session
    sections: list[SectionVersion]
    tasks: list[Task]
    task_notes: dict[int, list[TaskNote]]
    notes: list[Note]
    messages: list[Message]


class ShareView(Value):
    share_id: str
    session_id: str
    section_id: str | None = omitted_if_none()
    created_by: str
    created_at: str
    expires_at: str
    status: LinkStatus


class ShareCreated(Result):
    """`path` is where it opens, on this server. It is shown this once: a repeated call does not have it."""

    share: ShareView
    path: str | None


class ShareList(Result):
    shares: list[ShareView]
    count: int


class ShareRevoked(Result):
    share: ShareView
