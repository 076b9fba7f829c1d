"""Resolves the session that a call acts in: bound, named, the current one of the connection, or provisioned."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Any

from longtable.identity.resolve import check_session_id
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Surface
from longtable.kernel.clock import MINUTE, Clock
from longtable.kernel.errors import MissingSessionId, SessionMismatch, SessionNotFound
from longtable.sessions.service import Provision, Sessions, provisioning_call
from longtable.toolkit.tool import Scope, Tool

_FRESH_FOR = MINUTE
"""How long a provisioned session is used before it is looked for again, which also prolongs it."""


@dataclass(frozen=True, slots=True)
class SessionProvisioning:
    """Sessions for callers that name none: all callers with the same key share one."""

    key: str
    purpose: str
    create: bool


class SessionResolver:
    """`provisioning` is None in strict mode, where a missing session is an error."""

    def __init__(self, sessions: Sessions, clock: Clock, provisioning: SessionProvisioning | None) -> None:
        self._sessions = sessions
        self._clock = clock
        self.provisioning = provisioning
        self._provisioned: dict[tuple[str, str], tuple[str, int]] = {}
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def resolve(
        self, tool: Tool[Any], caller: Caller, named: str | None, current_session: CurrentSession
    ) -> Caller:
        if tool.scope is Scope.TENANT:
            return caller
        chosen = _named(caller, named)
        if tool.scope is Scope.SESSION_IF_NAMED and chosen is None:
            return replace(caller, session_id=None)
        session_id = chosen or caller.session_id or current_session.session_id
        if session_id is None:
            if tool.scope is Scope.OTHER_SESSION:
                return caller
            return await self._provision(caller)
        await self.check(caller, session_id, tool.writes and not tool.reaches_archive)
        return caller.inside(session_id)

    async def resolve_listener(self, caller: Caller, named: str | None, current_session: CurrentSession) -> Caller:
        """The same for a caller that only listens."""
        session_id = _named(caller, named) or caller.session_id or current_session.session_id
        if session_id is None:
            return await self._provision(caller)
        await self.check(caller, session_id, to_change=False)
        return caller.inside(session_id)

    async def check(self, caller: Caller, session_id: str, to_change: bool) -> None:
        """Raises SessionNotFound or SessionExpired. A session named in the environment is created when absent."""
        try:
            await self._sessions.require(caller, session_id, to_change)
        except SessionNotFound:
            if self.provisioning is None or caller.surface is not Surface.STDIO or session_id != caller.session_id:
                raise
            provision = Provision(f"id:{session_id}", self.provisioning.purpose, create=True, session_id=session_id)
            await self._sessions.provision(provisioning_call(caller), provision)

    async def _provision(self, caller: Caller) -> Caller:
        own = self.provisioning
        if own is None:
            has_headers = caller.surface is not Surface.STDIO
            hint = (
                "Send the header X-Session-ID." if has_headers else "Set LONGTABLE_SESSION_ID, or call create_session."
            )
            raise MissingSessionId("This call needs a session.", hint=hint)
        key = (caller.tenant, own.key)
        session_id = await self._provisioned_before(caller, key)
        if session_id is not None:
            return caller.inside(session_id)
        async with self._locks[key]:
            session_id = await self._provisioned_before(caller, key)
            if session_id is None:
                provision = Provision(own.key, own.purpose, own.create)
                session_id = await self._sessions.provision(provisioning_call(caller), provision)
                if session_id is None:
                    raise MissingSessionId("There is no session yet, and auto_provision is off.", hint="Create one.")
                self._provisioned[key] = (session_id, self._clock() + _FRESH_FOR)
        return caller.inside(session_id)

    async def _provisioned_before(self, caller: Caller, key: tuple[str, str]) -> str | None:
        """The session that was found a moment ago, if nobody has closed it since."""
        session_id, until = self._provisioned.get(key, ("", 0))
        if self._clock() >= until or not await self._sessions.is_active(caller, session_id):
            return None
        return session_id


def _named(caller: Caller, named: str | None) -> str | None:
    if named is None:
        return None
    if caller.bound and named != caller.session_id:
        raise SessionMismatch("session_id: this caller is bound to another session.")
    return check_session_id(named)
