"""The stored state of a connection."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

from pydantic_core import from_json

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import CapacityLimitReached

MAX_SUBSCRIPTIONS = 200
"""The most subscriptions of one connection."""

MAX_PENDING = 20
MAX_CANCELLED = 50
MAX_REPLIES = 10
MAX_REPLY_BYTES = 262_144
MAX_CLIENT_BYTES = 4_096
_NEWER = ("replies", "log_level", "lists_seen", "watched")


@dataclass(frozen=True, slots=True)
class SavedSubscription:
    """Events of some kinds, or changes of one resource, as one agent may see them. `after` is the last event that the
    client is known to have; `epoch` counts the subscriptions of the connection, this one included."""

    name: str
    session_id: str | None
    agent: str
    agent_type: str
    bound: bool
    kinds: tuple[str, ...]
    uri: str | None
    after: int
    epoch: int = 0

    def caller(self, tenant: str, role: Role) -> Caller:
        return Caller(tenant, role, self.agent, self.agent_type, Surface.HTTP, self.session_id, self.bound)

    def start_after(self, position: "Position | None") -> int:
        """Where a stream resumes: at the position that the client names, if that is newer than this subscription."""
        if position is None or self.epoch > position.epoch:
            return self.after
        return max(self.after, position.seq)


@dataclass(frozen=True, slots=True)
class Position:
    """How far a stream was read: every event up to `seq`, for the subscriptions up to `epoch`."""

    epoch: int
    seq: int

    @classmethod
    def parse(cls, event_id: str | None) -> "Position | None":
        """What a client sends as Last-Event-ID; None for what no stream of ours has sent."""
        epoch, dash, seq = (event_id or "").partition("-")
        if not dash or not (epoch.isascii() and epoch.isdigit() and seq.isascii() and seq.isdigit()):
            return None
        return cls(int(epoch), int(seq)) if len(epoch) < 10 and len(seq) < 20 else None

    def __str__(self) -> str:
        return f"{self.epoch}-{self.seq}"


@dataclass(frozen=True, slots=True)
class ConnectionState:
    """The part that changes. `listener` names the stream that is open now; `tools_seen` is the digest of the list of
    other servers' tools that the client was shown, `lists_seen` has those of their resources and prompts; `pending` are
    notifications that wait for a stream; `cancelled` are requests that the client has given up; `replies` are its
    answers to requests of other processes; `log_level` is what it has set; `watched` are the subscriptions to resources
    of other servers that the open stream has begun with."""

    subscriptions: tuple[SavedSubscription, ...] = ()
    epoch: int = 0
    listener: str | None = None
    tools_seen: str | None = None
    pending: tuple[dict[str, Any], ...] = ()
    cancelled: tuple[str, ...] = ()
    replies: tuple[dict[str, Any], ...] = ()
    log_level: str | None = None
    lists_seen: dict[str, str] = field(default_factory=dict)
    watched: tuple[str, ...] = ()

    def subscribed(self, new: SavedSubscription) -> "ConnectionState":
        """Raises CapacityLimitReached."""
        if len(self.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise CapacityLimitReached(
                f"This connection has {MAX_SUBSCRIPTIONS} subscriptions, which is the limit.", limit=MAX_SUBSCRIPTIONS
            )
        epoch = self.epoch + 1
        return replace(self, subscriptions=(*self.subscriptions, replace(new, epoch=epoch)), epoch=epoch)

    def unsubscribed(self, names: Iterable[str]) -> "ConnectionState":
        removed = set(names)
        return replace(
            self,
            subscriptions=tuple(one for one in self.subscriptions if one.name not in removed),
            watched=tuple(name for name in self.watched if name not in removed),
        )

    def seen(self, kind: str) -> str | None:
        """The digest of the list of this kind that the client was shown last."""
        return self.tools_seen if kind == "tools" else self.lists_seen.get(kind)

    def showing(self, kind: str, digest: str) -> "ConnectionState":
        if kind == "tools":
            return replace(self, tools_seen=digest)
        return replace(self, lists_seen={**self.lists_seen, kind: digest})

    def confirmed(self, position: Position | None) -> "ConnectionState":
        """After the client has confirmed that it has everything up to `position`."""
        moved = tuple(replace(one, after=one.start_after(position)) for one in self.subscriptions)
        return replace(self, subscriptions=moved)

    def to_text(self) -> str:
        # Processes of the version before, which may read it during an upgrade, do not know the last ones.
        written = {name: value for name, value in asdict(self).items() if value or name not in _NEWER}
        return json.dumps(written, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> "ConnectionState":
        if text == "{}":
            return cls()
        # Not by `json`: the same words are the same object in every connection.
        raw = from_json(text)
        saved = tuple(SavedSubscription(**{**one, "kinds": tuple(one["kinds"])}) for one in raw.pop("subscriptions"))
        pending, cancelled = tuple(raw.pop("pending")), tuple(raw.pop("cancelled"))
        replies, watched = tuple(raw.pop("replies", ())), tuple(raw.pop("watched", ()))
        return cls(subscriptions=saved, pending=pending, cancelled=cancelled, replies=replies, watched=watched, **raw)


@dataclass(frozen=True, slots=True)
class ClientFacts:
    """What the client said of itself when it connected."""

    protocol_version: str
    info: dict[str, Any] | None = None
    capabilities: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str | None:
        name = (self.info or {}).get("name")
        return name if isinstance(name, str) else None

    def to_text(self) -> str:
        """Without the capabilities where they are too long."""
        text = json.dumps(asdict(self), separators=(",", ":"))
        if len(text) <= MAX_CLIENT_BYTES:
            return text
        name = str((self.info or {}).get("name", ""))[:200]
        plain = ClientFacts(self.protocol_version, {"name": name, "version": ""})
        return json.dumps(asdict(plain), separators=(",", ":"))

    @classmethod
    @lru_cache(maxsize=256)
    def from_text(cls, text: str) -> "ClientFacts":
        """Equal ones are the same object: most of a thousand connections say the same."""
        return cls(**from_json(text))


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection as the store has it."""

    tenant: str
    connection_id: str
    owner: str
    client: ClientFacts
    session_id: str | None
    state: ConnectionState
    created_at: int
    last_used_at: int
