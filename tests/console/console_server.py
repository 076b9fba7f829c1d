"""A server with its page built, and the agents that write to it while somebody looks."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser

from tests.console.chromium import ROOT, WatchedWindow, window
from tests.e2e.program import Program, at_terminal
from tests.e2e.servers import Processes, Server
from tests.table import MODERN, modern_meta

BUILT = ROOT / "src" / "longtable" / "console" / "static" / "index.html"
LINK = re.compile(r"(http://\S+/login\?link=\S+)\s")
QUIET = {"enable_semantic_search": "false", "durability": "fast"}


def need_built_page() -> None:
    if not BUILT.exists():
        pytest.skip("The console page is not built: 'make web' builds it")


@dataclass
class ConsoleServer:
    """One server. `state` is the browser's memory of a person who has signed in."""

    address: str
    browser: Browser
    state: Any

    @contextmanager
    def opens(self, path: str = "/inbox", state: Any = None, **options: Any) -> Iterator[WatchedWindow]:
        """Somebody opens a page of the console; at the end nothing has gone wrong in it and nothing has left it."""
        with window(self.browser, self.address, state or self.state, **options) as seen:
            seen.page.goto(f"/#{path}")
            yield seen
            assert seen.problems == [], seen.problems
            assert seen.left == []

    def agent(self, name: str) -> "RestAgent":
        return RestAgent(self.address, name)


@cache
def _client() -> httpx2.Client:
    """One for all agents: to read the certificates that nobody needs on this machine takes longer than a call."""
    return httpx2.Client(timeout=30, verify=False, limits=httpx2.Limits(max_keepalive_connections=0))


@dataclass(frozen=True)
class RestAgent:
    """An agent of an orchestrator that speaks REST."""

    address: str
    name: str

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        return self._ask("POST", path, json=body)

    def put(self, path: str, **body: Any) -> dict[str, Any]:
        return self._ask("PUT", path, json=body)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self._ask("GET", path, params=query)

    def calls(self, tool: str, session: str, **arguments: Any) -> dict[str, Any]:
        """A tool that has no route, over MCP."""
        meta = modern_meta()
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
            "X-Session-ID": session,
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        found: dict[str, Any] = self._ask("POST", "/mcp", json=message, more=headers)["result"]["structuredContent"]
        return found

    def _ask(self, method: str, path: str, more: dict[str, str] | None = None, **content: Any) -> dict[str, Any]:
        headers = {"X-Caller-Agent": self.name, **(more or {})}
        answer = _client().request(method, self.address + path, headers=headers, **content)
        assert answer.is_success, answer.text
        found: dict[str, Any] = answer.json()
        return found


def one_time_link(program: Program, *words: str) -> str:
    """What `longtable console` shows in a terminal."""
    with at_terminal(program, "console", *words) as terminal:
        terminal.shows("Sign in")
        assert terminal.ends() == 0
        found = LINK.search(terminal.shown)
    assert found, terminal.shown
    return found[1]


def signed_in(browser: Browser, link: str) -> Any:
    """The browser's memory after the link was opened."""
    address = link.partition("/login")[0]
    with window(browser, address) as seen:
        seen.page.goto(link)
        return seen.context.storage_state()


def link_to(server: Server, folder: Path) -> str:
    program = Program(folder)
    return one_time_link(program, "--data-dir", str(folder), "--http-port", str(server.port))


@contextmanager
def serving_console(browser: Browser, processes: Processes, folder: Path, **options: str) -> Iterator[ConsoleServer]:
    """An empty table, auth off, with its owner signed in."""
    need_built_page()
    server = processes.serve({"data_dir": str(folder), **QUIET, **options})
    yield ConsoleServer(server.address, browser, signed_in(browser, link_to(server, folder)))
