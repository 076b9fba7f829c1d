"""The public keys of an issuer: in a file, or at an address, from which they are fetched rarely, whatever key ids
tokens name."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import jwt

from longtable.identity.discovery import discover
from longtable.identity.signed_tokens import FindKey
from longtable.kernel.clock import HOUR, MINUTE, SECOND, Clock
from longtable.kernel.errors import ConfigError
from longtable.kernel.logs import logger

FRESH_FOR = 5 * MINUTE
KEPT_FOR = HOUR
"""How long keys stay valid when they cannot be fetched again."""

PAUSE = 30 * SECOND
"""Between two fetches: an unknown key id causes none within it."""

PAUSE_AFTER_FAILURE = 5 * SECOND
_TIMEOUT = 10.0

Keys = Mapping[str, jwt.PyJWK]


class RemoteKeySet:
    """`fetch` runs in a thread of its own. It raises PyJWTError, OSError or ValueError when it has no keys."""

    def __init__(self, fetch: Callable[[], Keys], clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: Keys = {}
        self._fetched_at: int | None = None
        self._next_fetch = 0
        self._lock = asyncio.Lock()

    async def find(self, key_id: str | None) -> jwt.PyJWK | None:
        key = self._known(key_id, FRESH_FOR)
        if key is None and self._clock() >= self._next_fetch:
            await self._refresh()
        return key or self._known(key_id, KEPT_FOR)

    def _known(self, key_id: str | None, lifetime: int) -> jwt.PyJWK | None:
        if self._fetched_at is None or self._clock() - self._fetched_at >= lifetime:
            return None
        return find_key(self._keys, key_id)

    async def _refresh(self) -> None:
        async with self._lock:
            # The keys may have been fetched while this call waited for the lock.
            if self._clock() < self._next_fetch:
                return
            try:
                self._keys = await asyncio.to_thread(self._fetch)
            except (jwt.PyJWTError, OSError, ValueError) as error:
                self._next_fetch = self._clock() + PAUSE_AFTER_FAILURE
                logger.warning("jwks_not_fetched", reason=type(error).__name__)
                return
            self._fetched_at = self._clock()
            self._next_fetch = self._fetched_at + PAUSE


def find_key(keys: Keys, key_id: str | None) -> jwt.PyJWK | None:
    """A token that names no key is meant for the only one there is."""
    if key_id is None:
        return next(iter(keys.values())) if len(keys) == 1 else None
    return keys.get(key_id)


def key_finder(issuer: str, jwks: str | None, clock: Clock) -> FindKey:
    """`jwks` is a file or an address; None stands for what the issuer's metadata name. Raises ConfigError."""
    if jwks is None:
        return RemoteKeySet(lambda: fetch_keys(discover(issuer).jwks_uri), clock).find
    if "://" in jwks:
        return RemoteKeySet(lambda: fetch_keys(jwks), clock).find
    keys = _read_keys(Path(jwks))

    async def find(key_id: str | None) -> jwt.PyJWK | None:
        return find_key(keys, key_id)

    return find


def fetch_keys(address: str) -> Keys:
    client = jwt.PyJWKClient(address, cache_keys=False, cache_jwk_set=False, timeout=_TIMEOUT)
    return {str(key.key_id): key for key in client.get_signing_keys(refresh=True)}


def _read_keys(path: Path) -> Keys:
    try:
        keys = jwt.PyJWKSet.from_dict(json.loads(path.read_text())).keys
    except (OSError, ValueError, TypeError, AttributeError, jwt.PyJWTError) as error:
        raise ConfigError("jwt_jwks: the file must hold a JSON Web Key Set with at least one usable key.") from error
    return {str(key.key_id): key for key in keys}
