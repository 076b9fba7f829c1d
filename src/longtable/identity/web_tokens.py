"""Verifies JSON Web Tokens of a configured issuer and maps their claims to a credential."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt

from longtable.identity.key_set import Keys, RemoteKeySet, find_key, key_fetcher
from longtable.identity.model import Credential, tenant_problem
from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND, Clock
from longtable.kernel.errors import ConfigError
from longtable.kernel.ids import is_session_id
from longtable.kernel.logs import logger
from longtable.kernel.names import MAX_NAME, name_problem, poses_as_person

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric only: with a shared secret every verifier could forge a token."""

_LEEWAY = 10
_LATEST = 253_402_300_799
"""The last second of the year 9999, beyond which no store can count."""

_BY_STRENGTH = (Role.OWNER, Role.HUMAN, Role.ORCHESTRATOR, Role.AGENT, Role.READER)


@dataclass(frozen=True, slots=True)
class JwtRules:
    issuer: str
    audience: str
    jwks: str
    """A file, or an https address."""

    tenant: str = "tenant"
    agent: str = "agent"
    agent_type: str = "agent_type"
    role: str = "role"
    session: str = "session"


class JwtVerifier:
    def __init__(self, rules: JwtRules, clock: Clock) -> None:
        self._rules = rules
        is_remote = rules.jwks.startswith("https://")
        self._remote = RemoteKeySet(key_fetcher(rules.jwks), clock) if is_remote else None
        self._local: Keys = {} if is_remote else _read_keys(Path(rules.jwks))

    async def verify(self, token: str) -> Credential | None:
        """The credential, or None for an invalid token, whatever is wrong with it."""
        try:
            key = await self._key(token)
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm_name] if key.algorithm_name in _ALGORITHMS else [],
                issuer=self._rules.issuer,
                audience=self._rules.audience,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
            return self._credential(claims)
        except jwt.PyJWTError:
            return None
        except Exception as error:  # noqa: BLE001 - the caller must not learn that a claim of an odd type failed in a library
            logger.info("jwt_refused", reason=type(error).__name__)
            return None

    async def _key(self, token: str) -> jwt.PyJWK | None:
        key_id = jwt.get_unverified_header(token).get("kid")
        if key_id is not None and not isinstance(key_id, str):
            return None
        return await self._remote.find(key_id) if self._remote is not None else find_key(self._local, key_id)

    def _credential(self, claims: dict[str, Any]) -> Credential | None:
        rules = self._rules
        values = {name: claims.get(getattr(rules, name)) for name in ("tenant", "agent", "agent_type", "session")}
        tenant, role = values["tenant"], _strongest(claims.get(rules.role))
        if not isinstance(tenant, str) or tenant_problem(tenant) or role is None or not _are_names(values):
            return None
        session, name = values["session"], _name(claims.get("sub"), tenant)
        if name is None or not _fits_role(role, values["agent"], session):
            return None
        ends = min(int(claims["exp"]), _LATEST) * SECOND
        return Credential(tenant, role, name, values["agent"], values["agent_type"], session, expires_at=ends)


def _fits_role(role: Role, agent: str | None, session: str | None) -> bool:
    if session is None:
        return role is not Role.AGENT
    return is_session_id(session) and (agent is not None or role is not Role.AGENT)


def _strongest(claim: Any) -> Role | None:
    """The strongest known role of the claim: one, or a list."""
    claimed = [claim] if isinstance(claim, str) else claim
    if not isinstance(claimed, list) or not all(isinstance(role, str) for role in claimed):
        return None
    return next((role for role in _BY_STRENGTH if role.value in claimed), None)


def _name(subject: Any, tenant: str) -> str | None:
    """The name of the bearer where no agent is named: the subject, or the tenant where that is too long for a name.
    None where it poses as a person."""
    name = subject if isinstance(subject, str) and len(subject) <= MAX_NAME else tenant
    if poses_as_person(name) or (isinstance(subject, str) and poses_as_person(subject)):
        return None
    return name if name_problem(name) is None else None


def _are_names(values: Mapping[str, Any]) -> bool:
    return all(
        isinstance(value, str) and name_problem(value) is None and not poses_as_person(value)
        for value in values.values()
        if value is not None
    )


def _read_keys(path: Path) -> dict[str, jwt.PyJWK]:
    try:
        keys = jwt.PyJWKSet.from_dict(json.loads(path.read_text())).keys
    except (OSError, ValueError, jwt.PyJWTError) as error:
        raise ConfigError("jwt_jwks: the file must hold a JSON Web Key Set with at least one usable key.") from error
    return {str(key.key_id): key for key in keys}
