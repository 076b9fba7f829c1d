"""A gateway to libraries: servers that have all of the protocol."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import encode_header_value

from longtable.kernel.errors import LongtableError
from tests.gateway.hostile.entries import ROOT
from tests.gateway.protocol.streaming import StreamingExchanges
from tests.stores import Store, anyio_backend, login, postgres, replicated, store
from tests.table import ADDRESS, Agent, Table, open_table

__all__ = ["anyio_backend", "login", "postgres", "replicated", "store"]


def library(journal: Path, name: str = "library", revision: str = "modern", **more: Any) -> dict[str, Any]:
    """Its entry in a gateway file."""
    words = ["-m", "tests.gateway.protocol.library", name, revision, str(journal)]
    return {"command": sys.executable, "args": words, "cwd": str(ROOT), **more}


@asynccontextmanager
async def opened(
    store: Store, tmp_path: Path, servers: dict[str, Any], options: dict[str, str] | None = None, **more: Any
) -> AsyncIterator[Table]:
    """A table behind whose gateway the servers have started."""
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers, **more}))
    async with open_table(store, tmp_path, gateway_config=str(path), **(options or {})) as table:
        for instance in table.app.slices.gateway.dependencies.upstreams.instances("default"):
            with suppress(LongtableError):
                await instance.upstream.definitions()
        yield table


@pytest.fixture(params=["modern", "handshake"])
def revision(request: pytest.FixtureRequest) -> str:
    """Which the server speaks."""
    return str(request.param)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
async def table(store: Store, tmp_path: Path, journal: Path, revision: str) -> AsyncIterator[Table]:
    async with opened(store, tmp_path, {"library": library(journal, revision=revision)}) as result:
        yield result


async def asks(agent: Agent, method: str, **params: Any) -> dict[str, Any]:
    """The result of a request, or its error."""
    named = params.get("uri") or params.get("name")
    headers = {} if named is None else {"Mcp-Name": encode_header_value(named)}
    body: dict[str, Any] = (await agent.posts(method, params, **headers)).json()
    result: dict[str, Any] = body.get("result") or body["error"]
    return result


async def upstream_resources(agent: Agent) -> dict[str, dict[str, Any]]:
    listed = (await asks(agent, "resources/list"))["resources"]
    return {each["uri"]: each for each in listed if each["uri"].startswith("longtable://upstream/")}


@dataclass
class Person:
    """At a client that can be asked: what it heard, and what it answers."""

    questions: list[Any] = field(default_factory=list)
    logged: list[tuple[str, str | None, Any]] = field(default_factory=list)
    progress: list[float] = field(default_factory=list)
    answers: Callable[[Any], Awaitable[types.ElicitResult]] | None = None

    async def elicit(self, context: Any, params: Any) -> types.ElicitResult:
        self.questions.append(params)
        if self.answers is not None:
            return await self.answers(params)
        content = {"colour": "blue"} if getattr(params, "mode", "form") == "form" else None
        return types.ElicitResult(action="accept", content=content)

    async def roots(self, context: Any) -> types.ListRootsResult:
        return types.ListRootsResult(roots=[types.Root(uri="file:///home/ada", name="home")])

    async def sample(self, context: Any, params: Any) -> types.CreateMessageResult:
        self.questions.append(params)
        words = types.TextContent(text="Hi.")
        return types.CreateMessageResult(role="assistant", content=words, model="a-model")

    async def log(self, params: types.LoggingMessageNotificationParams) -> None:
        self.logged.append((params.level, params.logger, params.data))

    async def note_progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append(progress)

    @property
    def callbacks(self) -> dict[str, Any]:
        return {
            "elicitation_callback": self.elicit,
            "list_roots_callback": self.roots,
            "sampling_callback": self.sample,
        }


@pytest.fixture(params=["2026-07-28", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """The revision that the agent's client speaks."""
    return str(request.param)


@asynccontextmanager
async def client_of(
    table: Table, mode: str, app: Any = None, session: str | None = None, **options: Any
) -> AsyncIterator[Client]:
    """An agent's client of the SDK, in the process of the test."""
    transport = StreamingExchanges(app or table.http)
    headers = {"X-Caller-Agent": "alice", **({} if session is None else {"X-Session-ID": session})}
    async with httpx2.AsyncClient(transport=transport, base_url=ADDRESS, headers=headers, timeout=60) as http:
        streams = streamable_http_client(f"{ADDRESS}/mcp", http_client=http)
        async with Client(streams, mode=mode, **options) as client:
            yield client


def noted(journal: Path, what: str) -> list[Any]:
    """What a library was asked."""
    lines = [json.loads(line) for line in journal.read_text().splitlines()] if journal.exists() else []
    return [each["about"] for each in lines if each["what"] == what]


async def says(client: Client, tool: str, **more: Any) -> Any:
    """The answer of a tool of the library."""
    result = await client.call_tool(f"mindscape_tool_library_{tool}", {}, **more)
    assert isinstance(result.content[0], types.TextContent)
    text = result.content[0].text
    return json.loads(text) if text.startswith("{") else text


async def until_noted(journal: Path, what: str) -> None:
    async with asyncio.timeout(20):
        while not noted(journal, what):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
