"""Requests as they go over the wire: stateless JSON of revision 2026-07-28."""

import json
from collections.abc import Mapping

from benchmarks.preload import CONTENT

VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
}


def post(path: str, port: int, body: str, headers: Mapping[str, str]) -> str:
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body.encode())}", "", body]
    return "\r\n".join(lines)


def tool_call(
    port: int, name: str, arguments: Mapping[str, object] | None = None, in_session: str | None = None
) -> str:
    params = {"name": name, "arguments": arguments or {}, "_meta": _META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": name,
        **({"X-Session-ID": in_session} if in_session else {}),
    }
    return post("/mcp", port, body, headers)


def writes(port: int) -> list[str]:
    return [
        tool_call(port, "add_note", {"content": CONTENT.format(number=number), "tags": ["importer", "speed"]})
        for number in range(64)
    ]


def messages(port: int) -> list[str]:
    return [tool_call(port, "add_message", {"content": CONTENT.format(number=number)}) for number in range(64)]
