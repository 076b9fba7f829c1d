"""The session tools: their arguments, their words for the model, their routes."""

from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from longtable.identity.model import CONDUCTORS, EVERYONE, OVERSEERS, SESSION_LISTERS
from longtable.kernel.call import Call
from longtable.kernel.clock import SECOND
from longtable.kernel.content import Text
from longtable.kernel.errors import InvalidSessionId
from longtable.kernel.ids import SESSION_ID, is_session_id
from longtable.sessions.gate import Gate
from longtable.sessions.model import (
    MAX_TTL,
    SessionCreated,
    SessionExtended,
    SessionJoined,
    SessionList,
    SessionRead,
    SessionStatus,
)
from longtable.sessions.service import MessageDigest, NewSession, SessionFilter, Sessions
from longtable.toolkit.durations import FORMS, Seconds
from longtable.toolkit.tool import MAX_ITEMS, Arguments, Envelope, Route, Scope, Tool, WriteArguments


def _well_formed(session_id: str) -> str:
    if not is_session_id(session_id):
        # Not a ValueError: it has a code of its own, and so must not become INVALID_ARGUMENT.
        raise InvalidSessionId(f"session_id: must match ^{SESSION_ID.pattern}$.")
    return session_id


SessionId = Annotated[str, AfterValidator(_well_formed), Field(description="The session, if not your own.")]
Ttl = Annotated[int, Seconds(1, MAX_TTL // SECOND), Field(description=f"Time to live: {FORMS}.")]


class CreateSession(WriteArguments):
    purpose: Text = Field(default="", description="What this collaboration is for.")
    metadata: dict[str, Any] | None = Field(
        default=None, max_length=MAX_ITEMS, description="A JSON object of your own, at most 10 KB."
    )
    session_id: SessionId | None = Field(default=None, description="An id of your choice; else one is made.")
    ttl: Ttl | None = Field(default=None, description=f"Time to live: {FORMS}.")


class GetSession(Arguments):
    session_id: SessionId | None = None


class ListSessions(Arguments):
    status: Literal["active", "closed", "expired"] | None = None
    limit: int = Field(default=50, ge=1, le=500)
    cursor: str | None = None


class CloseSession(WriteArguments):
    session_id: SessionId | None = None


class JoinSession(Arguments):
    session_id: SessionId


class ExtendSession(WriteArguments):
    session_id: SessionId | None = None
    ttl: Ttl


class SessionTools:
    def __init__(self, sessions: Sessions, gate: Gate, newest_messages: MessageDigest) -> None:
        self._sessions = sessions
        self._gate = gate
        self._newest_messages = newest_messages

    async def create(self, call: Call, arguments: CreateSession) -> SessionCreated:
        ttl = None if arguments.ttl is None else arguments.ttl * SECOND
        new = NewSession(arguments.purpose, arguments.metadata or {}, arguments.session_id, ttl)
        return await self._sessions.create(call, new)

    async def get(self, call: Call, arguments: GetSession) -> SessionRead:
        return await self._sessions.get(call, self._newest_messages)

    async def list(self, call: Call, arguments: ListSessions) -> SessionList:
        return await self._sessions.list(call, SessionFilter(arguments.status, arguments.limit, arguments.cursor))

    async def close(self, call: Call, arguments: CloseSession) -> SessionStatus:
        closed = await self._sessions.close(call)
        self._gate.forget(closed.session_id)
        return closed

    async def join(self, call: Call, arguments: JoinSession) -> SessionJoined:
        return await self._sessions.join(call)

    async def extend(self, call: Call, arguments: ExtendSession) -> SessionExtended:
        return await self._sessions.extend(call, arguments.ttl * SECOND)


def session_tools(tools: SessionTools) -> list[Tool[Any]]:
    return [*_to_begin(tools), *_to_look(tools), *_to_end(tools)]


_contract: Any = partial(Tool, group="messages", envelope=Envelope.SUCCESS)


def _to_begin(tools: SessionTools) -> list[Tool[Any]]:
    return [
        _contract(
            name="create_session",
            title="Create a session",
            description=(
                "Start a new shared session that other agents can join. `entered` says whether your later calls act in "
                "it; over the stateless protocol revision they don't: a program enters by sending X-Session-ID."
            ),
            arguments=CreateSession,
            result=SessionCreated,
            run=tools.create,
            roles=CONDUCTORS,
            audited_as="session_created",
            scope=Scope.TENANT,
            writes=True,
            routes=(Route("POST", "/sessions", 201),),
        ),
        _contract(
            name="join_session",
            title="Join a session",
            description=(
                "Enter an existing session: later calls on this connection act in it. Refused over the stateless "
                "protocol revision, where a program enters by sending X-Session-ID."
            ),
            arguments=JoinSession,
            result=SessionJoined,
            run=tools.join,
            roles=CONDUCTORS,
            audited_as="session_joined",
            scope=Scope.OTHER_SESSION,
            repeatable=True,
        ),
    ]


def _to_look(tools: SessionTools) -> list[Tool[Any]]:
    return [
        _contract(
            name="get_session",
            title="Look at a session",
            description="Show a session's purpose, status and expiry, and its newest messages that you may read.",
            arguments=GetSession,
            result=SessionRead,
            run=tools.get,
            roles=EVERYONE,
            audited_as="session_read",
            scope=Scope.NAMED_SESSION,
            routes=(Route("GET", "/sessions/{session_id}"),),
        ),
        _contract(
            name="list_sessions",
            title="List sessions",
            description="List the sessions of your tenant, newest first.",
            arguments=ListSessions,
            result=SessionList,
            run=tools.list,
            roles=SESSION_LISTERS,
            audited_as="sessions_listed",
            scope=Scope.TENANT,
            routes=(Route("GET", "/sessions"),),
        ),
    ]


def _to_end(tools: SessionTools) -> list[Tool[Any]]:
    return [
        _contract(
            name="close_session",
            title="Close a session",
            description="End a session: everything in it stays readable, nothing can be changed any more.",
            arguments=CloseSession,
            result=SessionStatus,
            run=tools.close,
            frees=True,
            roles=CONDUCTORS,
            audited_as="session_closed",
            scope=Scope.NAMED_SESSION,
            writes=True,
            destructive=True,
            repeatable=True,
            routes=(Route("POST", "/sessions/{session_id}/close"),),
        ),
        _contract(
            name="extend_session",
            title="Extend a session",
            description="Let a session live for another while, counted from now.",
            arguments=ExtendSession,
            result=SessionExtended,
            run=tools.extend,
            roles=OVERSEERS,
            audited_as="session_extended",
            scope=Scope.NAMED_SESSION,
            writes=True,
            over_mcp=False,
            routes=(Route("POST", "/sessions/{session_id}/extend"),),
        ),
    ]
