"""Browser logins: a one-time link or a token, exchanged for a cookie. The store keeps only hashes."""

import hashlib
import hmac
import secrets

from longtable.identity import store
from longtable.identity.model import Credential, Login
from longtable.identity.throttle import SignInThrottle
from longtable.kernel.caller import DEFAULT_TENANT, Role
from longtable.kernel.clock import DAY, MINUTE, Clock
from longtable.kernel.errors import Forbidden, Unauthorized
from longtable.kernel.ids import hash_secret, new_secret
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact

LINK_LIFETIME = 10 * MINUTE
LOGIN_LIFETIME = 7 * DAY
_COOKIE_FACT = "cookie_name"


class Logins:
    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self.throttle = SignInThrottle(clock)

    async def cookie_name(self) -> str:
        """Random for each data folder, so that servers on one host do not overwrite each other's cookie."""

        async def transaction(tx: Transaction) -> str:
            known = await get_fact(tx, _COOKIE_FACT)
            if known is None:
                known = f"longtable_{secrets.token_hex(6)}"
                await set_fact(tx, _COOKIE_FACT, known)
            return known

        return await self._database.write(SYSTEM, transaction)

    async def new_link_secret(self) -> str:
        secret, now = new_secret("link"), self._clock()
        await self._database.write(
            SYSTEM, lambda tx: store.add_login_link(tx, hash_secret(secret), now + LINK_LIFETIME, now)
        )
        return secret

    async def redeem(self, link_secret: str) -> str:
        """A cookie for an unused link. Raises Unauthorized."""
        now, secret_hash = self._clock(), hash_secret(link_secret)
        # Looked up first: a link may come from any client, and a write would delay other writes.
        known = await self._database.read(SYSTEM, lambda tx: store.knows_login_link(tx, secret_hash, now))
        if not known or not await self._database.write(SYSTEM, lambda tx: store.take_login_link(tx, secret_hash, now)):
            raise Unauthorized()
        return await self._log_in(Credential(DEFAULT_TENANT, Role.OWNER, "owner"))

    async def log_in(self, credential: Credential) -> str:
        """A cookie for the bearer of a person's token."""
        if credential.role not in (Role.HUMAN, Role.OWNER):
            raise Forbidden("The console is for people.", hint="Use a token of the role human or owner.")
        return await self._log_in(credential)

    async def find(self, cookie: str) -> Login | None:
        now = self._clock()
        return await self._database.read(SYSTEM, lambda tx: store.find_login(tx, hash_secret(cookie), now))

    async def log_out(self, cookie: str) -> None:
        await self._database.write(SYSTEM, lambda tx: store.end_login(tx, hash_secret(cookie)))

    async def _log_in(self, credential: Credential) -> str:
        cookie, now = new_secret("login"), self._clock()
        ends = min(now + LOGIN_LIFETIME, credential.expires_at or now + LOGIN_LIFETIME)
        await self._database.write(SYSTEM, lambda tx: store.add_login(tx, hash_secret(cookie), credential, ends, now))
        return cookie


def csrf_token(cookie: str) -> str:
    """What a page must send back with every change: only a page that we served to this login knows it."""
    return hmac.new(cookie.encode(), b"csrf", hashlib.sha256).hexdigest()
