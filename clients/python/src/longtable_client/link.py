"""How a server is reached, and as whom."""

import re
from dataclasses import dataclass

import httpx2

from longtable_client.errors import (
    LongtableError,
    OutcomeUnknown,
    Overloaded,
    RateLimited,
    ShuttingDown,
    StoreUnavailable,
)

TROUBLE = (httpx2.TransportError, ShuttingDown, StoreUnavailable, Overloaded, OutcomeUnknown, RateLimited)
"""What may be over at the next attempt. After each of them the same request with the same key is safe."""

_NOT_IN_HEADERS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Link:
    """How often a request is sent before it counts as lost, how often in a row a listener reconnects, and over what.
    Pauses double from `first_wait` seconds to `longest_wait`; where the server says how long to wait, it is that."""

    attempts: int = 8
    reconnects: int = 60
    first_wait: float = 0.1
    longest_wait: float = 5.0
    transport: httpx2.AsyncBaseTransport | httpx2.BaseTransport | None = None

    def wait_after(self, failures: int) -> float:
        return float(min(self.longest_wait, self.first_wait * 2 ** min(failures - 1, 30)))

    def pause_before_next(self, problem: Exception, failures: int, attempts: int) -> float | None:
        """None where there is no next attempt."""
        retry_after = problem.details.get("retry_after", 0) if isinstance(problem, LongtableError) else 0
        if failures >= attempts or retry_after > self.longest_wait:
            return None
        return max(float(retry_after), self.wait_after(failures))


@dataclass(frozen=True, slots=True)
class CallerHeaders:
    """The headers that say who sends a request."""

    token: str | None = None
    session: str | None = None
    agent: str | None = None
    agent_type: str | None = None

    def headers(self) -> list[tuple[bytes, bytes]]:
        fields = {
            b"Authorization": self.token and f"Bearer {self.token}",
            b"X-Session-ID": self.session,
            b"X-Caller-Agent": self.agent,
            b"X-Agent-Type": self.agent_type,
        }
        given = {name: value for name, value in fields.items() if value is not None}
        for name, value in given.items():
            if _NOT_IN_HEADERS.search(value):
                # Without the value: it may be a secret.
                raise ValueError(f"{name.decode()}: must not contain line breaks or other control characters.")
        return [(name, value.encode()) for name, value in given.items()]


def address_of(url: str) -> str:
    """`url` is the address of the server or of its MCP endpoint."""
    if httpx2.URL(url).scheme not in ("http", "https"):
        raise ValueError(f"The address of a server begins with http:// or https://, not {url!r}.")
    return url.rstrip("/").removesuffix("/mcp")
