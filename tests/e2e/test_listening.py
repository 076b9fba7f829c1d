"""Listening to real processes: every transport, the official client, and plain JSON-RPC; and how a stop ends it."""

import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.extension import ClientExtension, NotificationBinding
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning
from pydantic import BaseModel, ConfigDict

from tests.e2e.servers import Processes, Server, Stdio, environment, until
from tests.e2e.wire import modern_headers, modern_request, wire_to
from tests.listening import ENVELOPE, LEGACY, SOON

pytestmark = pytest.mark.slow
NOTES = "longtable://session/sess_one/notes"
TRANSPORTS = pytest.mark.parametrize("transport", ["http", "sse", "stdio"])


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class NotificationCollector(ClientExtension):
    """What the official client is told: our events, and the resources that changed."""

    identifier = "com.example/ear"

    def __init__(self) -> None:
        self.events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.changed: asyncio.Queue[str] = asyncio.Queue()

    def notifications(self) -> Sequence[NotificationBinding[Any]]:
        async def hear(params: Anything) -> None:
            self.events.put_nowait(params.model_dump())

        return [NotificationBinding(method="scratchpad/note_added", params_type=Anything, handler=hear)]

    async def __call__(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.changed.put_nowait(str(message.params.uri))


class Subscribed(BaseModel):
    subscription_id: str


@pytest.fixture
def server(processes: Processes, embedded: dict[str, str]) -> Server:
    return processes.serve(embedded)


async def a_session_in(server: Server) -> None:
    async with wire_to(server.address) as wire:
        await wire.calls("create_session", session_id="sess_one")


async def adds_note(server: Server, content: str) -> None:
    async with wire_to(server.address, ("X-Caller-Agent", "alice"), ("X-Session-ID", "sess_one")) as wire:
        await wire.calls("add_note", content=content)


@asynccontextmanager
async def streams_of(transport: str, server: Server, embedded: dict[str, str], folder: Path) -> AsyncIterator[Any]:
    if transport == "http":
        async with streamable_http_client(server.address + "/mcp") as streams:
            yield streams
    elif transport == "sse":
        async with sse_client(server.address + "/sse") as streams:
            yield streams
    else:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "longtable"], env=environment(embedded), cwd=folder
        )
        with (folder / "stdio.log").open("w") as log:
            async with stdio_client(command, log) as streams:
                yield streams


@asynccontextmanager
async def client_of(
    transport: str, server: Server, embedded: dict[str, str], folder: Path, mode: str
) -> AsyncIterator[tuple[Client, NotificationCollector]]:
    """An official client at the table where a session waits."""
    await a_session_in(server)
    ear = NotificationCollector()
    streams = streams_of(transport, server, embedded, folder)
    async with Client(streams, mode=mode, message_handler=ear, extensions=[ear]) as client:
        yield client, ear


def request(method: str, **params: Any) -> types.Request[Any, Any]:
    return types.Request[Any, Any](method=method, params=params)


@TRANSPORTS
async def test_the_official_client_hears_events_by_their_kind(
    server: Server, embedded: dict[str, str], tmp_path: Path, transport: str
) -> None:
    async with client_of(transport, server, embedded, tmp_path, "legacy") as (client, ear):
        wish = request("notifications/subscribe", session_id="sess_one", events=["scratchpad/*"])
        subscribed = await client.session.send_request(wish, Subscribed)
        await adds_note(server, "over there")
        event = await asyncio.wait_for(ear.events.get(), SOON)

    assert subscribed.subscription_id == "sub_1"
    assert (event["note_id"], event["actor"], event["session_id"]) == ("n1", "alice", "sess_one")
    assert server.tracebacks == []


@TRANSPORTS
async def test_the_official_client_hears_of_a_resource_it_subscribed_to(
    server: Server, embedded: dict[str, str], tmp_path: Path, transport: str
) -> None:
    async with client_of(transport, server, embedded, tmp_path, "legacy") as (client, ear):
        with pytest.warns(MCPDeprecationWarning):
            await client.subscribe_resource(NOTES)
        await adds_note(server, "over there")

        assert await asyncio.wait_for(ear.changed.get(), SOON) == NOTES


@TRANSPORTS
async def test_the_official_client_listens_in_the_current_revision(
    server: Server, embedded: dict[str, str], tmp_path: Path, transport: str
) -> None:
    async with (
        client_of(transport, server, embedded, tmp_path, "auto") as (client, _),
        client.listen(resource_subscriptions=[NOTES]) as stream,
    ):
        await adds_note(server, "over there")

        assert await asyncio.wait_for(anext(aiter(stream)), SOON) == ResourceUpdated(NOTES)


async def lines_of(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in response.aiter_lines():
        if line.startswith("data:") and line.strip() != "data:":
            yield json.loads(line.removeprefix("data:"))


@asynccontextmanager
async def watched(server: Server, **params: Any) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    headers = {name: str(value) for name, value in modern_headers("scratchpad/watch", params)}
    body = modern_request("scratchpad/watch", params)
    async with (
        httpx2.AsyncClient(base_url=server.address, timeout=SOON) as client,
        client.stream("POST", "/mcp", headers=headers, content=body) as response,
    ):
        assert response.headers["content-type"].startswith("text/event-stream")
        yield lines_of(response)


async def test_a_watch_streams_events_and_a_stop_ends_it_with_a_cursor(
    processes: Processes, embedded: dict[str, str], server: Server
) -> None:
    await a_session_in(server)
    async with watched(server, session_id="sess_one") as messages:
        assert (await anext(messages))["method"] == "scratchpad/watching"
        await adds_note(server, "heard")
        event = (await anext(messages))["params"]
        began = time.monotonic()
        server.signal(signal.SIGTERM)
        result = (await anext(messages))["result"]

    assert (await server.ends(), server.noise, server.tracebacks) == (0, [], [])
    assert time.monotonic() - began < SOON
    assert result["next_after"] == event["seq"]
    again = processes.serve(embedded)
    await adds_note(again, "after the restart")
    async with watched(again, session_id="sess_one", after=result["next_after"]) as messages:
        await anext(messages)
        assert (await anext(messages))["params"]["note_id"] == "n2"


async def test_a_watcher_that_was_killed_leaves_no_trace(server: Server) -> None:
    await a_session_in(server)
    for _ in range(12):
        async with watched(server, session_id="sess_one") as messages:
            await anext(messages)

    async with watched(server, session_id="sess_one") as messages:
        await anext(messages)
        await adds_note(server, "after a dozen")
        assert (await anext(messages))["method"] == "scratchpad/note_added"
    assert server.tracebacks == []


@asynccontextmanager
async def plain(processes: Processes, embedded: dict[str, str], modern: bool) -> AsyncIterator[Stdio]:
    stdio = processes.stdio({**embedded, "session_id": "sess_one"})
    if modern:
        stdio.listen()
        await stdio.asks("tools/list", {"_meta": ENVELOPE})
    else:
        await stdio.opens(version=LEGACY)
    yield stdio
    assert (stdio.noise, stdio.tracebacks) == ([], [])


def methods(stdio: Stdio) -> list[str]:
    return [message["method"] for message in stdio.unasked]


@pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
async def test_a_stdio_client_subscribes_by_a_notification_and_hears_another_process(
    processes: Processes, embedded: dict[str, str], server: Server, modern: bool
) -> None:
    async with plain(processes, embedded, modern) as stdio:
        meta = {"_meta": ENVELOPE} if modern else {}
        await stdio.asks("tools/call", {"name": "add_note", "arguments": {"content": "makes the session"}, **meta})
        await stdio.sends({"jsonrpc": "2.0", "method": "notifications/subscribe", "params": {"events": ["no/such"]}})
        await until(lambda: methods(stdio) == ["notifications/message"])
        await stdio.sends({"jsonrpc": "2.0", "method": "notifications/subscribe"})
        await stdio.asks("tools/call", {"name": "add_note", "arguments": {"content": "own"}, **meta})
        await adds_note(server, "foreign")
        await until(lambda: len(stdio.unasked) == 3)
        stdio.close_stdin()
        assert await stdio.ends() == 0

    assert stdio.unasked[0]["params"]["data"]["code"] == "INVALID_ARGUMENT"
    assert [message["params"]["note_id"] for message in stdio.unasked[1:]] == ["n2", "n3"]


@pytest.mark.parametrize("way", ["end of input", "signal"])
@pytest.mark.parametrize("modern", [False, True], ids=["2025-11-25", "2026-07-28"])
async def test_a_watch_on_stdio_ends_with_a_cursor_before_the_process_does(
    processes: Processes, embedded: dict[str, str], modern: bool, way: str
) -> None:
    async with plain(processes, embedded, modern) as stdio:
        meta = {"_meta": ENVELOPE} if modern else {}
        watching = asyncio.create_task(stdio.asks("scratchpad/watch", {"after": 0, **meta}))
        await until(lambda: methods(stdio) == ["scratchpad/watching", "session/created"])
        began = time.monotonic()

        if way == "signal":
            stdio.signal(signal.SIGTERM)
        else:
            stdio.close_stdin()

        answer = await asyncio.wait_for(watching, SOON)
        assert await stdio.ends() == 0
        assert time.monotonic() - began < SOON
    assert answer["result"]["next_after"] == stdio.unasked[1]["params"]["seq"]
