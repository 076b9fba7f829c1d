"""What Claude Code reads from the recipe connects as it does: its variables expanded, its handshake, its tools."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.pages import SHOWN_ADDRESS, blocks_of
from tests.e2e.servers import ROOT, Processes, Server

FOLDER = ROOT / "recipes" / "claude_code"


def expanded(value: Any, variables: Mapping[str, str]) -> Any:
    """`${NAME}` and `${NAME:-default}`, in every text of the file."""
    if isinstance(value, dict):
        return {name: expanded(part, variables) for name, part in value.items()}
    if not isinstance(value, str):
        return value
    return re.sub(r"\$\{(\w+)(?::-([^}]*))?\}", lambda found: variables.get(found[1]) or found[2] or "", value)


@asynccontextmanager
async def claude(server: Server, **variables: str) -> AsyncIterator[Client]:
    text = (FOLDER / ".mcp.json").read_text(encoding="utf-8")
    entry = expanded(json.loads(text)["mcpServers"]["longtable"], variables)
    assert entry["type"] == "http"
    url = entry["url"].replace(SHOWN_ADDRESS, server.address.removeprefix("http://"))
    async with (
        httpx2.AsyncClient(headers=entry["headers"], timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("variables", "name"), [({}, "claude"), ({"LONGTABLE_AGENT": "reviewer"}, "reviewer")], ids=["unnamed", "named"]
)
async def test_the_configuration_connects_under_the_name_of_the_environment(
    processes: Processes, embedded: Mapping[str, str], variables: Mapping[str, str], name: str
) -> None:
    server = processes.serve(embedded)

    async with claude(server, **variables) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        added = await client.call_tool("add_note", {"content": "The parser fails on empty files."})

    assert added.structured_content is not None
    assert added.structured_content["note"]["author"] == name
    habits = re.findall(r"`([a-z_]+)`", (FOLDER / "CLAUDE.md").read_text(encoding="utf-8"))
    assert set(habits) - {"longtable"} <= listed


def test_the_page_shows_the_files_that_are_tested() -> None:
    shown = {block.kind: block.text for block in blocks_of("docs/recipes/claude-code.md")}

    assert shown["json"] == (FOLDER / ".mcp.json").read_text(encoding="utf-8")
    assert shown["markdown"] == (FOLDER / "CLAUDE.md").read_text(encoding="utf-8")
