"""What one process holds for its callers at once: open connections and request bodies. Beyond that it refuses."""

import sys
import time
from collections.abc import Callable
from typing import Protocol

from longtable.kernel.clock import SECOND
from longtable.kernel.errors import Overloaded
from longtable.kernel.logs import logger
from longtable.kernel.refusals import Refusals
from longtable.server.memory import MemoryTrimmer

PEER = "longtable.peer"
"""Where the protocol leaves the connection of a request in its scope."""

ANONYMOUS = "anonymous"
LOCAL_OWNER = "local"
"""Every caller while auth is off."""

CONNECTIONS = "max_open_connections"
BUFFERED = "max_buffered_bytes"
RETRY_SECONDS = 2
ANONYMOUS_SECONDS = 1.0
"""How long a connection without a credential is safe from making room for another."""
IDLE_SECONDS = 10.0
"""The same for a connection with one, on which nothing is under way."""
MAX_LINGERING = 32
PEAK_BYTES = 4_194_304
"""From here on many small bodies at once count as a large one: their memory is given back."""
KEPT_FILES = 96
"""Descriptors that are kept for the store, for programs and for the log."""


class Peer:
    """One open connection and the request bytes that are held for it. `owner` is the credential of its latest request,
    ANONYMOUS where it needs none, None before that is known. `receiving` says that a body is on its way, `refused` that
    there was no room for one. `requests` counts those that have begun on it. `unread` counts the bytes that the other
    side has not taken yet; None once the connection is broken. `has_hung_up` says that the other side has ended it,
    `is_doubtful` that we have, as we stop: then it stays unknown whether the last answer was received. `on_lost` is
    called when the connection ends; whoever answers a request sets it for as long as that takes."""

    __slots__ = (
        "_intake",
        "end",
        "has_hung_up",
        "held",
        "is_broken",
        "is_counted",
        "is_doubtful",
        "is_open",
        "on_lost",
        "owner",
        "receiving",
        "refused",
        "requests",
        "since",
        "unread",
    )

    def __init__(self, intake: "Intake", end: Callable[[], None], unread: Callable[[], int | None]) -> None:
        self._intake = intake
        self.end = end
        self.owner: str | None = None
        self.held = 0
        self.is_counted = False
        self.receiving = False
        self.refused = False
        self.since = time.monotonic()
        self.unread = unread
        self.requests = 0
        self.is_open = True
        self.is_broken = False
        self.has_hung_up = False
        self.is_doubtful = False
        self.on_lost: Callable[[], None] | None = None

    @property
    def body_seconds(self) -> float:
        return self._intake.body_seconds

    def has_arrived(self) -> bool | None:
        """Whether the other side has taken all that it was sent; None while that is not known."""
        if self.is_broken:
            return False
        if not self.is_open:
            return None if self.is_doubtful else True
        unread = self.unread()
        return False if unread is None else True if unread == 0 else None

    def lose(self, broken: bool) -> None:
        """The connection is over; `broken` if the other side did not end it after taking everything."""
        self.is_open = False
        self.is_broken = self.is_broken or broken
        self.is_doubtful = self._intake.is_stopping and not self.has_hung_up
        if self.on_lost is not None:
            self.on_lost()

    def admit(self, owner: str) -> None:
        """Called for each request whose credential counts."""
        if owner != self.owner:
            self._intake.admit(self, owner)

    def stay_anonymous(self) -> None:
        """Called for each request that is read without a credential."""
        if self.owner is None:
            self._intake.admit(self, ANONYMOUS)
            self.refused = self.refused or not self._intake.take(ANONYMOUS, 0)

    def take(self, size: int) -> bool:
        """Whether so many more bytes may be held. After the first refusal none may, until the answer is given."""
        if self.refused or not self._intake.take(self.owner, size):
            self.refused = True
            return False
        self.held += size
        return True

    def release(self) -> None:
        self.refused = False
        if self.held:
            self._intake.give_back(self.owner, self.held)
            self.held = 0


class IntakeLimits(Protocol):
    @property
    def max_open_connections(self) -> int: ...
    @property
    def max_buffered_bytes(self) -> int: ...
    @property
    def header_timeout(self) -> int: ...
    @property
    def body_timeout(self) -> int: ...


class Intake:
    """The counts of one process."""

    def __init__(self, limits: IntakeLimits, refusals: Refusals) -> None:
        self._most_connections = _allowed_connections(limits.max_open_connections)
        self._most_bytes = limits.max_buffered_bytes
        self.head_seconds = limits.header_timeout / SECOND
        self.body_seconds = limits.body_timeout / SECOND
        self._refusals = refusals
        self._trimmer = MemoryTrimmer()
        self.is_stopping = False
        self.open_connections = 0
        self.buffered = 0
        self._peak = 0
        self._by_owner: dict[str | None, int] = {}
        self._anonymous: dict[Peer, None] = {}
        self._idle: dict[Peer, float] = {}
        self._lingering: set[Peer] = set()

    def open(self, peer: Peer) -> bool:
        """Whether there is room for one more connection, if need be by ending one that is not in use."""
        if self.open_connections >= self._most_connections and not self._make_room():
            self._refusals.count(CONNECTIONS)
            return False
        self.open_connections += 1
        peer.is_counted = True
        self._anonymous[peer] = None
        return True

    def linger(self, peer: Peer) -> bool:
        """Whether a connection that is refused may stay until the refusal has arrived: only a few may."""
        self._leave(peer)
        if peer in self._lingering:
            return True
        if len(self._lingering) >= MAX_LINGERING:
            return False
        self._lingering.add(peer)
        return True

    def close(self, peer: Peer) -> None:
        self._leave(peer)
        self._lingering.discard(peer)

    def _leave(self, peer: Peer) -> None:
        if not peer.is_counted:
            return
        peer.is_counted = False
        self.open_connections -= 1
        self._anonymous.pop(peer, None)
        self._idle.pop(peer, None)
        peer.release()

    def begin(self, peer: Peer) -> None:
        """A request begins on the connection."""
        self._idle.pop(peer, None)

    def rest(self, peer: Peer) -> None:
        """All its requests are answered."""
        if peer.owner not in (None, ANONYMOUS):
            self._idle[peer] = time.monotonic()

    def admit(self, peer: Peer, owner: str) -> None:
        self.give_back(peer.owner, peer.held)
        self._charge(owner, peer.held)
        if owner != ANONYMOUS:
            self._anonymous.pop(peer, None)
        peer.owner = owner

    def take(self, owner: str | None, size: int) -> bool:
        if self.buffered + size > self._most_bytes or self._by_owner.get(owner, 0) + size > self._share(owner):
            self._refusals.count(BUFFERED)
            return False
        self._charge(owner, size)
        return True

    def _share(self, owner: str | None) -> int:
        """What comes before its sender is known is little, and soon charged to its owner."""
        if owner == ANONYMOUS:
            return self._most_bytes // 4
        return self._most_bytes // 2 if owner and owner != LOCAL_OWNER else self._most_bytes

    def give_back(self, owner: str | None, size: int) -> None:
        self.buffered -= size
        self._trimmer.released(size)
        if self.buffered * 4 < self._peak:
            self._trimmer.released(self._peak - self.buffered)
            self._peak = 0
        left = self._by_owner.get(owner, 0) - size
        if left > 0:
            self._by_owner[owner] = left
        else:
            self._by_owner.pop(owner, None)

    def _charge(self, owner: str | None, size: int) -> None:
        self.buffered += size
        if self.buffered > PEAK_BYTES and self.buffered > self._peak:
            self._peak = self.buffered
        self._by_owner[owner] = self._by_owner.get(owner, 0) + size

    def _make_room(self) -> bool:
        """The oldest anonymous connection goes, else the connection on which nothing has happened for longest."""
        now = time.monotonic()
        oldest = next(iter(self._anonymous), None)
        if oldest is not None and now - oldest.since >= ANONYMOUS_SECONDS:
            self._refusals.count(CONNECTIONS)
            del self._anonymous[oldest]
            oldest.end()
            return True
        idle, since = next(iter(self._idle.items()), (None, now))
        if idle is not None and now - since >= IDLE_SECONDS:
            del self._idle[idle]
            idle.end()
            return True
        return False


def overloaded(limit: str) -> Overloaded:
    return Overloaded(
        "The server has too much to do.",
        hint=f"Try again in {RETRY_SECONDS} seconds.",
        retry_after=RETRY_SECONDS,
        limit=limit,
    )


def _allowed_connections(limit: int) -> int:
    """Raises the limit of open files to what the system allows, and keeps some of them for other things."""
    if sys.platform == "win32":
        return limit
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft not in (resource.RLIM_INFINITY, hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (ValueError, OSError) as error:
            logger.warning("open_files_limit_kept", limit=soft, problem=str(error))
    if soft == resource.RLIM_INFINITY:
        return limit
    allowed = max(1, soft - min(KEPT_FILES, soft // 2))
    if allowed < limit:
        logger.warning("connections_lowered", max_open_connections=limit, allowed=allowed, open_files=soft)
    return min(limit, allowed)
