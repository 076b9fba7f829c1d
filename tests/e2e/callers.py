"""Agents that hold their socket themselves, so that they can break off at any point of a call."""

import json
import re
import socket
import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tests.e2e.servers import Server
from tests.e2e.wire import modern_headers, modern_request

HANDSHAKE = "2025-11-25"


class SocketAgent:
    """An agent that holds its socket itself, so that it can break off at any point. It speaks the current revision,
    or one with a handshake, whose connection outlives the socket."""

    def __init__(self, server: Server, session: str | None = None, *, handshake: bool = False) -> None:
        self.server = server
        self.headers = {"X-Caller-Agent": "bob"} | ({"X-Session-ID": session} if session else {})
        self.handshake = handshake
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        if handshake:
            self._opens()

    def again(self) -> "SocketAgent":
        """The same agent over another socket."""
        one = SocketAgent(self.server)
        one.headers, one.handshake = self.headers, self.handshake
        return one

    def sends(self, tool: str, **arguments: Any) -> None:
        params = {"name": tool, "arguments": arguments}
        if self.handshake:
            self._posts({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})
        else:
            self._posts(json.loads(modern_request("tools/call", params)), dict(modern_headers("tools/call", params)))

    def _opens(self) -> None:
        asked = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "caller", "version": "1"}}
        self._posts({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked})
        head = self.sees_answer().partition(b"\r\n\r\n")[0].decode()
        self.reads()
        found = re.search(r"(?i)mcp-session-id: (\S+)", head)
        assert found is not None
        self.headers |= {"Mcp-Session-Id": found[1], "MCP-Protocol-Version": HANDSHAKE}

    def _posts(self, message: dict[str, Any], headers: Mapping[str, Any] = MappingProxyType({})) -> None:
        body = json.dumps(message).encode()
        plain = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sized = {"Host": f"127.0.0.1:{self.server.port}", "Content-Length": str(len(body))}
        given = {**plain, **sized, **headers, **self.headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        self.socket.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)

    def sees_answer(self) -> bytes:
        """Waits until the whole answer is there, and leaves it unread."""
        seen = b""
        while not _is_whole(seen):
            seen = self.socket.recv(2**20, socket.MSG_PEEK)
        return seen

    def reads(self) -> dict[str, Any]:
        answer = self.sees_answer()
        self.socket.recv(len(answer))
        message: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
        body: dict[str, Any] = message["result"].get("structuredContent", {})
        return body

    def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        self.sends(tool, **arguments)
        return self.reads()

    def breaks_off(self) -> None:
        """As a client that is killed, or cut off, does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def hangs_up(self) -> None:
        """As a client that is done, or tired of waiting, does."""
        self.socket.close()


def _is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return bool(end) and length is not None and len(body) >= int(length[1])
