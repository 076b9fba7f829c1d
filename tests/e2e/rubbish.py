"""A server that gets what no decent client sends, and the checks that it takes no harm from it."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.e2e.servers import Server, processes_in
from tests.e2e.wire import Header, Reply, Wire, modern_headers, wire_to

SESSION = "untouched"
LIMIT = 20_000
LEGACY: list[Header] = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")]
ADD: dict[str, Any] = {"name": "add_note", "arguments": {"content": "rubbish"}}
MODERN = modern_headers("tools/call", ADD)
NEVER = ("Traceback", "site-packages", "SELECT ", "INSERT ", "/root", "sqlite", 'File "', "asyncpg")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("rubbish")
    with processes_in(folder / "work") as own:
        yield own.serve({"data_dir": str(folder / "data"), "max_request_bytes": str(LIMIT), "max_note_bytes": "30000"})


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Wire]:
    """Afterwards all is as it was, and the server has not stumbled."""
    stumbled = len(server.tracebacks)
    async with wire_to(server.address) as own:
        before = await world(server)
        yield own
    assert await world(server) == before
    assert server.tracebacks[stumbled:] == []


async def world(server: Server) -> Any:
    """Everything there is, as a well-behaved client sees it over a connection of its own."""
    async with wire_to(server.address) as wire:
        sessions = (await wire.calls("list_sessions"))["sessions"]
        if not sessions:
            await wire.calls("create_session", session_id=SESSION)
            return await world(server)
        wire.always = [("X-Session-ID", SESSION)]
        return sorted(session["session_id"] for session in sessions), (await wire.calls("read_notes"))["notes"]


def check_plain(reply: Reply) -> None:
    """No refusal tells how we are made; a failure of ours is at least in the envelope."""
    text = reply.body.decode(errors="replace")
    assert [word for word in NEVER if word in text] == []
    assert reply.status != 500 or reply.code == "INTERNAL_ERROR", text


def rpc(**fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, **fields}).encode()


async def opened(wire: Wire) -> str:
    """The id of a protocol session of an older revision."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    reply = await wire.sends("POST", "/mcp", LEGACY, rpc(method="initialize", params=client))
    known = reply.headers["mcp-session-id"]
    initialized = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'
    await wire.sends("POST", "/mcp", [*LEGACY, ("Mcp-Session-Id", known)], initialized)
    return known
