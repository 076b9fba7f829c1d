"""What agents and people do with sessions: create, join, show, list, close and extend them.

Apart from the service, which every start loads."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from longtable.identity.model import CONDUCTORS, EVERYONE, OVERSEERS, SESSION_LISTERS
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND, to_iso
from longtable.kernel.content import check_characters, check_json
from longtable.kernel.errors import MissingSessionId
from longtable.kernel.ids import new_session_id
from longtable.kernel.page import decode_cursor, encode_cursor
from longtable.log.ledger import Ledger, Work
from longtable.sessions import events, store
from longtable.sessions.arguments import (
    CloseSession,
    CreateSession,
    ExtendSession,
    GetSession,
    JoinSession,
    ListSessions,
)
from longtable.sessions.model import (
    MAX_METADATA_BYTES,
    MAX_PURPOSE,
    Session,
    SessionCreated,
    SessionExtended,
    SessionJoined,
    SessionList,
    SessionRead,
    SessionStatus,
    expired,
)
from longtable.sessions.service import Sessions, find_session
from longtable.storage.database import Transaction
from longtable.toolkit.answer_size import count_within
from longtable.toolkit.tool import Envelope, Route, Scope, tool

MessageDigest = Callable[[Transaction, Call], Awaitable[tuple[list[dict[str, Any]], int]]]
"""Returns the newest messages of the caller's session that the caller may see, and how many there are."""
_session_tool = partial(tool, group="messages", envelope=Envelope.SUCCESS)


class SessionTools:
    def __init__(self, ledger: Ledger, sessions: Sessions, newest_messages: MessageDigest) -> None:
        self._ledger = ledger
        self._sessions = sessions
        self._newest_messages = newest_messages

    @_session_tool(
        "create_session",
        title="Create a session",
        description="Start a session others can join; unless `entered`, send X-Session-ID to act in it.",
        roles=CONDUCTORS,
        audited_as="session_created",
        scope=Scope.TENANT,
        writes=True,
        routes=(Route("POST", "/sessions", 201),),
    )
    async def create(self, call: Call, arguments: CreateSession) -> SessionCreated:
        metadata, ttl = arguments.metadata or {}, arguments.ttl
        check_characters("purpose", arguments.purpose, MAX_PURPOSE)
        check_json("metadata", metadata, MAX_METADATA_BYTES)

        async def body(work: Work) -> SessionCreated:
            session = Session(
                session_id=arguments.session_id or new_session_id(),
                purpose=arguments.purpose,
                metadata=metadata,
                created_by=call.caller.agent,
                created_at=work.now,
                expires_at=work.now + (self._sessions.limits.ttl if ttl is None else ttl * SECOND),
                status="active",
            )
            await self._sessions.admit(work, session, provision_key=None)
            return SessionCreated(
                session_id=session.session_id,
                created_by=session.created_by,
                created_at=to_iso(session.created_at),
                expires_at=to_iso(session.expires_at),
            )

        created = await self._ledger.write(call, SessionCreated, body)
        await _enter(call, created.session_id)
        # Not part of what is stored: the call may be repeated over another connection.
        place = {"entered": _can_enter(call), "next_step": _next_step(call, created.session_id)}
        return created.model_copy(update=place)

    @_session_tool(
        "join_session",
        title="Join a session",
        description="Act in a session from now on; stateless clients send X-Session-ID instead.",
        roles=CONDUCTORS,
        for_unbound_agents=True,
        audited_as="session_joined",
        scope=Scope.OTHER_SESSION,
        repeatable=True,
    )
    async def join(self, call: Call, arguments: JoinSession) -> SessionJoined:
        """Raises MissingSessionId where there is no connection that keeps it."""
        session = await self._ledger.read(call.caller, lambda tx: find_session(tx, call.caller.session))
        advice = _next_step(call, session.session_id)
        if advice is not None:
            raise MissingSessionId("Over this protocol revision no session can be joined for later calls.", hint=advice)
        await _enter(call, session.session_id)
        return SessionJoined(
            session_id=session.session_id,
            purpose=session.purpose,
            expires_at=to_iso(session.expires_at),
        )

    @_session_tool(
        "get_session",
        title="Look at a session",
        description="Show a session's purpose, status, expiry and newest messages.",
        roles=EVERYONE,
        audited_as="session_read",
        scope=Scope.NAMED_SESSION,
        routes=(Route("GET", "/sessions/{session_id}"),),
    )
    async def get(self, call: Call, arguments: GetSession) -> SessionRead:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> SessionRead:
            session = await find_session(tx, call.caller.session)
            messages, count = await self._newest_messages(tx, call)
            return SessionRead.of(session.view(now), messages, count)

        return await self._ledger.read(call.caller, body)

    @_session_tool(
        "list_sessions",
        title="List sessions",
        description="List your tenant's sessions, newest first.",
        roles=SESSION_LISTERS,
        for_unbound_agents=True,
        audited_as="sessions_listed",
        scope=Scope.TENANT,
        routes=(Route("GET", "/sessions"),),
    )
    async def list_all(self, call: Call, arguments: ListSessions) -> SessionList:
        return await session_page(self._ledger, call, arguments)

    @_session_tool(
        "close_session",
        title="Close a session",
        description="End a session: it can only be read then.",
        roles=CONDUCTORS,
        audited_as="session_closed",
        scope=Scope.NAMED_SESSION,
        writes=True,
        destructive=True,
        frees=True,
        repeatable=True,
        routes=(Route("POST", "/sessions/{session_id}/close"),),
    )
    async def close(self, call: Call, arguments: CloseSession) -> SessionStatus:
        async def body(work: Work) -> SessionStatus:
            session = await find_session(work.tx, work.caller.session)
            if session.status_at(work.now) == "expired":
                raise expired(session.session_id)
            work.touched(f"session:{session.session_id}")
            if session.status == "active":
                await store.end(work.tx, session.session_id, "closed", work.now)
                work.happened(events.closed())
            return SessionStatus(session_id=session.session_id, status="closed")

        closed = await self._ledger.write(call, SessionStatus, body)
        self._sessions.forget(call.caller.tenant, closed.session_id)
        return closed

    @_session_tool(
        "extend_session",
        title="Extend a session",
        description="Let a session live for another while, counted from now.",
        roles=OVERSEERS,
        audited_as="session_extended",
        scope=Scope.NAMED_SESSION,
        writes=True,
        over_mcp=False,
        routes=(Route("POST", "/sessions/{session_id}/extend"),),
    )
    async def extend(self, call: Call, arguments: ExtendSession) -> SessionExtended:
        """The session ends `ttl` from now, unless it would end later anyway."""

        async def body(work: Work) -> SessionExtended:
            session = await self._sessions.open_for_writing(work)
            expires_at = max(session.expires_at, work.now + arguments.ttl * SECOND)
            await store.set_expiry(work.tx, session.session_id, expires_at)
            work.touched(f"session:{session.session_id}")
            work.happened(events.extended(to_iso(expires_at)))
            return SessionExtended(session_id=session.session_id, expires_at=to_iso(expires_at))

        return await self._ledger.write(call, SessionExtended, body)


async def session_page(ledger: Ledger, call: Call, arguments: ListSessions) -> SessionList:
    """The newest first."""
    now, status, limit = ledger.clock(), arguments.status, arguments.limit
    before = None if arguments.cursor is None else decode_cursor(arguments.cursor, int, str)
    found = await ledger.read(call.caller, lambda tx: store.page(tx, status, now, before, limit + 1))
    page = [session.view(now) for session in found[:limit]]
    count = count_within(page, call.max_chars)
    last = found[count - 1] if len(found) > count else None
    return SessionList(
        sessions=page[:count],
        next_cursor=encode_cursor(last.created_at, last.session_id) if last else None,
        truncated=True if count < len(page) else None,
    )


def _can_enter(call: Call) -> bool:
    return call.current_session.lasting and not call.caller.bound


async def _enter(call: Call, session_id: str) -> None:
    if _can_enter(call):
        await call.current_session.enter(session_id)


def _next_step(call: Call, session_id: str) -> str | None:
    if call.current_session.lasting or call.caller.bound:
        return None
    return f"Send the header 'X-Session-ID: {session_id}' with every request to work in this session."
