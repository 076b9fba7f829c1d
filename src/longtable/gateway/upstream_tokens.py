"""The tokens of one tenant at one upstream: read when needed, renewed before they expire, by one process at a time."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from longtable.gateway import authorization_store, events
from longtable.gateway.authorization_store import StoredAuthorization
from longtable.gateway.token_cipher import TokenCipher
from longtable.kernel.background import owned_task
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import UpstreamError, UpstreamTimeout
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import Transaction
from longtable.upstreams.authorization import needs_authorization
from longtable.upstreams.entries import HttpEntry

if TYPE_CHECKING:
    from longtable.upstreams.oauth import Grant

CONNECTED: Final = "connected"
NEEDED: Final = "needs authorization"
UNREADABLE: Final = "The key with which its tokens were encrypted is gone."

MOVED: Final = "Its address is another one since it was connected."

_REMEMBER = SECOND
_RENEW_BEFORE = 30 * SECOND
_CLAIM = 30 * SECOND
_WAIT_SECONDS = 35.0
_PAUSE_SECONDS = 0.1


class TokensStored(Result):
    renewed: bool


@dataclass(frozen=True, slots=True)
class _ReadTokens:
    """As read at `read_at`; `renew_at` is None for a token that never expires."""

    stored: StoredAuthorization
    grant: "Grant"
    read_at: int
    renew_at: int | None

    @property
    def access_token(self) -> str:
        assert self.grant.token is not None  # no other grant is stored
        return self.grant.token.access_token


class UpstreamTokens:
    """An `Authorization` of the upstream's connection. No result, error or log line of it holds a token."""

    def __init__(
        self,
        ledger: Ledger,
        cipher: TokenCipher,
        tenant: str,
        entry: HttpEntry,
        allowed_hosts: Callable[[], frozenset[str]],
    ) -> None:
        self._ledger = ledger
        self._cipher = cipher
        self._tenant = tenant
        self._entry = entry
        self._upstream = entry.name
        self._allowed_hosts = allowed_hosts
        self._holder = secrets.token_hex(8)
        self._known: _ReadTokens | None = None
        self._renewing = asyncio.Lock()

    async def token(self) -> str:
        known, now = self._known, self._ledger.clock()
        if known is None or now - known.read_at >= _REMEMBER:
            known = await self._read()
        if known.renew_at is not None and now >= known.renew_at:
            known = await self._renewed(known)
        return known.access_token

    async def renewed_token(self, rejected: str) -> str:
        known = await self._read()
        if known.access_token == rejected:
            known = await self._renewed(known)
        return known.access_token

    async def _read(self) -> _ReadTokens:
        stored = await self._ledger.database.read(self._tenant, lambda tx: authorization_store.find(tx, self._upstream))
        return self._opened(stored)

    def _opened(self, stored: StoredAuthorization | None) -> _ReadTokens:
        self._known = None
        if stored is None:
            raise needs_authorization(self._upstream)
        grant, problem = usable_grant(self._cipher, self._tenant, self._entry, stored)
        if grant is None:
            raise needs_authorization(self._upstream, problem)
        self._known = _ReadTokens(stored, grant, self._ledger.clock(), _renewal_time(stored))
        return self._known

    async def _renewed(self, stale: _ReadTokens) -> _ReadTokens:
        """Renewed by this process, or by another one meanwhile."""
        async with self._renewing:
            deadline = asyncio.get_running_loop().time() + _WAIT_SECONDS
            while asyncio.get_running_loop().time() < deadline:
                is_ours = await self._claim()
                current = await self._read()
                if current.stored.version != stale.stored.version:
                    if is_ours:
                        await self._release()
                    return current
                if is_ours:
                    # A server may accept a refresh token once only: what it answers must not be lost.
                    return await asyncio.shield(owned_task(self._renew(current)))
                await asyncio.sleep(_PAUSE_SECONDS)
        raise UpstreamTimeout(f"The tokens of {self._upstream} were not renewed in time.", upstream=self._upstream)

    async def _claim(self) -> bool:
        now = self._ledger.clock()

        async def body(tx: Transaction) -> bool:
            return await authorization_store.claim(tx, self._upstream, self._holder, now, now + _CLAIM)

        return await self._ledger.database.write(self._tenant, body)

    async def _release(self) -> None:
        async def body(tx: Transaction) -> None:
            await authorization_store.release(tx, self._upstream, self._holder)

        await self._ledger.database.write(self._tenant, body)

    async def _renew(self, current: _ReadTokens) -> _ReadTokens:
        from longtable.upstreams import oauth

        stored = current.stored
        try:
            grant = await oauth.refresh(oauth.with_hosts(current.grant, self._allowed_hosts()))
        except oauth.GrantRejected as error:
            logger.warning("authorization_lost", upstream=self._upstream)
            changed = replace(stored, sealed=None, problem=error.message)
        except UpstreamError:
            await self._release()
            raise
        else:
            changed = sealed_grant(self._cipher, self._tenant, stored, grant, self._ledger.clock())
        await self._store(stored.version, changed)
        return await self._read()

    async def _store(self, before: str, changed: StoredAuthorization) -> None:
        """Unless an owner has disconnected the upstream or connected it again meanwhile."""

        async def body(work: Work) -> TokensStored:
            now = await authorization_store.find(work.tx, self._upstream)
            is_current = now is not None and now.version == before
            work.touched(f"upstream:{self._upstream}"[:200], renewed=is_current and changed.sealed is not None)
            if is_current:
                await authorization_store.put(work.tx, replace(changed, version=new_version()))
                if changed.sealed is None:
                    work.concerns_tenant()
                    work.happened(events.authorization_changed(self._upstream, NEEDED))
            return TokensStored(renewed=is_current)

        caller = Caller(self._tenant, Role.OWNER, "longtable", "system", Surface.CLI)
        await self._ledger.write(Call(caller, "renew_tokens", "upstream_tokens_renewed"), TokensStored, body)


def new_version() -> str:
    return secrets.token_hex(8)


def read_grant(cipher: TokenCipher, tenant: str, stored: StoredAuthorization) -> "Grant | None":
    """None where an owner has to connect again."""
    from longtable.upstreams.oauth import Grant

    text = None if stored.sealed is None else cipher.decrypt(stored.sealed, tenant, stored.upstream)
    return None if text is None else Grant.model_validate_json(text)


def usable_grant(
    cipher: TokenCipher, tenant: str, entry: HttpEntry, stored: StoredAuthorization
) -> tuple["Grant | None", str | None]:
    """Or why an owner has to connect again. Tokens are for the address that they were issued for, and no other."""
    from longtable.upstreams.oauth import is_for

    if stored.sealed is None:
        return None, stored.problem
    grant = read_grant(cipher, tenant, stored)
    if grant is None:
        return None, UNREADABLE
    return (grant, None) if is_for(grant, entry.url) else (None, MOVED)


def sealed_grant(
    cipher: TokenCipher, tenant: str, stored: StoredAuthorization, grant: "Grant", now: int
) -> StoredAuthorization:
    assert grant.token is not None
    seconds = grant.token.expires_in
    return replace(
        stored,
        sealed=cipher.encrypt(grant.model_dump_json(exclude_none=True), tenant, stored.upstream),
        scope=grant.token.scope,
        issued_at=now,
        expires_at=None if seconds is None else now + seconds * SECOND,
        problem=None,
    )


def _renewal_time(stored: StoredAuthorization) -> int | None:
    """Before it expires, and never in the first half of a short life."""
    if stored.expires_at is None:
        return None
    return max(stored.expires_at - _RENEW_BEFORE, (stored.issued_at + stored.expires_at) // 2)
