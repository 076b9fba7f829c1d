"""Which Host and Origin headers are ours. A page of another site must not reach a server on this machine."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from longtable.kernel.errors import Forbidden
from longtable.settings.checks import is_loopback
from longtable.settings.options import Settings

_LONGEST_HOST = 300
_MAX_KNOWN = 256
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:[0-9]+)?")


class Origins:
    """A host without a port stands for every port of it. `known` pairs of Host and Origin were found right before.
    Our own page at `https_host` has an https:// address, wherever TLS ends: the configuration says so, no header."""

    def __init__(self, hosts: Iterable[str], origins: Iterable[str], https_host: str | None = None) -> None:
        self.https_host = None if https_host is None else https_host.lower().encode()
        self.hosts = frozenset(host.lower() for host in hosts)
        self.origins = frozenset(origin.lower() for origin in origins)
        self.known: set[tuple[bytes | None, bytes | None]] = set()

    @classmethod
    def of(cls, settings: Settings) -> "Origins":
        public = urlsplit(settings.public_url or "")
        hosts = [settings.http_host, *settings.allowed_hosts, *([public.netloc] if public.netloc else [])]
        return cls(
            hosts, settings.allowed_origins, public.netloc.removesuffix(":443") if public.scheme == "https" else None
        )

    def require(self, host: bytes | None, origin: bytes | None) -> None:
        """Raises Forbidden."""
        own_host = None if host is None else host.decode("latin-1")
        if not self.allows_host(own_host):
            raise Forbidden("This Host is not served here.", hint="Set allowed_hosts to serve it.")
        if not self.allows_origin(None if origin is None else origin.decode("latin-1"), own_host):
            raise Forbidden("This Origin may not call.", hint="Set allowed_origins to let it.")
        if len(self.known) < _MAX_KNOWN and len(origin or b"") <= _LONGEST_HOST:
            self.known.add((host, origin))

    def allows_host(self, host: str | None) -> bool:
        """A unix socket's clients may name any loopback host, as those of a loopback address may."""
        if not host or len(host) > _LONGEST_HOST:
            return False
        bare = _without_port(host.lower())
        return host.lower() in self.hosts or bare in self.hosts or is_loopback(bare)

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


def _names_this_machine(netloc: str, hosts: Iterable[str]) -> bool:
    bare = _without_port(netloc)
    return is_loopback(bare) or bare in hosts or netloc in hosts


def _without_port(host: str) -> str:
    """Nothing, which is no host of ours, for what is not well formed."""
    match = _HOST_AND_PORT.fullmatch(host)
    return match[1] if match else ""
