"""A gateway to libraries: servers that have all of the protocol."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.inbound import encode_header_value

from longtable.kernel.errors import LongtableError
from tests.gateway.hostile.entries import ROOT
from tests.stores import Store, anyio_backend, login, postgres, replicated, store
from tests.table import Agent, Table, laid

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
    async with laid(store, tmp_path, gateway_config=str(path), **(options or {})) as table:
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
