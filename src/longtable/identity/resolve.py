"""From what a request carries to a Caller. A header never overrides what a credential fixes."""

from dataclasses import dataclass

from longtable.identity.model import Credential
from longtable.identity.unnamed_agents import UNKNOWN_AGENT
from longtable.kernel.caller import DEFAULT_TENANT, SPEAKS_FOR_AGENTS, Caller, Role, Surface
from longtable.kernel.errors import Forbidden, IdentityMismatch, InvalidArgument, InvalidSessionId, SessionMismatch
from longtable.kernel.ids import SESSION_ID_FORM, is_session_id
from longtable.kernel.names import HUMAN_PREFIX, folded, name_problem, poses_as_person

GENERIC_TYPE = "generic"
LOCAL = Credential(DEFAULT_TENANT, Role.LOCAL, UNKNOWN_AGENT)
"""The credential of every caller while auth is off."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a request says about itself. `agent_source` is where it names the agent, for who has to correct it."""

    surface: Surface
    agent: str | None = None
    agent_type: str | None = None
    session_id: str | None = None
    agent_source: str = "X-Caller-Agent"


def resolve_caller(credential: Credential, claims: Claims) -> Caller:
    """Raises IdentityMismatch, SessionMismatch, InvalidSessionId, InvalidArgument or Forbidden."""
    session_id = _session(credential, claims)
    agent = _agent(credential, claims)
    return Caller(
        tenant=credential.tenant,
        role=credential.role,
        agent=agent,
        agent_type=_agent_type(credential, claims),
        surface=claims.surface,
        session_id=session_id,
        bound=session_id is not None,
        credential="" if credential.role is Role.LOCAL else credential.key,
        speaks_for_another=credential.agent is None and claims.agent is not None and not _same(agent, credential.name),
    )


def check_session_id(session_id: str, source: str = "session_id") -> str:
    """Raises InvalidSessionId, also as a validator: it has a code of its own, and must not become INVALID_ARGUMENT."""
    if not is_session_id(session_id):
        raise InvalidSessionId(f"{source}: {SESSION_ID_FORM}.")
    return session_id


def _session(credential: Credential, claims: Claims) -> str | None:
    fixed, claimed = credential.session_id, claims.session_id
    if fixed is not None and claimed is not None and claimed != fixed:
        raise SessionMismatch("This credential is bound to another session.")
    if claimed is not None:
        check_session_id(claimed, "LONGTABLE_SESSION_ID" if claims.surface is Surface.STDIO else "X-Session-ID")
    return fixed or claimed


def _agent(credential: Credential, claims: Claims) -> str:
    claimed = claims.agent
    if claimed is not None:
        _check_name(claims.agent_source, claimed)
    if credential.role in (Role.HUMAN, Role.OWNER) and claims.surface in (Surface.CONSOLE, Surface.REST, Surface.CLI):
        return _human_name(credential, claims)
    _check_bearer(credential)
    return _agent_name(credential, claims)


def _agent_name(credential: Credential, claims: Claims) -> str:
    claimed = claims.agent
    if credential.agent is not None or credential.role not in SPEAKS_FOR_AGENTS:
        return _agreed(claims.agent_source, credential.agent or credential.name, claimed)
    if claimed is not None and not _same(claimed, credential.name):
        return claimed
    return credential.name


def _human_name(credential: Credential, claims: Claims) -> str:
    name = credential.name if credential.name.startswith(HUMAN_PREFIX) else HUMAN_PREFIX + credential.name
    return _agreed(claims.agent_source, name, claims.agent)


def _agent_type(credential: Credential, claims: Claims) -> str:
    claimed = claims.agent_type
    if claimed is not None:
        _check_name("X-Agent-Type", claimed)
    if credential.agent_type is not None:
        return _agreed("X-Agent-Type", credential.agent_type, claimed)
    if credential.role in SPEAKS_FOR_AGENTS:
        return claimed or GENERIC_TYPE
    return _agreed("X-Agent-Type", GENERIC_TYPE, claimed)


def _agreed(header: str, fixed: str, claimed: str | None) -> str:
    if claimed is not None and not _same(claimed, fixed):
        raise IdentityMismatch(f"{header} disagrees with the credential.")
    return fixed


def _same(one: str, other: str) -> bool:
    return folded(one) == folded(other)


def _check_name(header: str, name: str) -> None:
    if poses_as_person(name):
        raise Forbidden(f"{header}: names beginning with '{HUMAN_PREFIX}' belong to people.")
    problem = name_problem(name)
    if problem is not None:
        raise InvalidArgument.at(header, problem)


def _check_bearer(credential: Credential) -> None:
    """The name was checked when the credential was issued, but by older rules or by another program."""
    if any(name is not None and poses_as_person(name) for name in (credential.name, credential.agent)):
        raise Forbidden(f"The name of this credential begins with '{HUMAN_PREFIX}', which belongs to people.")
