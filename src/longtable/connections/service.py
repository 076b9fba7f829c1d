"""Opens, finds and ends connections, and keeps notifications for clients without a stream."""

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from longtable.connections import store
from longtable.connections.ids import KEY_BYTES, ConnectionIds
from longtable.connections.model import (
    MAX_CANCELLED,
    MAX_PENDING,
    MAX_REPLIES,
    MAX_REPLY_BYTES,
    MAX_SUBSCRIPTIONS,
    ClientFacts,
    ConnectionRow,
    ConnectionState,
    Position,
    SavedSubscription,
)
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import MINUTE, Clock
from longtable.kernel.errors import CapacityLimitReached, NotFound
from longtable.log.reader import head
from longtable.log.wakeups import Wakeups
from longtable.settings.options import Settings
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact

_KEY = "connection_key"
_MAX_CACHED = 2_000
STREAM_SEEN_WITHIN = 3 * MINUTE
"""An open stream is used more often than that, and other processes know of it within a minute."""

Change = Callable[[Transaction, ConnectionRow], Awaitable[ConnectionState | None]]
"""The state of a connection after a change; None when there is nothing to change."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`idle` in milliseconds; `per_credential` connections; `subscriptions` of one credential to one session, 0 for any
    number."""

    idle: int
    per_credential: int
    subscriptions: int

    @classmethod
    def of(cls, settings: Settings) -> "ConnectionLimits":
        return cls(settings.connection_idle, settings.max_connections, settings.max_subscriptions)


async def connection_ids(database: Database) -> ConnectionIds:
    """With the key of the store, which the first process makes."""
    key = await database.read(SYSTEM, lambda tx: get_fact(tx, _KEY))
    if key is None:
        key = await database.write(SYSTEM, _make_key)
    return ConnectionIds(bytes.fromhex(key))


async def _make_key(tx: Transaction) -> str:
    key = await get_fact(tx, _KEY) or secrets.token_hex(KEY_BYTES)
    await set_fact(tx, _KEY, key)
    return key


class Connections:
    """A row is read again for every request, unless nothing was committed since: another process may have changed
    it."""

    def __init__(
        self, database: Database, clock: Clock, wakeups: Wakeups, ids: ConnectionIds, limits: ConnectionLimits
    ) -> None:
        self._database = database
        self._clock = clock
        self.wakeups = wakeups
        self._ids = ids
        self._limits = limits
        self._cached: dict[str, tuple[int, ConnectionRow]] = {}
        self._used: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.on_refusal: Callable[[str], None] | None = None

    async def open(self, credential: Credential, client: ClientFacts, name: str | None = None) -> "Connection":
        """A new connection, with this random name. Where the credential has too many, the one unused for longest
        ends."""
        owner, now = credential.key, self._clock()
        name, connection_id = self._ids.issue(owner, name)
        row = ConnectionRow(credential.tenant, name, owner, client, None, ConnectionState(), now, now)
        used = dict(self._used.get(row.tenant, {}))

        async def body(tx: Transaction) -> list[str]:
            await store.insert(tx, row)
            ended = await store.unused_longest(tx, owner, self._limits.per_credential)
            if ended:
                # Which of them it is depends on uses that are not stored yet; that it is one does not.
                await store.used(tx, used)
                ended = await store.unused_longest(tx, owner, self._limits.per_credential)
            for other in ended:
                await store.delete(tx, other)
            return ended

        for ended in await self._database.write(row.tenant, body):
            self._forget(row.tenant, ended)
        return Connection(self, connection_id, row)

    async def find(self, connection_id: str, credential: Credential) -> "Connection | None":
        """None for an id that we did not issue, that has ended, or that belongs to another credential."""
        name = self._ids.verify(connection_id, credential.key)
        row = await self.load(credential.tenant, name) if name is not None else None
        if row is None:
            return None
        now, used = self._clock(), self._used[row.tenant]
        if now - max(row.last_used_at, used.get(row.connection_id, 0)) > self._limits.idle:
            return None
        used[row.connection_id] = now
        return Connection(self, connection_id, row)

    async def load(self, tenant: str, name: str) -> ConnectionRow | None:
        revision = self._database.revision()
        known = self._cached.get(name)
        if known is not None and known[0] == revision and known[1].tenant == tenant:
            return known[1]
        row = await self._database.look_up(tenant, lambda tx: store.find(tx, name))
        if row is not None and revision is not None:
            if len(self._cached) >= _MAX_CACHED:
                self._cached.clear()
            self._cached[name] = (revision, row)
        return row

    async def enter(self, row: ConnectionRow, session_id: str) -> None:
        """From now on the connection acts in this session. Raises NotFound for one that has ended."""
        changed = await self._database.write(
            row.tenant, lambda tx: store.set_session(tx, row.connection_id, session_id)
        )
        if not changed:
            raise ended()
        self._changed(row)

    async def change(self, row: ConnectionRow, change: Change) -> ConnectionRow:
        """Raises NotFound for a connection that has ended."""

        async def body(tx: Transaction) -> ConnectionRow:
            current = await store.find(tx, row.connection_id)
            if current is None:
                raise ended()
            state = await change(tx, current)
            if state is None or state == current.state:
                return current
            await store.save_state(tx, row.connection_id, state)
            return replace(current, state=state)

        try:
            changed = await self._database.write(row.tenant, body)
        except CapacityLimitReached:
            if self.on_refusal is not None:
                self.on_refusal("max_subscriptions")
            raise
        if changed.state != row.state:
            self._changed(row)
        return changed

    async def check_subscriptions(
        self, tx: Transaction, row: ConnectionRow, subscriptions: Sequence[SavedSubscription]
    ) -> None:
        """Raises CapacityLimitReached when one credential has too many in one session, with `subscriptions` of this
        connection. A connection without a stream does not count: its client may never come back."""
        limit = self._limits.subscriptions
        if not limit or not subscriptions:
            return
        counted_by = _counted_by(row)
        counts = Counter(counted_by(one.session_id, one.agent) for one in subscriptions)
        # A process that died could not record that its streams are closed; but a live stream is used all the time.
        others = await store.open_subscriptions(tx, row, self._clock() - STREAM_SEEN_WITHIN, _named_in(row, counts))
        for place, number in others.items():
            counts[counted_by(*place)] += number
        if any(counts[counted_by(one.session_id, one.agent)] > limit for one in subscriptions):
            raise CapacityLimitReached(
                f"{limit} subscriptions of yours are open here, which is the limit.", limit=limit
            )

    def note_use(self, row: ConnectionRow) -> int:
        """Returns the time."""
        now = self._used[row.tenant][row.connection_id] = self._clock()
        return now

    async def end(self, row: ConnectionRow) -> None:
        await self._database.write(row.tenant, lambda tx: store.delete(tx, row.connection_id))
        self._forget(row.tenant, row.connection_id)

    async def save_usage(self) -> None:
        """Saves when connections were used, and deletes those unused for too long. Safe on many replicas."""
        for tenant, moments in list(self._used.items()):
            saved = dict(moments)
            if saved:
                await self._database.write(tenant, partial(store.used, moments=saved))
            self._used[tenant] = {name: at for name, at in self._used[tenant].items() if saved.get(name) != at}
            if not self._used[tenant]:
                del self._used[tenant]
        before = self._clock() - self._limits.idle
        await self._database.write(SYSTEM, lambda tx: store.forget_unused(tx, before))

    def _changed(self, row: ConnectionRow) -> None:
        self._cached.pop(row.connection_id, None)
        self.wakeups.announce(topic_of(row.tenant, row.connection_id))

    def _forget(self, tenant: str, name: str) -> None:
        self._cached.pop(name, None)
        self._used[tenant].pop(name, None)
        self.wakeups.announce(topic_of(tenant, name))


class Connection:
    """A connection as one request sees it. `id` is what the client sends."""

    __slots__ = ("_connections", "id", "row")

    def __init__(self, connections: Connections, connection_id: str, row: ConnectionRow) -> None:
        self._connections = connections
        self.id = connection_id
        self.row = row

    @property
    def state(self) -> ConnectionState:
        return self.row.state

    async def reload(self) -> "Connection | None":
        """As it is now; None when it has ended."""
        row = await self._connections.load(self.row.tenant, self.row.connection_id)
        return Connection(self._connections, self.id, row) if row is not None else None

    async def enter(self, session_id: str) -> None:
        await self._connections.enter(self.row, session_id)

    async def subscribe(self, new: SavedSubscription, after: int | None) -> str:
        """Events after `after`, or from now on. One of this name is left as it is. Raises CapacityLimitReached."""
        name = new.name

        async def change(tx: Transaction, row: ConnectionRow) -> ConnectionState | None:
            nonlocal name
            name = new.name or f"sub_{row.state.epoch + 1}"
            if any(one.name == name for one in row.state.subscriptions):
                return None
            await self._connections.check_subscriptions(tx, row, [*row.state.subscriptions, new])
            state = await _pruned(tx, row.state)
            start = await head(tx) if after is None else after
            return state.subscribed(replace(new, name=name, after=start))

        self.row = await self._connections.change(self.row, change)
        return name

    async def unsubscribe(self, names: list[str]) -> None:
        await self._replace(lambda state: state.unsubscribed(names))

    async def listen(self, listener: str, position: Position | None) -> None:
        """Records that this stream is open and any earlier one has ended, and that the client has everything up to
        `position`. Raises CapacityLimitReached."""
        now = self._connections.note_use(self.row)

        async def change(tx: Transaction, row: ConnectionRow) -> ConnectionState:
            await self._connections.check_subscriptions(tx, row, row.state.subscriptions)
            # At once: other processes count the streams of connections that are in use.
            await store.used(tx, {row.connection_id: now})
            return replace(row.state.confirmed(position), listener=listener, watched=())

        self.row = await self._connections.change(self.row, change)

    async def close_stream(self, listener: str) -> None:
        """The stream of this name is closed."""

        def without(state: ConnectionState) -> ConnectionState:
            return replace(state, listener=None) if state.listener == listener else state

        await self._replace(without)

    def note_use(self) -> None:
        """Its stream is open and its client takes what it is sent."""
        self._connections.note_use(self.row)

    async def confirm(self, position: Position) -> None:
        await self._replace(lambda state: state.confirmed(position))

    async def add_notification(self, notification: dict[str, Any]) -> None:
        """Waits for the stream of the connection, wherever it is."""
        await self._replace(lambda state: replace(state, pending=(*state.pending, notification)[-MAX_PENDING:]))

    async def remove_notifications(self, notifications: tuple[dict[str, Any], ...]) -> None:
        def without(state: ConnectionState) -> ConnectionState:
            return replace(state, pending=tuple(one for one in state.pending if one not in notifications))

        await self._replace(without)

    async def saw_list(self, kind: str, digest: str) -> None:
        if self.state.seen(kind) != digest:
            await self._replace(lambda state: state.showing(kind, digest))

    async def is_watching(self, names: Collection[str]) -> None:
        """Its stream will tell of these subscriptions from now on."""
        await self._replace(lambda state: replace(state, watched=tuple(dict.fromkeys((*state.watched, *names)))))

    async def cancel(self, request_id: str) -> None:
        """For a request that another process is answering."""
        await self._replace(lambda state: replace(state, cancelled=(*state.cancelled, request_id)[-MAX_CANCELLED:]))

    async def add_reply(self, reply: dict[str, Any]) -> None:
        """To a request that another process has sent. A long one is lost."""
        if len(json.dumps(reply)) <= MAX_REPLY_BYTES:
            await self._replace(lambda state: replace(state, replies=(*state.replies, reply)[-MAX_REPLIES:]))

    async def take_reply(self, request_id: str) -> dict[str, Any] | None:
        found = next((one for one in self.state.replies if one["id"] == request_id), None)
        if found is not None:
            await self._replace(
                lambda state: replace(state, replies=tuple(one for one in state.replies if one["id"] != request_id))
            )
        return found

    async def set_log_level(self, level: str) -> None:
        if self.state.log_level != level:
            await self._replace(lambda state: replace(state, log_level=level))

    async def end(self) -> None:
        await self._connections.end(self.row)

    async def _replace(self, changed: Callable[[ConnectionState], ConnectionState]) -> None:
        async def change(tx: Transaction, row: ConnectionRow) -> ConnectionState:
            return changed(row.state)

        self.row = await self._connections.change(self.row, change)


def topic_of(tenant: str, name: str) -> tuple[str, str]:
    """The wake-up topic of one connection. No session has a name of this form."""
    return tenant, f"connection:{name}"


def ended() -> NotFound:
    return NotFound("This connection has ended.", hint="Send 'initialize' again.")


async def _pruned(tx: Transaction, state: ConnectionState) -> ConnectionState:
    """Drops subscriptions to sessions that are over, when the limit is reached."""
    if len(state.subscriptions) < MAX_SUBSCRIPTIONS:
        return state
    over = await store.over(tx, [one.session_id for one in state.subscriptions if one.session_id is not None])
    return state.unsubscribed([one.name for one in state.subscriptions if one.session_id in over])


def _counted_by(row: ConnectionRow) -> Callable[[str | None, str], tuple[str | None, str]]:
    """What subscriptions are counted by: the session, and without auth, where all clients have one credential, the
    name of the agent."""
    has_names = _has_names(row)
    return lambda session_id, agent: (session_id, agent if has_names else "")


def _named_in(row: ConnectionRow, places: Collection[tuple[str | None, str]]) -> set[str | None]:
    """For every counted place, what the state of another connection there must name."""
    return {agent if _has_names(row) else session_id for session_id, agent in places}


def _has_names(row: ConnectionRow) -> bool:
    return f"\n{Role.LOCAL}\n" in row.owner
