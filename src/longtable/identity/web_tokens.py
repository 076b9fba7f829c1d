"""Verifies JSON Web Tokens of a configured issuer and maps their claims to a credential."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt

from longtable.identity.model import TOKEN_ROLES, Credential, tenant_problem
from longtable.kernel.caller import HUMAN_PREFIX, Role, name_problem
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import ConfigError
from longtable.kernel.ids import is_session_id

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Asymmetric only: with a shared secret whoever can verify can also forge."""

_LEEWAY = 10


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
    def __init__(self, rules: JwtRules) -> None:
        self._rules = rules
        self._remote = jwt.PyJWKClient(rules.jwks) if rules.jwks.startswith("https://") else None
        self._local = {} if self._remote else _read_keys(Path(rules.jwks))

    async def verify(self, token: str) -> Credential | None:
        """The credential, or None for every kind of flaw."""
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
        except jwt.PyJWTError:
            return None
        return self._credential(claims)

    async def _key(self, token: str) -> jwt.PyJWK | None:
        if self._remote is not None:
            return await asyncio.to_thread(self._remote.get_signing_key_from_jwt, token)
        key_id = jwt.get_unverified_header(token).get("kid")
        if key_id is None and len(self._local) == 1:
            return next(iter(self._local.values()))
        return self._local.get(str(key_id))

    def _credential(self, claims: dict[str, Any]) -> Credential | None:
        rules = self._rules
        values = {name: claims.get(getattr(rules, name)) for name in ("tenant", "agent", "agent_type", "session")}
        tenant, role = values["tenant"], claims.get(rules.role)
        if not isinstance(tenant, str) or tenant_problem(tenant) or role not in TOKEN_ROLES or not _are_names(values):
            return None
        session = values["session"]
        if session is not None and not is_session_id(session):
            return None
        if role == Role.AGENT and (values["agent"] is None or session is None):
            return None
        subject = claims.get("sub")
        name = subject if isinstance(subject, str) and name_problem(subject) is None else tenant
        ends = int(claims["exp"]) * SECOND
        return Credential(tenant, Role(role), name, values["agent"], values["agent_type"], session, expires_at=ends)


def _are_names(values: dict[str, Any]) -> bool:
    given = [value for value in values.values() if value is not None]
    return all(
        isinstance(value, str) and name_problem(value) is None and not value.startswith(HUMAN_PREFIX) for value in given
    )


def _read_keys(path: Path) -> dict[str, jwt.PyJWK]:
    try:
        keys = jwt.PyJWKSet.from_dict(json.loads(path.read_text())).keys
    except (OSError, ValueError, jwt.PyJWTError) as error:
        raise ConfigError("jwt_jwks: the file must hold a JSON Web Key Set with at least one usable key.") from error
    return {str(key.key_id): key for key in keys}
