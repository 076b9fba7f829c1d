"""Requests to an MCP server beside calls of its tools: resources, prompts and completion."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from longtable.upstreams.client_channel import ClientChannel
from longtable.upstreams.entries import McpEntry

RequestMethod = Literal[
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
]


@dataclass(frozen=True, slots=True)
class UpstreamRequest:
    """`params` as the protocol has them; `client` is that of the caller."""

    method: RequestMethod
    params: Mapping[str, Any]
    client: ClientChannel | None = None


@runtime_checkable
class McpRequests(Protocol):
    """An upstream that answers them; those of other protocols have nothing but tools."""

    @property
    def entry(self) -> McpEntry: ...

    async def request(self, request: UpstreamRequest) -> dict[str, Any]:
        """The result as the protocol has it, empty for a feature that the server does not declare. Raises NotFound for
        what it does not have, UpstreamError or UpstreamTimeout."""


MAX_ITEMS = 1_000
_MAX_PAGES = 50
_LISTED_AS: Mapping[RequestMethod, str] = {
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


async def list_items(upstream: McpRequests, method: RequestMethod) -> Sequence[dict[str, Any]]:
    """All pages, up to `MAX_ITEMS`. Raises as `request` does."""
    items: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(_MAX_PAGES):
        page = await upstream.request(UpstreamRequest(method, {} if cursor is None else {"cursor": cursor}))
        items += page.get(_LISTED_AS[method], [])
        following = page.get("nextCursor")
        if following is None or following == cursor or len(items) >= MAX_ITEMS:
            break
        cursor = following
    return items[:MAX_ITEMS]
