"""The table inside a chat: a page for hosts that show MCP Apps, and nothing at all for the others."""

import json
import re
from typing import Any

import pytest
from mcp import Client
from mcp.client.extension import advertise

from tests.listening import LEGACY, local, server_for
from tests.spec.test_tool_list import tokens
from tests.table import Agent, Table

URI = "ui://longtable/table"
MIME_TYPE = "text/html;profile=mcp-app"
EXTENSION = "io.modelcontextprotocol/ui"
DECLARED = {"extensions": {EXTENSION: {"mimeTypes": [MIME_TYPE]}}}
NOT_DECLARED: list[dict[str, Any]] = [
    {},
    {"extensions": {}},
    {"extensions": {EXTENSION: {}}},
    {"extensions": {EXTENSION: {"mimeTypes": ["text/html"]}}},
    {"elicitation": {}},
]
BRIEF_WITH_PAGE = {"ui": {"resourceUri": URI}}


async def answer(agent: Agent, method: str, capabilities: dict[str, Any], **params: Any) -> dict[str, Any]:
    """In the revision without a handshake, where each request declares what its client can do."""
    meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
    name = {"Mcp-Name": params["uri"]} if "uri" in params else {}
    reply = (await agent.posts(method, {**params, "_meta": meta}, **name)).json()
    assert "result" in reply, reply
    result: dict[str, Any] = reply["result"]
    return result


async def connected(agent: Agent, capabilities: dict[str, Any]) -> dict[str, str]:
    """The headers of a connection of the revision with a handshake."""
    greeting = {
        "protocolVersion": LEGACY,
        "capabilities": capabilities,
        "clientInfo": {"name": "host", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}
    headers = {"Accept": "application/json, text/event-stream"}
    reply = await agent.client.post("/mcp", json=message, headers=headers)
    return {**headers, "MCP-Protocol-Version": LEGACY, "Mcp-Session-Id": reply.headers["mcp-session-id"]}


async def tools_over_connection(agent: Agent, capabilities: dict[str, Any]) -> list[dict[str, Any]]:
    headers = await connected(agent, capabilities)
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    tools: list[dict[str, Any]] = (await agent.client.post("/mcp", json=message, headers=headers)).json()["result"][
        "tools"
    ]
    return tools


def pages_of(tools: list[dict[str, Any]]) -> dict[str, Any]:
    return {tool["name"]: tool["_meta"] for tool in tools if "_meta" in tool}


async def test_a_host_that_shows_pages_is_offered_one_with_brief(alice: Agent) -> None:
    tools = (await answer(alice, "tools/list", DECLARED))["tools"]
    resources = (await answer(alice, "resources/list", DECLARED))["resources"]

    assert pages_of(tools) == {"brief": BRIEF_WITH_PAGE}
    assert [each["mimeType"] for each in resources if each["uri"] == URI] == [MIME_TYPE]


@pytest.mark.parametrize("capabilities", NOT_DECLARED, ids=str)
async def test_another_client_sees_nothing_of_it(alice: Agent, capabilities: dict[str, Any]) -> None:
    await answer(alice, "tools/list", DECLARED)
    tools = (await answer(alice, "tools/list", capabilities))["tools"]
    resources = (await answer(alice, "resources/list", capabilities))["resources"]

    assert pages_of(tools) == {}
    assert URI not in [each["uri"] for each in resources]


async def test_with_a_handshake_it_is_what_the_client_said_then_that_counts(alice: Agent) -> None:
    for _ in range(2):  # the second time the list is encoded already
        assert pages_of(await tools_over_connection(alice, DECLARED)) == {"brief": BRIEF_WITH_PAGE}
        assert pages_of(await tools_over_connection(alice, {})) == {}


async def test_over_stdio_the_same_counts(table: Table) -> None:
    server = server_for(table.app, local("alice", await table.session("sess_one")))

    async with Client(server, mode="legacy", extensions=[advertise(EXTENSION, {"mimeTypes": [MIME_TYPE]})]) as host:
        shown = [tool.meta for tool in (await host.list_tools()).tools if tool.name == "brief"]
    async with Client(server, mode="legacy") as other:
        hidden = [tool.meta for tool in (await other.list_tools()).tools if tool.name == "brief"]

    assert shown == [BRIEF_WITH_PAGE]
    assert hidden == [None]


async def test_the_list_costs_such_a_host_a_few_tokens_and_others_none(alice: Agent) -> None:
    shown = (await answer(alice, "tools/list", DECLARED))["tools"]
    hidden = (await answer(alice, "tools/list", {}))["tools"]

    assert [{key: value for key, value in tool.items() if key != "_meta"} for tool in shown] == hidden
    assert sum(map(tokens, shown)) - sum(map(tokens, hidden)) <= 30


async def test_the_page_is_whole_names_no_other_host_and_lets_nothing_in(alice: Agent) -> None:
    contents = (await answer(alice, "resources/read", DECLARED, uri=URI))["contents"]

    [page] = contents
    assert (page["uri"], page["mimeType"]) == (URI, MIME_TYPE)
    assert page["_meta"]["ui"]["csp"] == {}
    text = page["text"]
    assert set(re.findall(r"https?://[^\"'`\s<]+", text)) == {"http://127.0.0.1:8765/"}
    assert re.findall(r"\ssrc=|<link|@import|url\(|innerHTML|insertAdjacent|eval\(", text) == []
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]


async def test_the_page_is_the_same_for_everybody_and_holds_nothing_of_a_session(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("a secret of the session")

    pages = [(await answer(agent, "resources/read", DECLARED, uri=URI))["contents"] for agent in (alice, bob)]

    assert pages[0] == pages[1]
    assert "sess_one" not in json.dumps(pages)


async def test_what_the_page_reads_does_not_count_as_told_to_the_agent(alice: Agent, bob: Agent) -> None:
    await bob.calls("add_message", content="for alice")

    for part in ("plan", "brief"):
        await answer(alice, "resources/read", DECLARED, uri=f"longtable://session/sess_one/{part}")

    assert (await alice.calls("brief"))["waiting"]["unread"] == 1
