"""Which optional parts a configuration has, for the tools that need them."""

from typing import Protocol

from longtable.settings.options import Settings


class HasListing(Protocol):
    @property
    def listing(self) -> str | None: ...


def listing_of(settings: Settings, file: HasListing | None = None) -> str:
    return (file.listing if file is not None else None) or settings.gateway_listing


def provided(settings: Settings, file: HasListing | None = None) -> frozenset[str]:
    """Of `gateway`, `search` (a gateway whose tools may be searched instead of listed) and `backend`. `file` is the
    gateway file, whose own setting for the listing wins."""
    backend = settings.mindscape_base_url is not None
    gateway = backend or settings.gateway_config is not None
    listing = listing_of(settings, file)
    known = {"backend": backend, "gateway": gateway, "search": gateway and listing != "full"}
    return frozenset(name for name, there in known.items() if there)
