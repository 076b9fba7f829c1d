"""The owner of the store, at the terminal, as a caller."""

import getpass
from collections.abc import Awaitable, Callable
from typing import Any

from longtable.app import App
from longtable.cli.store import check_tenant
from longtable.identity.model import Credential
from longtable.identity.resolve import Claims, resolve_caller
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import SessionNotFound
from longtable.kernel.names import name_problem, poses_as_person
from longtable.toolkit.dispatch import Invocation
from longtable.toolkit.tool import Envelope

OPERATOR = "operator"


def tool_call(tool: str, tenant: str, arguments: dict[str, Any]) -> Callable[[App], Awaitable[dict[str, Any]]]:
    """Through the dispatcher, so that rules, audit and results are the same as for every caller."""
    present = {name: value for name, value in arguments.items() if value is not None}
    caller = owner_of(check_tenant(tenant))

    async def work(app: App) -> dict[str, Any]:
        owner = await app.names.with_stored_name(caller)
        outcome = await app.dispatcher.call(Invocation(tool, present, owner, CurrentSession()), Envelope.OK)
        if isinstance(outcome.error, SessionNotFound):
            # Its own words name a tool, which nobody can call here.
            raise SessionNotFound("There is no such session.", hint="'longtable sessions list' shows them.")
        if outcome.error is not None:
            raise outcome.error
        return outcome.body

    return work


def owner_of(tenant: str) -> Caller:
    return resolve_caller(Credential(tenant, Role.OWNER, _user()), Claims(Surface.CLI))


def _user() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as containers have them
        return OPERATOR
    return OPERATOR if name_problem(user) or poses_as_person(user) else user
