"""What people are notified of, and where. A notice says who waits since when, with a link; never what is asked."""

from typing import Final, Literal, NamedTuple, get_args

from longtable.kernel.clock import DAY, HOUR, MINUTE, SECOND, to_iso
from longtable.kernel.result import Result, Value, omitted_if_none

NotifierKind = Literal["webhook", "ntfy", "slack", "email"]
NotifierEvent = Literal["question", "approval", "task_failed", "agent_silent"]
NoticeType = Literal["question", "approval", "task_failed", "agent_silent", "digest", "test"]
DeliveryStatus = Literal["waiting", "sent", "failed", "in_digest", "not_needed"]
NotifierSource = Literal["added", "file"]

EVENTS: Final[tuple[NotifierEvent, ...]] = get_args(NotifierEvent)
MAX_NOTIFIERS: Final = 50
"""Of one tenant."""
MAX_ADDRESS: Final = 2_000
MAX_PER_MINUTE: Final = 5
"""Notices that one notifier sends in a minute. When more wait they become one."""
MAX_ATTEMPTS: Final = 10
PAUSES: Final = (
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
)
"""After the first failure, the second and so on."""
KEPT: Final = 7 * DAY
"""How long what was sent can be looked up."""
LONGEST_PURPOSE: Final = 200


class Notifier(NamedTuple):
    """`address` and `secret` are encrypted."""

    name: str
    kind: NotifierKind
    address: str
    shown_address: str
    secret: str | None
    events: tuple[NotifierEvent, ...]
    allow_private: bool
    source: NotifierSource
    position: int
    created_by: str
    created_at: int
    failures: int = 0
    paused_until: int = 0
    gone: bool = False

    def view(self, last: "OutgoingNotice | None") -> "NotifierView":
        return NotifierView(
            name=self.name,
            kind=self.kind,
            to=self.shown_address,
            events=list(self.events),
            allow_private=self.allow_private,
            source=self.source,
            status="gone" if self.gone else "failing" if self.failures else "ok",
            created_by=self.created_by,
            created_at=to_iso(self.created_at),
            last_delivery=last and last.view(),
        )


class OutgoingNotice(NamedTuple):
    """`about` is unique for a notifier. `session_id` and `asker` are None for a digest over several."""

    notice_id: str
    notifier: str
    type: NoticeType
    about: str
    session_id: str | None
    asker: str | None
    waiting_since: int
    created_at: int
    covers: int = 1
    status: DeliveryStatus = "waiting"
    attempts: int = 0
    due_at: int = 0
    attempted_at: int | None = None
    response: int | None = None
    problem: str | None = None

    @property
    def subject(self) -> str:
        """What must still be open for the notice to be of use."""
        return self.about.rpartition(":")[0]

    @property
    def item(self) -> str:
        """The id of the question, decision or task."""
        return self.subject.rpartition(":")[2]

    def view(self) -> "DeliveryView":
        return DeliveryView(
            id=self.notice_id,
            type=self.type,
            session_id=self.session_id,
            covers=self.covers,
            status=self.status,
            attempts=self.attempts,
            created_at=to_iso(self.created_at),
            attempted_at=None if self.attempted_at is None else to_iso(self.attempted_at),
            response=self.response,
            problem=self.problem,
        )


class NoticeFacts(NamedTuple):
    """What a notice tells, in the order of its fields."""

    type: NoticeType
    session_id: str | None
    purpose: str | None
    asker: str | None
    waiting_since: str
    link: str


class SendOutcome(NamedTuple):
    """`response` is the status of an HTTP answer. `problem` is None for what was delivered."""

    response: int | None = None
    problem: str | None = None
    retry_after: int = 0

    @property
    def is_gone(self) -> bool:
        return self.response == 410


def subject(type: NoticeType, session_id: str | None, item: str) -> str:
    return f"{type}:{session_id or ''}:{item}"


def pause_after(failures: int, retry_after: int, jitter: float) -> int:
    """Until the next attempt; `jitter` is from 0 to 1."""
    pause = PAUSES[min(failures, len(PAUSES)) - 1]
    return max(int(pause * (1 + jitter / 4)), min(retry_after, PAUSES[-1]))


class DeliveryView(Value):
    """`covers` is how many notices a digest stands for; `response` the status that the receiver answered."""

    id: str
    type: NoticeType
    session_id: str | None = omitted_if_none()
    covers: int
    status: DeliveryStatus
    attempts: int
    created_at: str
    attempted_at: str | None = omitted_if_none()
    response: int | None = omitted_if_none()
    problem: str | None = omitted_if_none()


class NotifierView(Value):
    """`to` is the address without what may be a secret in it. `source` is `file` for one of the notifiers file."""

    name: str
    kind: NotifierKind
    to: str
    events: list[NotifierEvent]
    allow_private: bool
    source: NotifierSource
    status: Literal["ok", "failing", "gone"]
    created_by: str
    created_at: str
    last_delivery: DeliveryView | None = omitted_if_none()


class NotifierAdded(Result):
    """`secret` signs what a webhook gets. It is shown this once: a repeated call does not have it."""

    notifier: NotifierView
    secret: str | None


class NotifierList(Result):
    notifiers: list[NotifierView]
    count: int


class NotifierRemoved(Result):
    name: str
    removed: bool


class FileFollowed(Result):
    """What was taken over from the notifiers file."""

    changed: list[str]
    removed: list[str]


class NotifierTested(Result):
    delivered: bool
    delivery: DeliveryView


class DeliveryList(Result):
    """The newest first."""

    deliveries: list[DeliveryView]
    count: int
