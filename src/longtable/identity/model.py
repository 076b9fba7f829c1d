"""Credentials as the store keeps them, and what each role may do."""

from dataclasses import dataclass

from longtable.kernel.caller import Role
from longtable.kernel.clock import to_iso
from longtable.kernel.names import name_problem
from longtable.kernel.result import Value
from longtable.storage.database import SYSTEM

EVERYONE = frozenset(Role)
"""Reading inside a session, or of the tenant's own things."""

WORKERS = frozenset({Role.AGENT, Role.ORCHESTRATOR, Role.OWNER, Role.LOCAL})
"""Working inside a session."""

POSTERS = WORKERS | {Role.HUMAN}
"""What a person at the console may write as well."""

CONDUCTORS = frozenset({Role.ORCHESTRATOR, Role.OWNER, Role.LOCAL})
"""Creating and closing sessions, and stepping into any of them."""

OVERSEERS = CONDUCTORS | {Role.HUMAN}
"""Prolonging a session, and passing on what a person decided."""

SESSION_LISTERS = EVERYONE - {Role.AGENT}

TOKEN_ROLES = frozenset({Role.AGENT, Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER, Role.READER})
"""`local` is what a caller is when auth is off; no token can claim it."""


def tenant_problem(name: str) -> str | None:
    """Why `name` cannot be a tenant's, or None when it can."""
    return f"must not be {SYSTEM!r}, which stands for all of them" if name == SYSTEM else name_problem(name)


@dataclass(frozen=True, slots=True)
class Credential:
    """What a token or JWT fixes about its bearer. A fixed value cannot be overridden by a header."""

    tenant: str
    role: Role
    name: str
    agent: str | None = None
    agent_type: str | None = None
    session_id: str | None = None
    token_id: str | None = None
    expires_at: int | None = None
    """When it ends by itself, where it says so; the end of a token is in the store, under its id."""
    bearer: str | None = None
    """Who holds an access token: issuer, subject and client, whatever its scopes are."""
    scope_ceiling: Role | None = None
    """The role that an access token with more scope would have."""

    @property
    def key(self) -> str:
        """Identifies the credential, whatever agent name is sent with it."""
        if self.bearer is not None:
            return f"{self.tenant}\n{self.bearer}"
        return f"{self.tenant}\n{self.role}\n{self.token_id or self.name}"


@dataclass(frozen=True, slots=True)
class Token:
    token_id: str
    credential: Credential
    created_at: int
    expires_at: int | None
    revoked_at: int | None

    def is_valid(self, now: int) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def view(self, now: int) -> "TokenView":
        own = self.credential
        status = "revoked" if self.revoked_at else "active" if self.is_valid(now) else "expired"
        return TokenView(
            token_id=self.token_id,
            name=own.name,
            tenant=own.tenant,
            role=own.role.value,
            agent=own.agent,
            agent_type=own.agent_type,
            session_id=own.session_id,
            created_at=to_iso(self.created_at),
            expires_at=to_iso(self.expires_at) if self.expires_at else None,
            status=status,
        )


@dataclass(frozen=True, slots=True)
class Login:
    """A browser that has signed in. It never outlives the token that it signed in with."""

    credential: Credential
    expires_at: int


class TokenView(Value):
    """A token as people see it: everything but the secret."""

    token_id: str
    name: str
    tenant: str
    role: str
    agent: str | None
    agent_type: str | None
    session_id: str | None
    created_at: str
    expires_at: str | None
    status: str
