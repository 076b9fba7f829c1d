"""Clients as people have them: the official SDK in both revisions and over every transport, and curl."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the package has no types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from longtable import __version__
from tests.e2e.servers import Server, environment, processes_in
from tests.e2e.wire import modern_headers, modern_request
from tests.table import MODERN

pytestmark = pytest.mark.slow
LEGACY = "2025-11-25"
REVISIONS = {"auto": MODERN, "legacy": LEGACY}
Connect = Callable[[], AbstractAsyncContextManager[Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("clients")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    """One for all: nobody here changes anything but their own session's notes."""
    with processes_in(folder / "work") as own:
        yield own.serve({"data_dir": str(folder / "data"), "http_socket_path": str(folder / "table.sock")})


@pytest.fixture
def connections(server: Server, folder: Path) -> dict[str, Connect]:
    def over_http(path: str) -> Connect:
        return lambda: streamable_http_client(server.address + path)

    @asynccontextmanager
    async def over_unix_socket() -> AsyncIterator[Any]:
        async with bridge_to(folder / "table.sock") as address, streamable_http_client(address + "/mcp") as streams:
            yield streams

    @asynccontextmanager
    async def over_stdio() -> AsyncIterator[Any]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "longtable"],
            env=environment({"data_dir": str(folder / "data"), "project": "clients"}),
            cwd=folder,
        )
        with (folder / "stdio.log").open("a") as log:
            async with stdio_client(command, log) as streams:
                yield streams

    return {
        "mcp": over_http("/mcp"),
        "http": over_http("/http"),
        "sse": lambda: sse_client(server.address + "/sse"),
        "unix socket": over_unix_socket,
        "stdio": over_stdio,
    }


@asynccontextmanager
async def bridge_to(path: Path) -> AsyncIterator[str]:
    """A port that leads to a unix socket. The client could open one itself, but anyio's fail when something arrives
    just as their reader is cancelled."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(str(path))
        await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))

    bridge = await asyncio.start_server(join, "127.0.0.1", 0)
    async with bridge:
        yield f"http://127.0.0.1:{bridge.sockets[0].getsockname()[1]}"


TRANSPORTS = ["mcp", "http", "sse", "unix socket", "stdio"]
EVERYWHERE = pytest.mark.parametrize("transport", TRANSPORTS)
BOTH_REVISIONS = pytest.mark.parametrize("mode", REVISIONS)


@EVERYWHERE
@BOTH_REVISIONS
async def test_the_official_client_learns_who_serves_it(
    connections: dict[str, Connect], transport: str, mode: str
) -> None:
    async with Client(connections[transport](), mode=mode) as client:
        assert client.protocol_version == REVISIONS[mode]
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("longtable", __version__)
        assert client.instructions is not None


@EVERYWHERE
@BOTH_REVISIONS
async def test_the_official_client_reads_the_note_it_pinned(
    connections: dict[str, Connect], transport: str, mode: str
) -> None:
    content = f"pinned over {transport} by {mode} ✓"

    async with Client(connections[transport](), mode=mode) as client:
        added = await client.call_tool("add_note", {"content": content})
        found = await client.call_tool("read_notes", {"query": f'"{content}"'})

    assert not added.is_error
    assert added.structured_content is not None
    assert found.structured_content is not None
    note = found.structured_content["notes"][0]
    assert (note["id"], note["content"]) == (added.structured_content["note"]["id"], content)


@EVERYWHERE
@BOTH_REVISIONS
async def test_a_result_says_the_same_as_text_and_as_structure(
    connections: dict[str, Connect], transport: str, mode: str
) -> None:
    async with Client(connections[transport](), mode=mode) as client:
        for arguments in ({"content": "fine"}, {"content": ""}, {}):
            result = await client.call_tool("add_note", arguments)

            assert [block.type for block in result.content] == ["text"]
            assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]  # text


@EVERYWHERE
@BOTH_REVISIONS
async def test_an_unknown_tool_is_answered_in_the_envelope(
    connections: dict[str, Connect], transport: str, mode: str
) -> None:
    async with Client(connections[transport](), mode=mode) as client:
        result = await client.call_tool("no_such_tool", {"a": 1})

    assert result.is_error
    assert result.structured_content is not None
    assert result.structured_content["ok"] is False
    assert result.structured_content["error"]["code"] == "NOT_FOUND"


@EVERYWHERE
@BOTH_REVISIONS
async def test_two_clients_that_nobody_named_are_two_agents(
    connections: dict[str, Connect], transport: str, mode: str
) -> None:
    connect = connections[transport]
    async with Client(connect(), mode=mode) as one, Client(connect(), mode=mode) as other:
        names = [await author(client) for client in (one, other, one, other)]
        instructions = one.instructions or ""

    assert names[:2] == names[2:]
    assert len(set(names)) == 2
    assert all(re.fullmatch("mcp-[0-9a-f]{4}", name) for name in names)
    assert names[0] in instructions


@pytest.mark.parametrize("transport", ["mcp", "sse", "stdio"])
async def test_a_client_that_nobody_named_goes_by_the_name_it_gives_itself(
    connections: dict[str, Connect], transport: str
) -> None:
    own = Implementation(name="my editor", version="1")
    async with Client(connections[transport](), mode="legacy", client_info=own) as client:
        assert await author(client) == "my editor"


async def test_the_address_of_the_legacy_transport_names_the_agent_as_well(server: Server) -> None:
    async with Client(sse_client(f"{server.address}/sse?agent=Ada%20L"), mode="legacy") as client:
        assert await author(client) == "Ada L"


async def author(client: Client) -> str:
    added = await client.call_tool("add_note", {"content": "who am I?"})
    assert added.structured_content is not None
    name: str = added.structured_content["note"]["author"]
    return name


@pytest.mark.parametrize("transport", ["mcp", "sse", "stdio"])
async def test_a_session_that_a_lasting_connection_creates_is_where_its_next_calls_go(
    connections: dict[str, Connect], transport: str
) -> None:
    async with Client(connections[transport](), mode="legacy") as client:
        created = await client.call_tool("create_session", {"purpose": "apart"})
        added = await client.call_tool("add_note", {"content": "the first in here"})
        looked = await client.call_tool("get_session", {})

    assert created.structured_content is not None
    assert added.structured_content is not None
    assert looked.structured_content is not None
    assert added.structured_content["note"]["id"] == "n1"
    assert looked.structured_content["session"]["session_id"] == created.structured_content["session_id"]


@BOTH_REVISIONS
async def test_every_tool_describes_itself_to_a_model(connections: dict[str, Connect], mode: str) -> None:
    async with Client(connections["mcp"](), mode=mode) as client:
        tools = (await client.list_tools()).tools

    assert tools
    for tool in tools:
        assert tool.title, tool.name
        assert tool.description is not None, tool.name
        assert tool.description.endswith("."), tool.name
        assert tool.annotations is not None, tool.name
        hints = tool.annotations
        assert None not in (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint), tool.name
        assert tool.input_schema["type"] == "object", tool.name
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)


async def test_every_transport_lists_the_same_tools(connections: dict[str, Connect]) -> None:
    listed = []
    for transport in TRANSPORTS:
        for mode in REVISIONS:
            async with Client(connections[transport](), mode=mode) as client:
                listed.append([tool.model_dump() for tool in (await client.list_tools()).tools])

    assert all(tools == listed[0] for tools in listed)


# Calls that succeed, in this order.
GOOD_CALLS: dict[str, dict[str, Any]] = {
    "create_session": {"session_id": "schema_check", "purpose": "to look at results", "metadata": {"a": [1, None]}},
    "join_session": {"session_id": "schema_check"},
    "add_note": {"content": "a note", "tags": ["a"], "source": "here"},
    "read_notes": {"query": "note"},
    "read_events": {},
    "get_session": {},
    "list_sessions": {},
    "close_session": {"session_id": "schema_check"},
}


async def test_the_output_schema_of_every_tool_holds_for_its_results_and_its_failures(
    connections: dict[str, Connect],
) -> None:
    async with Client(connections["mcp"](), mode="legacy") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, tool in tools.items():
            result = await client.session.call_tool(name, {"no_such_argument": 1})

            assert result.is_error, result
            jsonschema.validate(result.structured_content, tool.output_schema, jsonschema.Draft202012Validator)
        for name, arguments in GOOD_CALLS.items():
            result = await client.session.call_tool(name, arguments)

            assert not result.is_error, result
            jsonschema.validate(result.structured_content, tools[name].output_schema, jsonschema.Draft202012Validator)


def curl(server: Server, path: str, body: bytes, headers: list[str]) -> tuple[dict[str, str], Any]:
    """The headers and the JSON of the answer."""
    given = [word for header in headers for word in ("-H", header)]
    finished = subprocess.run(
        ["curl", "-sS", "--fail-with-body", "-i", "-X", "POST", *given, "--data-binary", "@-", server.address + path],
        input=body,
        capture_output=True,
        timeout=30,
        check=True,
    )
    head, _, answer = finished.stdout.decode().partition("\r\n\r\n")
    lines = (line.partition(": ") for line in head.split("\r\n")[1:])
    return {name.lower(): value for name, _, value in lines}, json.loads(answer or "null")


@pytest.mark.parametrize("path", ["/mcp", "/http"])
def test_curl_calls_a_tool_of_the_current_revision_in_one_request(server: Server, path: str) -> None:
    params = {"name": "add_note", "arguments": {"content": "by curl"}}
    headers = [f"{name}: {value!s}" for name, value in modern_headers("tools/call", params)]

    answered, message = curl(server, path, modern_request("tools/call", params), headers)

    assert answered["content-type"] == "application/json"
    assert "mcp-session-id" not in answered
    assert message["result"]["isError"] is False
    assert message["result"]["structuredContent"]["ok"] is True


@pytest.mark.parametrize("version", [LEGACY, "2025-06-18", "2025-03-26"])
def test_curl_shakes_hands_in_the_older_revisions_and_then_calls_a_tool(server: Server, version: str) -> None:
    plain = ["Content-Type: application/json", "Accept: application/json, text/event-stream"]
    client = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "curl", "version": "8"}}

    opened, hello = curl(server, "/mcp", rpc(1, "initialize", client), plain)
    known = [*plain, f"Mcp-Session-Id: {opened['mcp-session-id']}", f"MCP-Protocol-Version: {version}"]
    curl(server, "/mcp", rpc(None, "notifications/initialized", {}), known)
    call = {"name": "add_note", "arguments": {"content": "by curl"}}
    _, message = curl(server, "/mcp", rpc(2, "tools/call", call), known)

    assert hello["result"]["protocolVersion"] == version
    assert hello["result"]["serverInfo"]["name"] == "longtable"
    assert message["result"]["structuredContent"]["note"]["author"] == "curl"


def rpc(number: int | None, method: str, params: dict[str, Any]) -> bytes:
    identified = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **identified, "method": method, "params": params}).encode()
