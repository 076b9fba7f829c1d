"""The log of a server: what it says of cells, and what it never says."""

import json

import httpx2
import pytest

from tests.e2e.servers import Processes
from tests.e2e.wire import wire_to

pytestmark = pytest.mark.slow

SECRET = "a word that no log has"


async def test_cells_found_invalid_leave_a_line_without_their_content(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve({**embedded, "log_level": "info"})
    cell = {"language": "json", "content": f'{{"a": 1,\n {SECRET}}}', "validate": True}

    async with wire_to(server.address) as wire:
        await wire.calls("scratch_create", scratch_id="p", cells=[cell, {"language": "json", "content": "{}"}])
    line = server.event("cells_invalid")

    fields = {name: line[name] for name in ("code", "tenant", "checked", "invalid", "languages")}
    assert fields == {
        "code": "VALIDATION_ERROR",
        "tenant": "default",
        "checked": 1,
        "invalid": 1,
        "languages": ["json"],
    }
    assert SECRET not in json.dumps(server.lines)


async def test_what_is_no_message_leaves_a_line_like_all_others_without_its_content(
    processes: Processes, embedded: dict[str, str]
) -> None:
    server = processes.serve(embedded)

    async with (
        httpx2.AsyncClient(base_url=server.address) as client,
        client.stream("GET", "/sse", headers={"Accept": "text/event-stream"}) as stream,
    ):
        address = await anext(line[5:].strip() async for line in stream.aiter_lines() if line.startswith("data:"))
        refused = await client.post(address, content=SECRET, headers={"Content-Type": "application/json"})
    line = server.event("library_message")

    assert refused.status_code == 400
    assert (line["library"], line["error"]) == ("mcp.server.sse", "ValidationError")
    assert server.noise == []
    assert SECRET not in json.dumps(server.lines)


async def test_a_line_of_standard_input_that_is_no_message_is_answered(
    processes: Processes, embedded: dict[str, str]
) -> None:
    stdio = processes.stdio(embedded)
    await stdio.opens()

    for line in (f"{SECRET}\n", "\n", "[]\n"):
        await stdio.writes(line.encode())
    await stdio.asks("ping", {})

    refusals = [(each["id"], each["error"]["code"]) for each in stdio.unasked]
    assert refusals == [(None, -32700), (None, -32600)]
    assert SECRET not in json.dumps(stdio.lines)


@pytest.mark.parametrize("odd", ["1.5", "null", "true", "[1]", "{}"])
async def test_a_request_whose_id_is_none_is_answered_over_standard_input(
    processes: Processes, embedded: dict[str, str], odd: str
) -> None:
    stdio = processes.stdio(embedded)
    await stdio.opens()

    for line in (f'{{"jsonrpc": "2.0", "id": {odd}, "method": "ping"}}', '{"jsonrpc": "2.0", "method": "ping"}'):
        await stdio.writes(f"{line}\n".encode())
    await stdio.asks("ping", {})

    assert [(each["id"], each["error"]["code"]) for each in stdio.unasked] == [(None, -32600)]


@pytest.mark.parametrize("odd", ["1.5", "null", "true", "[1]", "{}"])
async def test_a_request_whose_id_is_none_is_refused_over_the_older_transport(
    processes: Processes, embedded: dict[str, str], odd: str
) -> None:
    server = processes.serve(embedded)
    body = f'{{"jsonrpc": "2.0", "id": {odd}, "method": "ping"}}'

    async with (
        httpx2.AsyncClient(base_url=server.address) as client,
        client.stream("GET", "/sse", headers={"Accept": "text/event-stream"}) as stream,
    ):
        address = await anext(line[5:].strip() async for line in stream.aiter_lines() if line.startswith("data:"))
        refused = await client.post(address, content=body, headers={"Content-Type": "application/json"})

    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32600)
