"""Requests to a Longtable server with nothing but the standard library, for what git or a client runs on its way and
must be quick."""

import json
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from longtable.kernel.errors import UpstreamError

_REVISION = "2026-07-28"
"""A revision of the protocol in which a call needs no handshake."""


class _NoRedirects(HTTPRedirectHandler):
    """One would take the token elsewhere."""

    def redirect_request(self, *_: Any) -> None:
        return None


def opener(host: str) -> OpenerDirector:
    """For requests to this host: no redirects, and no proxy to this machine."""
    local = urlsplit(f"//{host}").hostname in ("localhost", "127.0.0.1", "::1")
    return build_opener(_NoRedirects, *([ProxyHandler({})] if local else []))


def call_tool(url: str, headers: Mapping[str, str], tool: str, arguments: Mapping[str, Any], seconds: float) -> Any:
    """The result of a tool over MCP, at the server's address without the path. Raises UpstreamError."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": _REVISION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": dict(arguments), "_meta": meta},
    }
    protocol = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": _REVISION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    request = Request(f"{url.rstrip('/')}/mcp", json.dumps(message).encode(), {**protocol, **headers})  # noqa: S310 - callers take http and https alone
    try:
        with opener(request.host).open(request, timeout=seconds) as response:
            result = json.load(response)["result"]["structuredContent"]
    except (HTTPError, OSError, HTTPException, ValueError, KeyError, TypeError) as problem:
        raise UpstreamError(f"no Longtable server answers at {url}") from problem
    if not (isinstance(result, dict) and result.get("ok")):
        raise UpstreamError(f"{url} has refused {tool}")
    return result
