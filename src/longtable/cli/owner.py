"""The owner of the store, at the terminal, as a caller."""

import getpass
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from longtable.app import App
from longtable.cli.store import check_tenant
from longtable.identity.model import Credential
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import SessionNotFound
from longtable.kernel.names import name_problem, poses_as_person
from longtable.operator_tools import operator_tools
from longtable.toolkit.dispatch import Dispatcher, Invocation
from longtable.toolkit.ports import Inbox, UsageRecorder
from longtable.toolkit.tool import Envelope, Tool

OPERATOR = "operator"
OwnerCall = Callable[[App], Awaitable[dict[str, Any]]]


def tool_call(tool: str, tenant: str, arguments: dict[str, Any], session_id: str | None = None) -> OwnerCall:
    """Through the dispatcher, so that rules, audit and results are the same as for every caller. `session_id` is for a
    tool that acts in the caller's session."""
    present = {name: value for name, value in arguments.items() if value is not None}
    caller = owner_of(check_tenant(tenant))
    caller = caller if session_id is None else caller.inside(session_id)

    async def work(app: App) -> dict[str, Any]:
        owner = await app.names.with_stored_name(caller)
        async with _dispatcher(app, tool) as dispatcher:
            outcome = await dispatcher.call(Invocation(tool, present, owner, CurrentSession()), Envelope.OK)
        if isinstance(outcome.error, SessionNotFound):
            raise no_such_session()
        if outcome.error is not None:
            raise outcome.error
        return outcome.body

    return work


@asynccontextmanager
async def _dispatcher(app: App, tool: str) -> AsyncIterator[Dispatcher]:
    """One that has this tool, and little else."""
    few = None if app.is_joined else operator_tools(app, tool)
    if few is None:
        yield app.dispatcher
        return
    source = _FewTools(app, few.tools)
    try:
        yield Dispatcher(lambda: source, app.ledger, app.session_resolver, app.clock, app.limits)
    finally:
        for close in few.closers:
            await close()


@dataclass(frozen=True, slots=True)
class _FewTools:
    """A person has no inbox and reports no usage, so these load nothing here."""

    app: App
    tools: list[Tool[Any]]

    @property
    def inbox(self) -> Inbox:
        return self.app.slices.inbox

    @property
    def call_usage(self) -> UsageRecorder:
        return self.app.slices.call_usage


def no_such_session() -> SessionNotFound:
    """The words of the service name a tool, which nobody can call at a terminal."""
    return SessionNotFound("There is no such session.", hint="'longtable sessions list' shows them.")


def owner_of(tenant: str) -> Caller:
    return resolve_caller(Credential(tenant, Role.OWNER, _user()), Claims(Surface.CLI))


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as containers have them
        return OPERATOR
    return OPERATOR if name_problem(user) or poses_as_person(user) else user
