"""Other gateways beside ours in the same rounds: FastMCP's proxy with a kept session, and mcp-proxy. Each passes the
same call on to the same upstream, for a client of revision 2025-06-18, which all of them speak."""

import http.client
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, TypeVar
from urllib.parse import urlsplit

from benchmarks.measure import Effort, Goal, Measure, median_ratio, movement
from benchmarks.processes import ROOT, Child, child, cpu_seconds_of, environment, process_tree, program
from benchmarks.rounds import MeasuredRound, Rounds

T = TypeVar("T")
GROUP = "Gateways"
GOAL = Goal(1.0)
VERSION = "2025-06-18"
TEXT = {"text": "a few words that come back"}
FASTMCP = ROOT / ".tools/fastmcp_proxy/bin/python"
MCP_PROXY = ROOT / ".tools/mcp_proxy/bin/mcp-proxy"
STARTED_WITHIN = 60.0


@dataclass
class _Gateway:
    """`pid` is of the first of its processes."""

    name: str
    address: str
    pid: int
    tool: str = "get_text"
    arguments: dict[str, Any] = field(default_factory=lambda: dict(TEXT))
    rounds: Rounds = field(default_factory=Rounds)

    def connect(self) -> None:
        parts = urlsplit(self.address)
        self._path, self._numbers = parts.path, iter(range(1, 10**9))
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 0, timeout=60)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Mcp-Protocol-Version": VERSION,
        }
        client = {"name": "benchmark", "version": "1"}
        self._send("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, count: int) -> MeasuredRound:
        taken = []
        before = sum(map(cpu_seconds_of, process_tree(self.pid)))
        for _ in range(count):
            began = time.perf_counter()
            result = self._send("tools/call", {"name": self.tool, "arguments": self.arguments})
            taken.append((time.perf_counter() - began) * 1000)
            if result.get("isError"):
                raise RuntimeError(f"{self.name}: {result}")
        used = sum(map(cpu_seconds_of, process_tree(self.pid))) - before
        return MeasuredRound.of(taken, cpu_ms=used * 1000 / count)

    def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        body = self._post({"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params})
        events = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
        answer = json.loads(events[-1] if events else body)
        result: dict[str, Any] | None = answer.get("result")
        if result is None:
            raise RuntimeError(f"{self.name}: {answer}")
        return result

    def _post(self, message: dict[str, Any]) -> bytes:
        try:
            return self._post_once(message)
        except (OSError, http.client.HTTPException):
            # Some close a connection that was idle for a few seconds, while others had their turn.
            self._connection.close()
            return self._post_once(message)

    def _post_once(self, message: dict[str, Any]) -> bytes:
        self._connection.request("POST", self._path, json.dumps(message), self._headers)
        response = self._connection.getresponse()
        session = response.getheader("mcp-session-id")
        if session is not None:
            self._headers["Mcp-Session-Id"] = session
        return response.read()


def measure_gateway_peers(folder: Path, effort: Effort) -> list[Measure]:
    folder.mkdir()
    with ExitStack() as stack:
        upstream = stack.enter_context(child(["-m", "benchmarks.serve_upstream", "http"], folder))
        url = upstream.next_line().decode().strip()
        ours = stack.enter_context(_longtable(folder, url))
        through = _Gateway("ours, HTTP", ours.address, ours.pid, "mindscape_tool_http_get_text", {"inputs": TEXT})
        stdio = _Gateway("ours, stdio", ours.address, ours.pid, "mindscape_tool_stdio_get_text", {"inputs": TEXT})
        fastmcp = stack.enter_context(_fastmcp(folder, url))
        mcp_proxy = stack.enter_context(_mcp_proxy(folder))
        _take_turns([through, fastmcp, stdio, mcp_proxy], effort)
    return [_compared("a call over HTTP", through, fastmcp), _compared("a call over stdio", stdio, mcp_proxy)]


def _take_turns(gateways: Sequence[_Gateway], effort: Effort) -> None:
    for gateway in gateways:
        _wait_until(lambda gateway=gateway: gateway.connect())  # type: ignore[misc]  # mypy cannot infer a default
        _wait_until(lambda gateway=gateway: gateway.call(1))  # type: ignore[misc]  # the same
        gateway.call(effort.calls)
    for _ in range(effort.rounds * 2):
        for gateway in gateways:
            gateway.rounds.all.append(gateway.call(effort.calls))


def _compared(name: str, ours: _Gateway, theirs: _Gateway) -> Measure:
    return Measure(
        GROUP,
        name,
        median(ours.rounds.p50),
        "ms",
        ratio=median_ratio(ours.rounds.p50, theirs.rounds.p50),
        floor=f"{theirs.name} ({median(theirs.rounds.p50):.2f} ms, {median(theirs.rounds.cpu_ms):.2f} ms CPU)",
        goal=GOAL,
        p95=median(ours.rounds.p95),
        cpu_ms=median(ours.rounds.cpu_ms),
        cpu_ratio=median_ratio(ours.rounds.cpu_ms, theirs.rounds.cpu_ms),
        moved=movement(theirs.rounds.p50),
        cpu_moved=movement(theirs.rounds.cpu_ms),
    )


@contextmanager
def _longtable(folder: Path, url: str) -> Iterator[_Gateway]:
    config = folder / "gateway.json"
    servers = {"http": {"url": url}, "stdio": {"command": sys.executable, "args": _STDIO, "env": _variables()}}
    config.write_text(json.dumps({"mcpServers": servers, "rate_limits": {"tool": "100000/s"}}))
    config.chmod(0o600)
    options = {"DATA_DIR": str(folder / "data"), "GATEWAY_CONFIG": str(config), "ENABLE_SEMANTIC_SEARCH": "false"}
    variables = {**_variables(), **{f"LONGTABLE_{name}": value for name, value in options.items()}}
    with program([sys.executable, "-m", "longtable", "serve", "--http-port", "0"], folder, variables) as server:
        yield _Gateway("ours", f"{_wait_until(lambda: _started(server))}/mcp", server.process.pid)


@contextmanager
def _fastmcp(folder: Path, url: str) -> Iterator[_Gateway]:
    port = _free_port()
    command = [str(FASTMCP), str(ROOT / "benchmarks/serve_fastmcp_proxy.py"), url, str(port)]
    with program(command, folder, {"PATH": os.environ["PATH"]}) as server:
        yield _Gateway("FastMCP 4.1 proxy, session kept", f"http://127.0.0.1:{port}/mcp", server.process.pid)


@contextmanager
def _mcp_proxy(folder: Path) -> Iterator[_Gateway]:
    port = _free_port()
    command = [str(MCP_PROXY), "--pass-environment", f"--port={port}", "--", sys.executable, *_STDIO]
    with program(command, folder, _variables()) as server:
        yield _Gateway("mcp-proxy 0.13", f"http://127.0.0.1:{port}/mcp", server.process.pid)


_STDIO = ["-m", "benchmarks.serve_upstream", "stdio"]


def _variables() -> dict[str, str]:
    return environment(os.environ)


def _started(server: Child) -> str:
    lines = server.errors.read_text().splitlines()
    started = [json.loads(line) for line in lines if '"started"' in line]
    address: str = started[0]["address"]
    return address


def _wait_until(attempt: Callable[[], T]) -> T:
    ends = time.monotonic() + STARTED_WITHIN
    while True:
        try:
            return attempt()
        except (OSError, LookupError, ValueError, RuntimeError, http.client.HTTPException):
            if time.monotonic() > ends:
                raise
        time.sleep(0.1)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
