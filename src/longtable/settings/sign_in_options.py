"""The options for identity providers: whose access tokens count for software, and where people sign in."""

# ruff: noqa: RUF009  (`option` returns a dataclass field: it is called once, as it should be)

from dataclasses import dataclass
from typing import Literal, get_args

from longtable.kernel.caller import DEFAULT_TENANT, Role
from longtable.kernel.clock import HOUR, MINUTE
from longtable.settings.declare import Sources, option
from longtable.settings.kinds import Choice, Duration, KeySet, MatchingText, Secret, Text
from longtable.settings.sign_in_kinds import GroupRole, GroupRoles, PrivateUrl, PublicUrl

ScopeName = Literal["read", "work", "conduct"]


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SignInOptions:
    """Identity provider"""

    public_url: str | None = option(
        PublicUrl(),
        None,
        "Address under which clients and browsers reach this server. With auth jwt it tells clients where to sign in. "
        "Its host is accepted as those of allowed_hosts are; under https:// requests for it count as sent over https.",
    )
    jwt_issuer: str | None = option(Text(), None, "JWT: the issuer that must have signed.")
    jwt_audience: str | None = option(
        Text(),
        None,
        "JWT: the audience a token must name.",
        default_text="public_url and http_path",
        effective="effective_jwt_audience",
    )
    jwt_jwks: str | None = option(
        KeySet(), None, "JWT: the keys of the issuer.", default_text="what the issuer's metadata name"
    )
    jwt_tenant: str | None = option(
        Text(), None, "JWT: the tenant of tokens whose group names none; without it a claim names the tenant."
    )
    jwt_groups: tuple[GroupRole, ...] = option(
        GroupRoles(Role.READER, Role.AGENT, Role.ORCHESTRATOR),
        (),
        "JWT: roles by group; the first that fits counts, and who is in none is refused. A scope of the token may only "
        "lessen the role.",
        default_text="none: a role claim or the scopes say the role",
    )
    jwt_claim_tenant: str = option(Text(), "tenant", "JWT: claim with the tenant. A dot leads into nested claims.")
    jwt_claim_agent: str = option(Text(), "agent", "JWT: claim with the agent's name.")
    jwt_claim_agent_type: str = option(Text(), "agent_type", "JWT: claim with the agent's type.")
    jwt_claim_role: str = option(Text(), "role", "JWT: claim with the role.")
    jwt_claim_session: str = option(Text(), "session", "JWT: claim with the session.")
    jwt_claim_groups: str = option(Text(), "groups", "JWT: claim with the groups.")
    oauth_scope_prefix: str = option(
        MatchingText("letters, digits and . _ : / ~ -", r"[A-Za-z0-9._:/~-]{1,200}"),
        "longtable:",
        "What the scopes read, work and conduct begin with at the identity provider.",
    )
    oauth_first_scope: ScopeName = option(
        Choice[ScopeName](get_args(ScopeName)),
        "work",
        "The scope that a client is told to begin with; it is told of others when it needs them.",
    )
    oidc_issuer: str | None = option(PrivateUrl(), None, "OIDC: the identity provider with which people sign in.")
    oidc_client_id: str | None = option(Text(), None, "OIDC: who the console is to the provider.")
    oidc_client_secret: str | None = option(
        Secret(),
        None,
        "OIDC: the secret of that client; without one it is a public client.",
        sources=Sources(flag=None),
    )
    oidc_groups: tuple[GroupRole, ...] = option(
        GroupRoles(Role.HUMAN, Role.OWNER),
        (),
        "OIDC: roles of people by group; the first that fits counts, and who is in none is refused.",
        default_text="none",
    )
    oidc_tenant: str | None = option(
        Text(),
        None,
        "OIDC: tenant of people whose group names none.",
        default_text="jwt_tenant, else default",
        effective="effective_oidc_tenant",
    )
    oidc_scopes: str = option(
        MatchingText("scopes with spaces between, among them openid", r"(\S+ +)*openid( +\S+)*"),
        "openid profile email",
        "OIDC: what is asked of the provider.",
    )
    oidc_claim_name: str = option(Text(), "preferred_username", "OIDC: claim with the person's name.")
    oidc_claim_groups: str = option(Text(), "groups", "OIDC: claim with the groups. A dot leads into nested claims.")
    oidc_lifetime: int = option(
        Duration("h", MINUTE), 12 * HOUR, "OIDC: how long a login lasts before the provider is asked again."
    )

    @property
    def effective_oidc_tenant(self) -> str:
        return self.oidc_tenant or self.jwt_tenant or DEFAULT_TENANT
