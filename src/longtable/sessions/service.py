"""Decides about sessions: who may create, see, join, prolong and end them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from longtable.kernel.call import Call
from longtable.kernel.caller import Caller
from longtable.kernel.clock import Clock, to_iso
from longtable.kernel.content import check_characters, check_json
from longtable.kernel.errors import CapacityLimitReached, Conflict, MissingSessionId, SessionNotFound
from longtable.kernel.ids import new_session_id
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.sessions import events, store
from longtable.sessions.model import (
    MAX_METADATA_BYTES,
    MAX_PURPOSE,
    Session,
    SessionCreated,
    SessionExtended,
    SessionFound,
    SessionJoined,
    SessionLimits,
    SessionList,
    SessionRead,
    SessionStatus,
    Status,
    expired,
)
from longtable.storage.database import Transaction

MessageDigest = Callable[[Transaction, Caller], Awaitable[tuple[list[dict[str, Any]], int]]]
"""Answers the newest messages of the caller's session that the caller may see, and how many there are."""


@dataclass(frozen=True, slots=True)
class NewSession:
    purpose: str
    metadata: dict[str, Any]
    session_id: str | None
    ttl: int | None


@dataclass(frozen=True, slots=True)
class SessionFilter:
    status: Status | None
    limit: int
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Provision:
    """Which session a caller without one gets. `session_id` names it outright; else the key finds it."""

    key: str
    purpose: str
    create: bool
    session_id: str | None = None


class Sessions:
    def __init__(self, ledger: Ledger, clock: Clock, limits: SessionLimits) -> None:
        self._ledger = ledger
        self._clock = clock
        self._limits = limits
        self._known: dict[tuple[str, str], int] = {}

    async def create(self, call: Call, new: NewSession) -> SessionCreated:
        check_characters("purpose", new.purpose, MAX_PURPOSE)
        check_json("metadata", new.metadata, MAX_METADATA_BYTES)

        async def body(work: Work) -> SessionCreated:
            session = Session(
                session_id=new.session_id or new_session_id(),
                purpose=new.purpose,
                metadata=new.metadata,
                created_by=call.caller.agent,
                created_at=work.now,
                expires_at=work.now + (new.ttl or self._limits.ttl),
                status="active",
            )
            await self.admit(work, session, provision_key=None)
            return SessionCreated(
                session_id=session.session_id,
                created_by=session.created_by,
                created_at=to_iso(session.created_at),
                expires_at=to_iso(session.expires_at),
                entered=_can_enter(call),
                next_step=_next_step(call, session.session_id),
            )

        created = await self._ledger.write(call, SessionCreated, body)
        await _enter(call, created.session_id)
        return created

    async def admit(self, work: Work, session: Session, provision_key: str | None) -> None:
        """Adds a session to the tenant's, inside a write."""
        if await store.find(work.tx, session.session_id) is not None:
            raise Conflict("A session with this session_id exists already.", session_id=session.session_id)
        if await store.count_one_more(work.tx) > self._limits.per_tenant:
            raise CapacityLimitReached(
                f"This tenant has {self._limits.per_tenant} sessions, which is the limit.",
                limit=self._limits.per_tenant,
            )
        await store.insert(work.tx, session, provision_key)
        work.session_id = session.session_id
        work.touched(f"session:{session.session_id}")
        work.happened(events.created())

    async def require(self, caller: Caller, session_id: str, to_change: bool) -> None:
        """Raises SessionNotFound or SessionExpired. People may read what has expired."""
        now = self._clock()
        expires_at = self._known.get((caller.tenant, session_id))
        if expires_at is not None and now < expires_at:
            return
        session = await self._ledger.read(caller, lambda tx: store.find(tx, session_id))
        if session is None:
            raise not_found()
        if session.status_at(now) == "expired":
            if to_change or not caller.is_human:
                raise expired(session_id)
            return
        self._remember(caller.tenant, session)

    async def is_over(self, caller: Caller) -> bool:
        """Whether nothing more can happen in the caller's session. Raises SessionNotFound."""
        session = await self._ledger.read(caller, lambda tx: _found(tx, caller.session))
        return session.status_at(self._clock()) != "active"

    async def ends_at(self, caller: Caller) -> int:
        """When the caller's session expires. Raises SessionExpired or SessionClosed once it is over."""
        session = await self._ledger.read(caller, lambda tx: _found(tx, caller.session))
        session.check_open(self._clock())
        return session.expires_at

    async def open_for_writing(self, work: Work) -> Session:
        """The caller's session, checked inside the transaction that is about to change it."""
        session = await store.find(work.tx, work.caller.session)
        if session is None:
            raise not_found()
        session.check_open(work.now)
        return session

    async def get(self, call: Call, newest_messages: MessageDigest) -> SessionRead:
        now = self._clock()

        async def body(tx: Transaction) -> SessionRead:
            session = await _found(tx, call.caller.session)
            messages, count = await newest_messages(tx, call.caller)
            return SessionRead(session=session.view(now), messages=messages, message_count=count)

        return await self._ledger.read(call.caller, body)

    async def list(self, call: Call, wanted: SessionFilter) -> SessionList:
        now = self._clock()
        before = None
        if wanted.cursor is not None:
            created_at, session_id = decode_cursor(wanted.cursor, int, str)
            before = (created_at, session_id)

        async def body(tx: Transaction) -> list[Session]:
            return await store.page(tx, wanted.status, now, before, wanted.limit + 1)

        found = await self._ledger.read(call.caller, body)
        page = found[: wanted.limit]
        more = len(found) > len(page)
        return SessionList(
            sessions=[session.view(now) for session in page],
            next_cursor=encode_cursor(page[-1].created_at, page[-1].session_id) if more else None,
        )

    async def join(self, call: Call) -> SessionJoined:
        """Raises MissingSessionId where no connection could remember it."""
        session = await self._ledger.read(call.caller, lambda tx: _found(tx, call.caller.session))
        advice = _next_step(call, session.session_id)
        if advice is not None:
            raise MissingSessionId("Over this protocol revision no session can be joined for later calls.", hint=advice)
        await _enter(call, session.session_id)
        return SessionJoined(
            session_id=session.session_id,
            purpose=session.purpose,
            expires_at=to_iso(session.expires_at),
        )

    async def close(self, call: Call) -> SessionStatus:
        async def body(work: Work) -> SessionStatus:
            session = await _found(work.tx, work.caller.session)
            if session.status_at(work.now) == "expired":
                raise expired(session.session_id)
            work.touched(f"session:{session.session_id}")
            if session.status == "active":
                await store.end(work.tx, session.session_id, "closed", work.now)
                work.happened(events.closed())
            return SessionStatus(session_id=session.session_id, status="closed")

        return await self._ledger.write(call, SessionStatus, body)

    async def extend(self, call: Call, ttl: int) -> SessionExtended:
        """The session ends `ttl` from now, if that is later than before: nobody loses time that was promised."""

        async def body(work: Work) -> SessionExtended:
            session = await self.open_for_writing(work)
            expires_at = max(session.expires_at, work.now + ttl)
            await store.set_expiry(work.tx, session.session_id, expires_at)
            work.touched(f"session:{session.session_id}")
            work.happened(events.extended(to_iso(expires_at)))
            return SessionExtended(session_id=session.session_id, expires_at=to_iso(expires_at))

        return await self._ledger.write(call, SessionExtended, body)

    async def provision(self, call: Call, wanted: Provision) -> str | None:
        """The one active session of this key: found, or created, and prolonged by being used."""

        async def body(work: Work) -> SessionFound:
            session = await _provisioned(work, wanted)
            fresh = work.now + self._limits.idle
            if session is not None:
                await store.set_expiry(work.tx, session.session_id, max(session.expires_at, fresh))
                return SessionFound(session_id=session.session_id)
            if not wanted.create:
                return SessionFound(session_id=None)
            session_id = wanted.session_id or new_session_id()
            session = Session(session_id, wanted.purpose, {}, call.caller.agent, work.now, fresh, "active")
            await self.admit(work, session, wanted.key)
            return SessionFound(session_id=session_id)

        return (await self._ledger.write(call, SessionFound, body)).session_id

    def _remember(self, tenant: str, session: Session) -> None:
        # A session's time only ever grows and its end is checked again when it is changed, so this cannot go stale.
        if len(self._known) >= 10_000:
            self._known.clear()
        self._known[tenant, session.session_id] = session.expires_at


def not_found() -> SessionNotFound:
    """One answer for a session that never was and for one of another tenant."""
    return SessionNotFound("There is no such session.", hint="list_sessions shows those you can use.")


async def _provisioned(work: Work, wanted: Provision) -> Session | None:
    if wanted.session_id is not None:
        session = await store.find(work.tx, wanted.session_id)
    else:
        session = await store.find_provisioned(work.tx, wanted.key)
    if session is None or session.status_at(work.now) != "expired":
        return session
    if wanted.session_id is not None:
        raise expired(session.session_id)
    await store.end(work.tx, session.session_id, "expired", work.now)
    return None


async def _found(tx: Transaction, session_id: str) -> Session:
    session = await store.find(tx, session_id)
    if session is None:
        raise not_found()
    return session


def _can_enter(call: Call) -> bool:
    return call.current_session.lasting and not call.caller.bound


async def _enter(call: Call, session_id: str) -> None:
    if _can_enter(call):
        await call.current_session.enter(session_id)


def _next_step(call: Call, session_id: str) -> str | None:
    if call.current_session.lasting or call.caller.bound:
        return None
    return f"Send the header 'X-Session-ID: {session_id}' with every request to work in this session."
