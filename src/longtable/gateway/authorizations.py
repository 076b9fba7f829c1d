"""Owners connect upstreams that want authorization, and disconnect them. What is pending between the requests of a
browser is a row, so that any process can go on with it."""

import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from longtable.gateway import authorization_store, events
from longtable.gateway.authorization_store import StoredAuthorization, StoredFlow
from longtable.gateway.results import AuthorizationView, ConnectLink, UpstreamDisconnected
from longtable.gateway.token_cipher import TokenCipher
from longtable.gateway.upstream_tokens import (
    CONNECTED,
    NEEDED,
    UpstreamTokens,
    new_version,
    read_grant,
    sealed_grant,
    usable_grant,
)
from longtable.kernel.call import Call
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import MINUTE, to_iso
from longtable.kernel.errors import Conflict, Forbidden, LongtableError, NotFound, UpstreamError
from longtable.kernel.ids import hash_secret, new_secret
from longtable.kernel.logs import logger
from longtable.kernel.result import Result
from longtable.log.ledger import Ledger, Work
from longtable.storage.database import SYSTEM, Body, Transaction
from longtable.upstreams.entries import HttpEntry

if TYPE_CHECKING:
    from longtable.upstreams.oauth import Grant

T = TypeVar("T")

START_PATH = "/oauth/start"
CALLBACK_PATH = "/oauth/callback"
FLOW_LIFETIME = 10 * MINUTE

NO_OAUTH = "There is no such upstream, or it has no oauth in its entry."
_USED = "This link was used before, or it is too old."
_AGAIN = "Start again with Connect in the console, or with 'longtable upstreams login'."


class UpstreamConnected(Result):
    upstream: str


FindEntry = Callable[[str, str], HttpEntry | None]
"""The entry of an upstream with `oauth`, by tenant and name."""


@dataclass(frozen=True, slots=True)
class AuthorizationResponse:
    """What the authorization server sends back through the browser; `browser` is the secret that the browser was
    given with the link."""

    state: str
    browser: str
    code: str | None = None
    error: str | None = None
    issuer: str | None = None


class Authorizations:
    """`find_entry` is set before the first request; `allowed_hosts` are private hosts that requests may go to."""

    def __init__(self, ledger: Ledger, cipher: TokenCipher, allowed_hosts: frozenset[str]) -> None:
        self._ledger = ledger
        self._cipher = cipher
        self.allowed_hosts = allowed_hosts
        self.find_entry: FindEntry = lambda tenant, upstream: None

    def tokens(self, tenant: str, entry: HttpEntry) -> UpstreamTokens:
        return UpstreamTokens(self._ledger, self._cipher, tenant, entry, lambda: self.allowed_hosts)

    async def views(self, caller: Caller, names: Iterable[str]) -> Mapping[str, AuthorizationView]:
        """The authorizations of all upstreams that have `oauth` in their entries."""
        stored = {each.upstream: each for each in await self._ledger.read(caller, authorization_store.of_tenant)}
        entries = {name: self.find_entry(caller.tenant, name) for name in names}
        return {
            name: self._view(caller.tenant, entry, stored.get(name))
            for name, entry in entries.items()
            if entry is not None
        }

    def _view(self, tenant: str, entry: HttpEntry, stored: StoredAuthorization | None) -> AuthorizationView:
        if stored is None:
            return AuthorizationView(state=NEEDED)
        grant, problem = usable_grant(self._cipher, tenant, entry, stored)
        return AuthorizationView(
            state=NEEDED if grant is None else CONNECTED,
            problem=problem,
            issuer=stored.issuer,
            scope=stored.scope,
            connected_by=stored.connected_by,
            connected_at=to_iso(stored.connected_at),
            expires_at=None if stored.expires_at is None or grant is None else to_iso(stored.expires_at),
        )

    async def start(self, call: Call, upstream: str) -> ConnectLink:
        """Makes the link at which an owner's browser begins."""
        secret, caller = new_secret("flow"), call.caller

        async def body(work: Work) -> ConnectLink:
            expires_at = work.now + FLOW_LIFETIME
            await authorization_store.add_flow(
                work.tx,
                StoredFlow(
                    caller.tenant,
                    hash_secret(secret),
                    upstream,
                    caller.agent,
                    caller.surface,
                    None,
                    None,
                    None,
                    expires_at,
                ),
            )
            work.touched(f"upstream:{upstream}"[:200])
            return ConnectLink(upstream=upstream, link=f"{START_PATH}?flow={secret}", expires_at=to_iso(expires_at))

        return await self._ledger.write(call, ConnectLink, body)

    async def open(self, link: str, redirect_uri: str, owner: Caller | None) -> tuple[str, str]:
        """The address of the authorization server, and the secret for the browser that opened the link. `owner` is
        who has signed in there: a link that was made in the console is for that person's browser only."""
        from longtable.upstreams import oauth

        flow = await self._find(authorization_store.flow_by_link, link)
        if flow.surface == Surface.CONSOLE and not _is_owner_of(owner, flow):
            raise Forbidden("Only the owner who pressed Connect can go on.", hint="Sign in to the console first.")
        entry = self.find_entry(flow.tenant, flow.upstream)
        if entry is None:
            raise NotFound(NO_OAUTH)
        state, browser = oauth.new_state(), new_secret("browser")
        opened = await self._write(
            flow,
            lambda tx: authorization_store.open_flow(tx, flow.link_hash, hash_secret(state), hash_secret(browser)),
        )
        if not opened:
            raise Conflict(_USED, hint=_AGAIN)
        known = await self.stored_grant(flow.tenant, flow.upstream)
        address, grant = await oauth.begin(entry, self.allowed_hosts, redirect_uri, state, known)
        sealed = self._cipher.encrypt(grant.model_dump_json(exclude_none=True), flow.tenant, flow.link_hash)
        await self._write(flow, lambda tx: authorization_store.keep_pending(tx, flow.link_hash, sealed))
        return address, browser

    async def finish(self, response: AuthorizationResponse) -> str:
        """Exchanges the code and stores the tokens; returns the name of the upstream. Each state counts once."""
        from longtable.upstreams import oauth

        flow = await self._find(authorization_store.flow_by_state, response.state)
        if flow.browser_hash is None or not hmac.compare_digest(flow.browser_hash, hash_secret(response.browser)):
            raise Forbidden("This is not the browser that began.", hint=_AGAIN)
        taken = await self._write(flow, lambda tx: authorization_store.take_flow(tx, flow.link_hash))
        text = None
        if taken is not None and taken.sealed is not None:
            text = self._cipher.decrypt(taken.sealed, flow.tenant, flow.link_hash)
        if text is None:
            raise Conflict(_USED, hint=_AGAIN)
        pending = oauth.with_hosts(oauth.Grant.model_validate_json(text), self.allowed_hosts)
        if response.error is not None or not response.code:
            oauth.check_issuer(pending, response.issuer)
            raise UpstreamError(f"{flow.upstream} was not connected: the authorization was not given.", hint=_AGAIN)
        await self._connect(flow, await oauth.finish(pending, response.code, response.issuer))
        return flow.upstream

    async def _connect(self, flow: StoredFlow, grant: "Grant") -> None:
        owner = Caller(flow.tenant, Role.OWNER, flow.started_by, "human", Surface(flow.surface))

        async def body(work: Work) -> UpstreamConnected:
            empty = StoredAuthorization(
                flow.upstream, new_version(), None, grant.issuer, None, owner.agent, work.now, work.now, None, None
            )
            stored = sealed_grant(self._cipher, flow.tenant, empty, grant, work.now)
            await authorization_store.put(work.tx, stored)
            work.concerns_tenant()
            work.happened(events.authorization_changed(flow.upstream, CONNECTED))
            work.touched(f"upstream:{flow.upstream}"[:200], issuer=grant.issuer[:200])
            return UpstreamConnected(upstream=flow.upstream)

        call = Call(owner, "connect_upstream", "upstream_connected")
        await self._ledger.write(call, UpstreamConnected, body)

    async def disconnect(self, call: Call, upstream: str) -> UpstreamDisconnected:
        """Deletes the tokens, then asks the authorization server to revoke them. Raises NotFound."""
        grant = await self.stored_grant(call.caller.tenant, upstream)

        async def body(work: Work) -> UpstreamDisconnected:
            if await authorization_store.find(work.tx, upstream) is None:
                raise NotFound("This upstream is not connected.")
            await authorization_store.delete(work.tx, upstream)
            work.concerns_tenant()
            work.happened(events.authorization_changed(upstream, NEEDED))
            work.touched(f"upstream:{upstream}"[:200])
            return UpstreamDisconnected(upstream=upstream, revoked=False)

        done = await self._ledger.write(call, UpstreamDisconnected, body)
        if grant is None:
            return done
        return UpstreamDisconnected(upstream=upstream, revoked=await self.revoke(upstream, grant))

    async def stored_grant(self, tenant: str, upstream: str) -> "Grant | None":
        stored = await self._ledger.database.read(tenant, lambda tx: authorization_store.find(tx, upstream))
        return None if stored is None else read_grant(self._cipher, tenant, stored)

    async def revoke(self, upstream: str, grant: "Grant") -> bool:
        """Whether the authorization server has confirmed it."""
        from longtable.upstreams import oauth

        try:
            return await oauth.revoke(oauth.with_hosts(grant, self.allowed_hosts))
        except LongtableError as error:
            logger.warning("tokens_not_revoked", upstream=upstream, code=error.code)
            return False

    async def _find(
        self, find: Callable[[Transaction, str, int], Awaitable[StoredFlow | None]], secret: str
    ) -> StoredFlow:
        now = self._ledger.clock()
        flow = await self._ledger.database.read(SYSTEM, lambda tx: find(tx, hash_secret(secret), now))
        if flow is None:
            raise NotFound(_USED, hint=_AGAIN)
        return flow

    async def _write(self, flow: StoredFlow, body: Body[T]) -> T:
        return await self._ledger.database.write(flow.tenant, body)


def _is_owner_of(owner: Caller | None, flow: StoredFlow) -> bool:
    return (
        owner is not None and owner.role is Role.OWNER and (owner.tenant, owner.agent) == (flow.tenant, flow.started_by)
    )
