"""Which sessions exist and are open: what every call needs to know, and what a caller without a session gets."""

from contextlib import suppress
from dataclasses import dataclass, replace

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import CapacityLimitReached, Conflict, OutcomeUnknown, SessionNotFound, StoreUnavailable
from longtable.kernel.ids import new_session_id
from longtable.log.ledger import Ledger, Work
from longtable.sessions import events, store
from longtable.sessions.model import (
    Session,
    SessionFound,
    SessionLimits,
    expired,
)
from longtable.storage.database import Transaction

_MOST_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Provision:
    """Which session a caller without one gets: the one named `session_id`, else the one of the key."""

    key: str
    purpose: str
    create: bool
    session_id: str | None = None


class Sessions:
    def __init__(self, ledger: Ledger, clock: Clock, limits: SessionLimits) -> None:
        self._ledger = ledger
        self._clock = clock
        self.limits = limits
        self._known: dict[tuple[str, str], int] = {}
        self._active_at: dict[tuple[str, str], tuple[int | None, int]] = {}
        """The revision of the store at which a session was found active, and when."""

    async def admit(self, work: Work, session: Session, provision_key: str | None) -> None:
        """Adds a session to the tenant's, inside a write."""
        if await store.find(work.tx, session.session_id) is not None:
            raise Conflict("A session with this session_id exists already.", session_id=session.session_id)
        if await store.count_one_more(work.tx) > self.limits.per_tenant:
            raise CapacityLimitReached(
                f"This tenant has {self.limits.per_tenant} sessions, which is the limit.",
                limit=self.limits.per_tenant,
            )
        await store.insert(work.tx, session, provision_key)
        work.session_id = session.session_id
        work.touched(f"session:{session.session_id}")
        work.happened(events.created())

    async def require(self, caller: Caller, session_id: str, to_change: bool) -> None:
        """Raises SessionNotFound or SessionExpired. People may read what has expired. Prolongs a provisioned one."""
        now = self._clock()
        if now < self._known.get((caller.tenant, session_id), 0):
            return
        session, key = await self._ledger.read(caller, lambda tx: store.find_with_key(tx, session_id))
        if session is None:
            raise not_found()
        if session.status_at(now) == "expired":
            if to_change or not caller.is_human:
                raise expired(session_id)
        elif key is None:
            self._remember(caller.tenant, session_id, session.expires_at)
        else:
            await self._keep_alive(caller, session, now)

    async def _keep_alive(self, caller: Caller, session: Session, now: int) -> None:
        """A provisioned session that is used lives on; its end is moved once in a while, by one of its callers."""
        if now < self._known.get((caller.tenant, session.session_id), 0):
            return
        again = self.limits.prolonged_after
        self._remember(caller.tenant, session.session_id, min(session.expires_at, now + again))
        if session.status == "active" and session.expires_at < now + self.limits.idle - again:
            await self._prolong(caller, session.session_id)

    async def is_active(self, caller: Caller, session_id: str) -> bool:
        """For every call of a caller that has no session: another process may have closed the one that they share."""
        database, key, now = self._ledger.database, (caller.tenant, session_id), self._clock()
        revision = database.revision()
        seen = self._active_at.get(key)
        # Without a revision, a look would be a round trip for each call: others are noticed within a second.
        if seen is not None and (0 <= now - seen[1] < SECOND if revision is None else seen[0] == revision):
            return True
        session = await database.look_up(caller.tenant, lambda tx: store.find(tx, session_id))
        is_active = session is not None and session.status_at(now) == "active"
        if is_active:
            if len(self._active_at) >= _MOST_REMEMBERED:
                self._active_at.clear()
            self._active_at[key] = revision, now
        return is_active

    def forget(self, tenant: str, session_id: str) -> None:
        """A session that was closed here is not taken for an active one again."""
        self._active_at.pop((tenant, session_id), None)

    async def is_over(self, caller: Caller) -> bool:
        """Whether nothing more can happen in the caller's session. Raises SessionNotFound."""
        session = await self._ledger.read(caller, lambda tx: find_session(tx, caller.session))
        return session.status_at(self._clock()) != "active"

    async def ends_at(self, caller: Caller) -> int:
        """When the caller's session expires. Raises SessionExpired or SessionClosed once it is over."""
        session = await self._ledger.read(caller, lambda tx: find_session(tx, caller.session))
        session.check_open(self._clock())
        return session.expires_at

    async def open_for_writing(self, work: Work) -> Session:
        """The caller's session, checked inside the transaction that is about to change it."""
        session_id = work.caller.session_id
        session = None if session_id is None else await store.find(work.tx, session_id)
        if session is None:
            raise not_found()
        session.check_open(work.now)
        return session

    async def next_number(self, work: Work, kind: str) -> int:
        """The next number of a kind of things in the caller's session: one statement checks the session, too."""
        session_id = work.caller.session_id
        number = None if session_id is None else await store.next_number(work.tx, session_id, kind, work.now)
        if number is None:
            await self.open_for_writing(work)
            raise not_found()
        return number

    async def provision(self, call: Call, provision: Provision) -> str | None:
        """The one active session of this key: found, or created, and prolonged by being used."""

        async def body(work: Work) -> SessionFound:
            session = await _provisioned(work, provision)
            fresh = work.now + self.limits.idle
            if session is not None:
                await store.set_expiry(work.tx, session.session_id, max(session.expires_at, fresh))
                return SessionFound(session_id=session.session_id)
            if not provision.create:
                return SessionFound(session_id=None)
            session_id = provision.session_id or new_session_id()
            session = Session(session_id, provision.purpose, {}, call.caller.agent, work.now, fresh, "active")
            await self.admit(work, session, provision.key)
            return SessionFound(session_id=session_id)

        return (await self._ledger.write(call, SessionFound, body)).session_id

    async def _prolong(self, caller: Caller, session_id: str) -> None:
        async def body(work: Work) -> SessionFound:
            session = await find_session(work.tx, session_id)
            if session.status_at(work.now) == "active":
                expires_at = max(session.expires_at, work.now + self.limits.idle)
                await store.set_expiry(work.tx, session_id, expires_at)
            return SessionFound(session_id=session_id)

        # The call itself may only read, which it can do in a store that takes no writes now.
        with suppress(StoreUnavailable, OutcomeUnknown):
            await self._ledger.write(provisioning_call(caller), SessionFound, body)

    def _remember(self, tenant: str, session_id: str, until: int) -> None:
        # Never stale: an expiry only moves later, and a write checks it again.
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        self._known[tenant, session_id] = until


def provisioning_call(caller: Caller) -> Call:
    # Without a session: this operation decides which one it is, and how long it lives.
    return Call(replace(caller, session_id=None), "provision_session", "session_provisioned")


def not_found() -> SessionNotFound:
    """The same error for a session that never existed and for one of another tenant."""
    return SessionNotFound("There is no such session.", hint="list_sessions shows those you can use.")


async def _provisioned(work: Work, provision: Provision) -> Session | None:
    if provision.session_id is not None:
        session = await store.find(work.tx, provision.session_id)
    else:
        session = await store.find_provisioned(work.tx, provision.key)
    if session is None or session.status_at(work.now) != "expired":
        return session
    if provision.session_id is not None:
        raise expired(session.session_id)
    # The job ends it, and tells of it.
    await store.give_up_key(work.tx, session.session_id)
    return None


async def find_session(tx: Transaction, session_id: str) -> Session:
    """Raises SessionNotFound."""
    session = await store.find(tx, session_id)
    if session is None:
        raise not_found()
    return session
