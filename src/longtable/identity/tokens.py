"""Issues, verifies and revokes tokens. The secret is shown once; the store keeps its hash."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from longtable.identity import store
from longtable.identity.model import TOKEN_ROLES, Credential, Token, tenant_problem
from longtable.kernel.call import Call
from longtable.kernel.caller import Role, operator
from longtable.kernel.clock import DAY, SECOND, Clock
from longtable.kernel.errors import ConfigError, InvalidArgument, InvalidSessionId, NotFound
from longtable.kernel.ids import hash_secret, is_session_id, new_secret
from longtable.kernel.names import HUMAN_PREFIX, name_problem, poses_as_person
from longtable.kernel.result import Result
from longtable.log.model import AuditRecord, LogEntry
from longtable.storage.database import SYSTEM, Database, Transaction

CACHED_FOR = SECOND // 2
"""How long a verified token is trusted without asking the store: a revocation counts within a second."""

LONGEST_LIFETIME = 36_500 * DAY
_MAX_CACHED = 10_000


class TokenIssued(Result):
    token_id: str
    secret: str


@dataclass(frozen=True, slots=True)
class _CachedCredential:
    credential: Credential | None
    until: int


class Tokens:
    """`configured` maps the hash of each secret from flags, environment or file to its principal."""

    def __init__(self, database: Database, clock: Clock, configured: Mapping[str, str]) -> None:
        self._database = database
        self._clock = clock
        self._configured = {
            secret_hash: Credential(principal, Role.ORCHESTRATOR, principal)
            for secret_hash, principal in configured.items()
        }
        self._cached: dict[str, _CachedCredential] = {}

    async def verify(self, secret: str) -> Credential | None:
        """The credential of the secret, or None. Only digests are compared, so timing reveals nothing about the
        secret."""
        secret_hash = hash_secret(secret)
        configured = self._configured.get(secret_hash)
        if configured is not None:
            return configured
        now = self._clock()
        known = self._cached.get(secret_hash)
        if known is not None and now < known.until:
            return known.credential
        token = await self._database.read(SYSTEM, lambda tx: store.find_token(tx, secret_hash))
        credential = token.credential if token is not None and token.is_valid(now) else None
        if len(self._cached) >= _MAX_CACHED:
            self._cached.clear()
        self._cached[secret_hash] = _CachedCredential(credential, now + CACHED_FOR)
        return credential

    async def create(self, requested: Credential, expires_in: int | None) -> TokenIssued:
        """The operator's work, at a terminal."""
        issued, _ = await self.issue(requested, expires_in, _by_operator(requested.tenant, "create_token"))
        return issued

    async def issue(self, requested: Credential, expires_in: int | None, call: Call) -> tuple[TokenIssued, Token]:
        check_credential(requested)
        now = self._clock()
        secret, token_id = new_secret("lt"), f"token_{secrets.token_hex(6)}"
        credential = replace(requested, token_id=token_id)
        token = Token(token_id, credential, now, now + expires_in if expires_in else None, None)

        async def transaction(tx: Transaction) -> None:
            await store.insert_token(tx, token, hash_secret(secret))
            tx.defer(_audit(call, token_id, now))

        await self._database.write(requested.tenant, transaction)
        return TokenIssued(token_id=token_id, secret=secret), token

    async def revoke(self, token_id: str) -> None:
        """The operator's work, at a terminal. Raises NotFound."""
        tenant, now = (await self.find(token_id)).credential.tenant, self._clock()

        async def transaction(tx: Transaction) -> None:
            await store.revoke_token(tx, token_id, now)
            tx.defer(_audit(_by_operator(tenant, "revoke_token"), token_id, now))

        await self._database.write(tenant, transaction)
        self.forget_verified()

    def forget_verified(self) -> None:
        """After a revocation: the store is asked again about every token."""
        self._cached.clear()

    async def find(self, token_id: str, tenant: str | None = None) -> Token:
        """Raises NotFound, also for a token of another tenant, where one is named."""
        token = await self._database.read(SYSTEM, lambda tx: store.find_token_by_id(tx, token_id))
        if token is None or tenant not in (None, token.credential.tenant):
            raise NotFound(f"There is no token {token_id}.", hint="'longtable token list' shows them.")
        return token

    async def list(self, tenant: str | None) -> list[Token]:
        return await self._database.read(SYSTEM, lambda tx: store.list_tokens(tx, tenant))


def token_name(role: Role, agent: str | None, name: str | None) -> str:
    """The name of a token: the requested one, or that of its agent, or one made from its role."""
    return name if name is not None else agent or f"{role}-{secrets.token_hex(3)}"


def check_credential(requested: Credential) -> None:
    """Raises InvalidArgument or InvalidSessionId when no token can stand for `requested`."""
    if requested.role not in TOKEN_ROLES:
        raise InvalidArgument.at("role", f"must be one of {', '.join(sorted(TOKEN_ROLES))}")
    _check_names(requested)
    if requested.session_id is not None and not is_session_id(requested.session_id):
        raise InvalidSessionId("session: must be 3 to 64 letters, digits, '_' or '-', the first no '_' or '-'.")
    if requested.role is Role.AGENT and (requested.agent is None or requested.session_id is None):
        missing = "agent" if requested.agent is None else "session"
        raise InvalidArgument.at(missing, "is needed for the role agent")


def _check_names(requested: Credential) -> None:
    problem = tenant_problem(requested.tenant)
    if problem is not None:
        raise InvalidArgument.at("tenant", problem)
    for field in ("agent", "agent_type", "name"):
        value = getattr(requested, field)
        # A token without an agent speaks under its name, so that may not pass for a person's either.
        if value is not None and poses_as_person(value):
            raise InvalidArgument.at(field, f"must not begin with '{HUMAN_PREFIX}', which belongs to people")
        problem = None if value is None else name_problem(value)
        if problem is not None:
            raise InvalidArgument.at(field, problem)


def check_principals(principals: Iterable[str]) -> None:
    """Raises ConfigError for a principal named at start that can be no tenant. One that reads as a person's name stays:
    its token is refused at each call."""
    for principal in principals:
        problem = tenant_problem(principal)
        if problem is not None:
            # Not quoted: who mixes the two up has written a token there.
            raise ConfigError(f"auth_tokens, auth_token_file: a principal {problem}.", option="auth_tokens")


_AUDITED_AS = {"create_token": "token_created", "revoke_token": "token_revoked"}


def _by_operator(tenant: str, operation: str) -> Call:
    return Call(operator(tenant), operation, _AUDITED_AS[operation])


def _audit(call: Call, token_id: str, now: int) -> LogEntry:
    caller = call.caller
    record = AuditRecord.of(call, "SUCCESS", now, f"token:{token_id}")
    return LogEntry(caller.tenant, caller.agent, caller.agent_type, None, now, audit=[record])
