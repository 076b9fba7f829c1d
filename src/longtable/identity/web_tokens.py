"""Verifies the JSON Web Tokens of a configured issuer and maps their claims to a credential. Such an access token is
what a person or a company has given to software: whatever it claims, its bearer is neither human nor owner."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from longtable.identity.claims import claim_at, first_claim, group_role, texts_of, words_of
from longtable.identity.key_set import key_finder
from longtable.identity.model import Credential, tenant_problem
from longtable.identity.scopes import SOFTWARE_ROLES, Scopes, weaker
from longtable.identity.signed_tokens import SignedTokens
from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.ids import is_session_id
from longtable.kernel.names import MAX_NAME, name_problem, poses_as_person
from longtable.settings.options import Settings
from longtable.settings.sign_in_kinds import GroupRole

_LATEST = 253_402_300_799
"""The last second of the year 9999, beyond which no store can count."""


@dataclass(frozen=True, slots=True)
class ClaimNames:
    tenant: str
    agent: str
    agent_type: str
    role: str
    session: str
    groups: str

    @classmethod
    def of(cls, settings: Settings) -> "ClaimNames":
        return cls(
            tenant=settings.jwt_claim_tenant,
            agent=settings.jwt_claim_agent,
            agent_type=settings.jwt_claim_agent_type,
            role=settings.jwt_claim_role,
            session=settings.jwt_claim_session,
            groups=settings.jwt_claim_groups,
        )


@dataclass(frozen=True, slots=True)
class JwtRules:
    """`tenant` is that of all tokens whose group names none, if it is set."""

    names: ClaimNames
    scopes: Scopes
    groups: tuple[GroupRole, ...]
    tenant: str | None

    @classmethod
    def of(cls, settings: Settings) -> "JwtRules":
        scopes = Scopes(settings.oauth_scope_prefix)
        return cls(ClaimNames.of(settings), scopes, settings.jwt_groups, settings.jwt_tenant)


class _Granted(NamedTuple):
    """`ceiling` is the role that more scope could give; None where scopes have no say."""

    role: Role
    ceiling: Role | None = None
    tenant: str | None = None
    needs_session: bool = False


class JwtVerifier:
    def __init__(self, tokens: SignedTokens, rules: JwtRules) -> None:
        self._tokens = tokens
        self._rules = rules

    @classmethod
    def of(cls, settings: Settings, clock: Clock) -> "JwtVerifier":
        """Raises ConfigError."""
        issuer, audience = settings.jwt_issuer or "", settings.effective_jwt_audience or ""
        find_key = key_finder(issuer, settings.jwt_jwks, clock)
        return cls(SignedTokens(issuer, audience, find_key), JwtRules.of(settings))

    async def verify(self, token: str) -> Credential | None:
        """The credential, or None for an invalid token, whatever is wrong with it."""
        claims = await self._tokens.claims_of(token)
        # One that is bound to a key (`cnf`) counts with a proof of that key alone, which a bearer does not give.
        return None if claims is None or "cnf" in claims else self._credential(claims)

    def _credential(self, claims: dict[str, Any]) -> Credential | None:
        granted = self._granted(claims)
        if granted is None:
            return None
        names = self._rules.names
        values = {name: claim_at(claims, getattr(names, name)) for name in ("agent", "agent_type", "session")}
        tenant = granted.tenant or self._rules.tenant or claim_at(claims, names.tenant)
        if not isinstance(tenant, str) or tenant_problem(tenant) or not _are_names({**values, "tenant": tenant}):
            return None
        name = _name(claims, tenant)
        if name is None or not _fits(granted, values["agent"], values["session"]):
            return None
        return Credential(
            tenant,
            granted.role,
            name,
            values["agent"],
            values["agent_type"],
            values["session"],
            expires_at=min(int(claims["exp"]), _LATEST) * SECOND,
            bearer=_bearer(claims),
            scope_ceiling=granted.ceiling,
        )

    def _granted(self, claims: dict[str, Any]) -> _Granted | None:
        """A group or a role claim says what this bearer's software may; the scopes say what this program was let do of
        it."""
        by_scope = self._rules.scopes.role_of([*words_of(claims.get("scope")), *words_of(claims.get("scp"))])
        allowed = self._allowed(claims)
        if allowed is None:
            is_limited = bool(self._rules.groups) or claim_at(claims, self._rules.names.role) is not None
            return None if is_limited or by_scope is None else _Granted(by_scope, Role.ORCHESTRATOR)
        if by_scope is None:
            return allowed
        return _Granted(weaker(allowed.role, by_scope), allowed.role, allowed.tenant)

    def _allowed(self, claims: dict[str, Any]) -> _Granted | None:
        if self._rules.groups:
            entry = group_role(self._rules.groups, claim_at(claims, self._rules.names.groups))
            return None if entry is None else _Granted(entry.role, tenant=entry.tenant)
        role = _strongest(claim_at(claims, self._rules.names.role))
        return None if role is None else _Granted(role, needs_session=role is Role.AGENT)


def _fits(granted: _Granted, agent: str | None, session: str | None) -> bool:
    """A token that claims the role of an agent names it and its session. Whoever has a scope may choose a session."""
    if session is None:
        return not granted.needs_session
    return is_session_id(session) and (agent is not None or not granted.needs_session)


def _strongest(claim: Any) -> Role | None:
    """The strongest role of the claim that software can have: one, or a list."""
    claimed = texts_of(claim) or []
    return next((role for role in reversed(SOFTWARE_ROLES) if role.value in claimed), None)


def _name(claims: Mapping[str, Any], tenant: str) -> str | None:
    """The name of the bearer where no agent is named: whose software it is, and which; or the tenant where that is too
    long for a name. None where it poses as a person."""
    subject, client = first_claim(claims, "sub"), _client(claims)
    name = _first_short_enough(_whose(subject, client), subject, tenant)
    poses = poses_as_person(name) or poses_as_person(subject or "")
    return None if poses or name_problem(name) is not None else name


def _whose(subject: str | None, client: str | None) -> str | None:
    if subject is None or client is None or client == subject:
        return subject or client
    return f"{subject} via {client}"


def _first_short_enough(*names: str | None) -> str:
    return next((name for name in names if name is not None and len(name) <= MAX_NAME), "")


def _client(claims: Mapping[str, Any]) -> str | None:
    """Under its names at various providers."""
    return first_claim(claims, "client_id", "azp", "cid", "appid")


def _bearer(claims: Mapping[str, Any]) -> str | None:
    """Who holds the token: a connection belongs to one program of one subject, whichever of its tokens it sends."""
    subject, client = first_claim(claims, "sub"), _client(claims)
    return None if subject is None and client is None else json.dumps([claims["iss"], subject, client])


def _are_names(values: Mapping[str, Any]) -> bool:
    return all(
        isinstance(value, str) and name_problem(value) is None and not poses_as_person(value)
        for value in values.values()
        if value is not None
    )
