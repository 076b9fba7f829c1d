"""Agents whose framework says nothing but its own default name: each has a name of its own, and may choose a better."""

import re
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from longtable.identity.unnamed_agents import DEFAULT_CLIENT_NAMES
from longtable.kernel.caller import Role
from longtable.kernel.names import folded
from tests.listening import connected
from tests.spec.test_connections import calls, through
from tests.spec.test_identity import token
from tests.spec.test_resources import BOTH_REVISIONS
from tests.sse import StreamingTransport
from tests.stores import Store
from tests.table import ADDRESS, Table, open_table

MADE_UP = re.compile(r"mcp-[0-9a-f]{4}")
FORGED = ["human:eve", "\u210duman:eve", "a\u202eb"]


@asynccontextmanager
async def framework(
    table: Table, mode: str, query: str = "", client_name: str | None = None, **headers: str
) -> AsyncIterator[Client]:
    """A client as a framework opens it: with the default name of the SDK, unless it is given another."""
    info = client_name and Implementation(name=client_name, version="1")
    async with httpx2.AsyncClient(transport=StreamingTransport(table.http), headers=headers) as http:
        streams = streamable_http_client(f"{ADDRESS}/mcp{query}", http_client=http)
        async with Client(streams, mode=mode, client_info=info or None) as client:
            yield client


async def result(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    outcome = await client.call_tool(tool, arguments)
    assert not outcome.is_error, outcome
    content: dict[str, Any] = outcome.structured_content
    return content


async def name_of(client: Client) -> str:
    name: str = (await result(client, "brief"))["you"]
    return name


@BOTH_REVISIONS
async def test_two_clients_with_the_default_name_are_two_agents_with_separate_inboxes(table: Table, mode: str) -> None:
    session = {"X-Session-ID": await table.session()}
    async with framework(table, mode, **session) as one, framework(table, mode, **session) as other:
        names = [await name_of(one), await name_of(other)]
        await result(one, "add_message", content="to myself", visibility="private")
        said = await result(one, "add_message", content="to all")
        heard = await result(other, "add_note", content="I am new here.")
        again = [await name_of(one), await name_of(other)]
        read = (await result(other, "get_messages"))["messages"]

    assert names == again
    assert len(set(names)) == 2
    assert all(MADE_UP.fullmatch(name) for name in names)
    assert "inbox" not in said
    assert heard["inbox"]["messages"] == 1
    assert [(message["sender"], message["content"]) for message in read] == [(names[0], "to all")]


@BOTH_REVISIONS
async def test_a_made_up_name_is_none_that_was_used_before(
    table: Table, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await table.session()
    await table.agent("MCP-aaaa", session).calls("brief")
    drawn, token_hex = iter(["aaaa", "aaaa", "bbbb"]), secrets.token_hex

    def draw(size: int | None = None) -> str:
        first = next(drawn, None) if size == 16 else None
        return token_hex(size) if first is None else first + token_hex(14)

    monkeypatch.setattr(secrets, "token_hex", draw)
    async with framework(table, mode, **{"X-Session-ID": session}) as client:
        assert await name_of(client) == "mcp-bbbb"


@BOTH_REVISIONS
async def test_who_has_a_made_up_name_is_told_how_to_choose_one(table: Table, mode: str) -> None:
    async with framework(table, mode) as client:
        brief = await result(client, "brief")
        instructions = client.instructions or ""

    assert brief["name_advice"] == (
        f"You are {brief['you']}; to choose a name, connect with ?agent=NAME or X-Caller-Agent."
    )
    assert instructions.endswith(brief["name_advice"])
    assert len(instructions.split()) <= 120


@BOTH_REVISIONS
async def test_who_has_a_name_is_told_nothing_about_names(table: Table, mode: str) -> None:
    async with framework(table, mode, client_name="claude-code") as client:
        brief = await result(client, "brief")
        instructions = client.instructions or ""

    assert (brief["you"], brief.get("name_advice")) == ("claude-code", None)
    assert "?agent=" not in instructions


@BOTH_REVISIONS
@pytest.mark.parametrize("client_name", ["MCP", "Anthropic", "mcp-client", "mcp (via mcp-remote 0.1.29)"])
async def test_no_default_name_is_taken_for_an_agents(table: Table, mode: str, client_name: str) -> None:
    async with framework(table, mode, client_name=client_name) as client:
        name = await name_of(client)

    assert re.fullmatch(re.escape(client_name.partition(" (")[0]) + "-[0-9a-f]{4}", name)


@BOTH_REVISIONS
@pytest.mark.parametrize("query", ["?agent=R%C3%A9viseur%202", "?x=1&agent=R%C3%A9viseur+2"])
async def test_an_address_names_the_agent(table: Table, mode: str, query: str) -> None:
    async with framework(table, mode, query) as client:
        assert await name_of(client) == "R\u00e9viseur 2"
        assert "?agent=" not in (client.instructions or "")


@BOTH_REVISIONS
async def test_header_and_address_may_say_the_same(table: Table, mode: str) -> None:
    async with framework(table, mode, "?agent=Ada", **{"X-Caller-Agent": "ADA"}) as client:
        assert folded(await name_of(client)) == "ada"


async def refused(table: Table, query: str, secret: str | None = None) -> tuple[int, str]:
    """How a call at this address is refused."""
    client = table.agent(token=secret).client
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream"}
    answer = await client.post(f"/mcp{query}", json=message, headers=headers)
    return answer.status_code, answer.json()["error"]["data"]["code"]


async def test_header_and_address_that_differ_are_refused(table: Table) -> None:
    client = table.agent("ada").client
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}

    answer = await client.post("/mcp?agent=bob", json=message, headers={"Accept": "application/json"})

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["data"]["code"] == "INVALID_ARGUMENT"
    assert "X-Caller-Agent" in error["message"]
    assert "agent" in error["message"]


async def test_an_address_is_checked_like_the_header(table: Table) -> None:
    expected = {
        f"?agent={FORGED[0]}": (403, "FORBIDDEN"),
        f"?agent={FORGED[1]}": (403, "FORBIDDEN"),
        f"?agent={FORGED[2]}": (400, "INVALID_ARGUMENT"),
        f"?agent={'x' * 101}": (400, "INVALID_ARGUMENT"),
        "?agent=": (400, "INVALID_ARGUMENT"),
        "?agent=%FF": (400, "INVALID_ARGUMENT"),
        "?agent=a&agent=b": (400, "INVALID_ARGUMENT"),
    }

    assert {query: await refused(table, query) for query in expected} == expected


async def test_an_address_never_says_more_than_the_credential_allows(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    fixed = await token(company, "acme", Role.AGENT, agent="ada", session_id="sess_acme")
    reader = await token(company, "acme", Role.READER, name="auditor")

    assert await refused(company, "?agent=bob", fixed) == (403, "IDENTITY_MISMATCH")
    assert await refused(company, "?agent=bob", reader) == (403, "IDENTITY_MISMATCH")


@BOTH_REVISIONS
async def test_with_auth_on_a_credential_that_speaks_for_agents_names_them_in_the_address(
    company: Table, mode: str
) -> None:
    boss = {"Authorization": "Bearer acme-secret", "X-Session-ID": "sess_acme"}
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")

    async with AsyncExitStack() as stack:
        queries = ("?agent=ada", "?agent=bob", "")
        clients = [await stack.enter_async_context(framework(company, mode, query, **boss)) for query in queries]
        names = [await name_of(client) for client in clients]

    assert names == ["ada", "bob", "acme"]


async def test_a_made_up_name_stays_with_its_connection_in_every_process(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        clients = [await connected(table.http, client_name="mcp") for _ in range(2)]
        names = [(await calls(client, "brief"))["you"] for client in clients]

    async with open_table(store, tmp_path) as table:
        again = [(await calls(through(client, table), "brief"))["you"] for client in clients]

    assert names == again
    assert len(set(names)) == 2


async def test_a_stateless_client_that_keeps_no_cookie_still_has_one_name(table: Table) -> None:
    bare = [table.agent(), table.agent()]
    for agent in bare:
        agent.client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    meta = {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": "mcp", "version": "1"}}}

    async def name(agent: Any) -> str:
        await agent.posts("server/discover", meta)
        answer = await agent.posts("tools/call", {"name": "brief", "arguments": {}, **meta})
        you: str = answer.json()["result"]["structuredContent"]["you"]
        return you

    names = {await name(agent) for agent in bare * 2}

    assert len(names) == 1
    assert MADE_UP.fullmatch(names.pop())


def test_default_names_are_kept_folded() -> None:
    assert {folded(name) for name in DEFAULT_CLIENT_NAMES} == DEFAULT_CLIENT_NAMES
