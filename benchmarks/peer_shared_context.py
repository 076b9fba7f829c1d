"""shared-context-server 1.1.10, started in an environment of its own, and requests as it wants them."""

import base64
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.preload import CONTENT
from benchmarks.processes import ROOT, environment, program
from benchmarks.requests import post
from benchmarks.rounds import RoundListener

PROGRAM = ROOT / ".tools/peers/bin/shared-context-server"
VERSION = "2025-06-18"
STARTED_WITHIN = 60.0


@dataclass(frozen=True)
class PeerAgent:
    """Each has a connection of its own, as agents have."""

    port: int
    headers: dict[str, str]
    token: str

    def call(self, name: str, **arguments: object) -> str:
        params = {"name": name, "arguments": {**arguments, "auth_token": self.token}}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
        return post("/mcp", self.port, body, self.headers)


@dataclass(frozen=True)
class SharedContext:
    listener: RoundListener
    agents: list[PeerAgent]
    session_id: str

    def call(self, name: str, **arguments: object) -> list[str]:
        """One request of each agent."""
        return [agent.call(name, **arguments) for agent in self.agents]

    def messages(self) -> list[str]:
        """Of each agent in turn."""
        numbers = [number for number in range(4) for _ in self.agents]
        texts = [CONTENT.format(number=number) for number in numbers]
        agents = self.agents * 4
        return [
            agent.call("add_message", session_id=self.session_id, content=text)
            for agent, text in zip(agents, texts, strict=True)
        ]


@contextmanager
def shared_context(folder: Path, agents: int) -> Iterator[SharedContext]:
    """Agents of it need an API key and a token of their own."""
    port, api_key = _free_port(), secrets.token_hex(20)
    variables = {
        name: value
        for name, value in environment(os.environ).items()
        if name not in ("CI", "GITHUB_ACTIONS", "DATABASE_URL", "PYTHONPATH")
    } | {
        "API_KEY": api_key,
        "JWT_SECRET_KEY": secrets.token_hex(20),
        "JWT_ENCRYPTION_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        "DATABASE_PATH": str(folder / "peer.db"),
        "WEBSOCKET_HOST": "127.0.0.1",
        "WEBSOCKET_PORT": str(_free_port()),
        "ENVIRONMENT": "development",
    }
    # It keeps a descriptor for each call, so it gets as many as there are.
    limits = f'ulimit -n $(ulimit -Hn); exec "{PROGRAM}" --transport http --host 127.0.0.1 --port {port} >/dev/null'
    with program(["bash", "-c", limits], folder, variables) as server:
        _await_start(port)
        team = [_sign_in(port, api_key, f"agent-{number}") for number in range(agents)]
        purpose = {"name": "create_session", "arguments": {"purpose": "speed", "auth_token": team[0].token}}
        created = _ask(port, "tools/call", purpose, team[0].headers)[0]["structuredContent"]
        yield SharedContext(RoundListener(server, port), team, created["session_id"])


def _sign_in(port: int, api_key: str, agent: str) -> PeerAgent:
    headers = {"X-API-Key": api_key, "Accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": agent, "version": "1"}}
    _, connection = _ask(port, "initialize", hello, headers)
    headers |= {"Mcp-Session-Id": connection, "MCP-Protocol-Version": VERSION}
    _post(port, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    who = {"name": "authenticate_agent", "arguments": {"agent_id": agent, "agent_type": "claude"}}
    return PeerAgent(port, headers, _ask(port, "tools/call", who, headers)[0]["structuredContent"]["token"])


def _ask(port: int, method: str, params: dict[str, Any], headers: dict[str, str]) -> tuple[dict[str, Any], str]:
    """The result of a request, and the connection that it belongs to."""
    text, session = _post(port, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers)
    return json.loads(text[text.index("data: ") + len("data: ") :].splitlines()[0])["result"], session


def _post(port: int, message: dict[str, Any], headers: dict[str, str]) -> tuple[str, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/mcp", json.dumps(message), {**headers, "Content-Type": "application/json"})
    response = connection.getresponse()
    return response.read().decode(), response.headers["mcp-session-id"] or ""


def _await_start(port: int) -> None:
    ends = time.monotonic() + STARTED_WITHIN
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
