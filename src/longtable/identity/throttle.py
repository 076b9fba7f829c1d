"""Slows down guessing of credentials. It only affects wrong ones, so that it locks no caller out."""

import ipaddress
from collections import OrderedDict, deque

from longtable.kernel.clock import MINUTE, SECOND, Clock
from longtable.kernel.errors import LongtableError, RateLimited, Unauthorized
from longtable.kernel.ids import hash_secret

MAX_FAILURES = 10
WINDOW = MINUTE
_MAX_KEYS = 10_000


class SignInThrottle:
    """Counts the failures of each address and each credential in the last minute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, deque[int]] = OrderedDict()

    def refusal(self, address: str | None, secret: str) -> LongtableError:
        """What to answer to a credential that is wrong: Unauthorized, or RateLimited after many of them."""
        keys = (f"address {network_of(address)}", f"credential {hash_secret(secret)}")
        now = self._clock()
        wait = max(self._wait(key, now) for key in keys)
        if wait > 0:
            seconds = wait // SECOND + 1
            return RateLimited("Too many failed logins.", hint=f"Try again in {seconds} seconds.", retry_after=seconds)
        for key in keys:
            self._count(key, now)
        return Unauthorized()

    def _wait(self, key: str, now: int) -> int:
        """Microseconds until it may fail again."""
        failures = self._failures.get(key)
        if failures is None or len(failures) < MAX_FAILURES:
            return 0
        return failures[0] + WINDOW - now

    def _count(self, key: str, now: int) -> None:
        self._failures.setdefault(key, deque(maxlen=MAX_FAILURES)).append(now)
        self._failures.move_to_end(key)
        if len(self._failures) > _MAX_KEYS:
            self._failures.popitem(last=False)


def network_of(address: str | None) -> str:
    """One household or machine: in IPv6 they have a whole network of addresses."""
    if address is None:
        return "unix"
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address[:100]
    return address if known.version == 4 else str(ipaddress.ip_network((known, 64), strict=False))
