"""Addresses of the console's page: every path under one of its parts, asked for by a browser."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

PARTS: Final = frozenset(
    {
        "audit",
        "connect",
        "costs",
        "decisions",
        "gateway",
        "inbox",
        "notebooks",
        "notifiers",
        "now",
        "search",
        "sessions",
        "settings",
        "usage",
    }
)
OPENED: Final = "longtable.opened"
"""In the scope of a request for the page: the address at which it was opened."""

_DOWNLOAD: Final = "/export"
_ADDRESS: Final = re.compile(r"/(?![/\\])[!-~]*")


def is_page_request(scope: Mapping[str, Any]) -> bool:
    """Whether a browser that reads this path wants to show the console. The same paths answer programs with JSON, and
    downloads with a file."""
    path: str = scope["path"]
    part = path[1:].partition("/")[0]
    return part in PARTS and not path.endswith(_DOWNLOAD) and _wants_page(scope["headers"])


def _wants_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name == b"accept" and b"text/html" in value.lower() for name, value in headers)


def opened_at(scope: Mapping[str, Any]) -> str:
    query = scope["query_string"].decode("latin-1")
    path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
    return f"{path}?{query}" if query else path


def own_address(text: str) -> str:
    """An address of this server to go to after signing in; its start for anything else."""
    return text if len(text) <= 2_048 and _ADDRESS.fullmatch(text) else "/"
