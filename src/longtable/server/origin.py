"""Which Host and Origin headers are ours. A page of another site must not reach a server on this machine."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from longtable.settings.checks import is_loopback
from longtable.settings.options import Settings

_LONGEST_HOST = 300
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Origins:
    """A host without a port stands for every port of it."""

    hosts: frozenset[str]
    origins: frozenset[str]

    @classmethod
    def of(cls, settings: Settings) -> "Origins":
        hosts = {settings.http_host.lower(), *(host.lower() for host in settings.allowed_hosts)}
        return cls(frozenset(hosts), frozenset(origin.lower() for origin in settings.allowed_origins))

    def allows_host(self, host: str | None) -> bool:
        """A unix socket's clients may name any loopback host, as those of a loopback address may."""
        if not host or len(host) > _LONGEST_HOST:
            return False
        return _is_ours(host.lower(), self.hosts)

    def allows_origin(self, origin: str | None, host: str | None) -> bool:
        """Absent is fine: only browsers send it. Our own page has the Host for its origin."""
        if origin is None:
            return True
        if origin.lower() in self.origins:
            return True
        try:
            parts = urlsplit(origin.lower())
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        return parts.netloc == (host or "").lower() or _names_this_machine(parts.netloc, self.hosts)


@lru_cache(maxsize=256)
def _is_ours(host: str, hosts: frozenset[str]) -> bool:
    bare = _without_port(host)
    return host in hosts or bare in hosts or is_loopback(bare)


def _names_this_machine(netloc: str, hosts: Iterable[str]) -> bool:
    bare = _without_port(netloc)
    return is_loopback(bare) or bare in hosts or netloc in hosts


def _without_port(host: str) -> str:
    """Nothing, which is no host of ours, for what is not well formed."""
    match = _HOST_AND_PORT.fullmatch(host)
    return match[1] if match else ""
