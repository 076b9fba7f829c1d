"""The official example server shows a capable client through the gateway what it shows directly."""

import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.conformance.node import node
from tests.gateway.protocol.conftest import Person, asks, client_of, opened
from tests.gateway.upstreams.test_node_servers import free_port, packages
from tests.listening import local, piped
from tests.stores import Store

__all__ = ["free_port", "packages"]

pytestmark = [pytest.mark.node, pytest.mark.slow]

ADDRESS = "longtable://upstream/everything/"
TOOL, PROMPT = "mindscape_tool_everything_", "mindscape_prompt_everything_"
RULES = [{"match": "everything.*", "layer": "tool"}]


@pytest.fixture(params=["stdio", "streamableHttp"])
def entry(request: pytest.FixtureRequest, packages: Path, free_port: int) -> Iterator[dict[str, Any]]:
    script = str(packages / "server-everything" / "dist" / "index.js")
    if request.param == "stdio":
        yield {"command": node(), "args": [script, "stdio"]}
        return
    command = [node(), script, request.param]
    with subprocess.Popen(
        command, env={"PORT": str(free_port)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as popen:
        assert popen.stderr is not None
        assert any(str(free_port) in line for line in popen.stderr), "the server did not start"
        yield {"url": f"http://127.0.0.1:{free_port}/mcp"}
        popen.kill()


@asynccontextmanager
async def direct(entry: dict[str, Any], person: Person) -> AsyncIterator[Client]:
    if "url" in entry:
        streams: Any = streamable_http_client(entry["url"])
    else:
        streams = stdio_client(StdioServerParameters(command=entry["command"], args=entry["args"]))
    async with Client(streams, mode="legacy", **person.callbacks) as client:
        yield client


async def shown(client: Client, tool: str, prompt: str, address: str) -> dict[str, Any]:
    """All that a client sees of the server, with the names and addresses that the server has itself."""

    def plain(value: Any) -> Any:
        dumped = value.model_dump(mode="json", by_alias=True, exclude_none=True)
        return _without(dumped, address)

    person = Person()
    tools = {each.name.removeprefix(tool) for each in (await client.list_tools()).tools if each.name.startswith(tool)}
    resources = [each for each in (await client.list_resources()).resources if str(each.uri).startswith(address)]
    templates = (await client.list_resource_templates()).resource_templates
    prompts = [each for each in (await client.list_prompts()).prompts if each.name.startswith(prompt)]
    links = await client.call_tool(f"{tool}get-resource-links", _inputs(tool, count=2))
    linked = [each for each in links.content if isinstance(each, types.ResourceLink)]
    template = next(each.uri_template for each in templates if each.uri_template.startswith(f"{address}demo://"))
    completed = [
        await client.complete(types.ResourceTemplateReference(uri=template), {"name": "resourceId", "value": "1"}),
        await client.complete(
            types.PromptReference(name=f"{prompt}completable-prompt"), {"name": "department", "value": "E"}
        ),
    ]
    slow = _inputs(tool, duration=1, steps=2)
    await client.call_tool(f"{tool}trigger-long-running-operation", slow, progress_callback=person.note_progress)
    elicited = await client.call_tool(f"{tool}trigger-elicitation-request", {})
    sampled = await client.call_tool(f"{tool}trigger-sampling-request", _inputs(tool, prompt="Hi?", maxTokens=5))
    return {
        "tools": tools,
        "resources": [plain(each) for each in resources],
        "templates": [plain(each) for each in templates if each.uri_template.startswith(address)],
        "prompts": sorted((each.name.removeprefix(prompt), len(each.arguments or [])) for each in prompts),
        "prompt": plain(await client.get_prompt(f"{prompt}args-prompt", {"city": "Bath"}))["messages"],
        "read": [plain(await client.read_resource(str(each.uri)))["contents"] for each in resources[:2]],
        "linked": [_kinds(await client.read_resource(str(each.uri))) for each in linked],
        "completed": [each.completion.values for each in completed],
        "progress": person.progress,
        "elicited": _words(elicited),
        "sampled": "Hi." in _words(sampled),
    }


def _inputs(tool: str, **inputs: Any) -> dict[str, Any]:
    return {"inputs": inputs} if tool else inputs


def _without(value: Any, address: str) -> Any:
    if isinstance(value, dict):
        return {name: _without(each, address) for name, each in value.items() if name != "_meta"}
    if isinstance(value, list):
        return [_without(each, address) for each in value]
    return value.removeprefix(address) if isinstance(value, str) and address else value


def _kinds(result: types.ReadResourceResult) -> list[str]:
    """What is in it changes with the time of day."""
    return [type(each).__name__ for each in result.contents]


def _words(result: types.CallToolResult) -> str:
    return " ".join(each.text for each in result.content if isinstance(each, types.TextContent))


async def test_everything_is_shown_as_it_is_directly(store: Store, tmp_path: Path, entry: dict[str, Any]) -> None:
    servers = {"everything": {**entry, "sampling": "allow"}}

    async with direct(entry, Person()) as client:
        expected = await shown(client, "", "", "")
    async with (
        opened(store, tmp_path, servers, rules=RULES) as table,
        client_of(table, "legacy", **Person().callbacks) as client,
    ):
        through = await shown(client, TOOL, PROMPT, ADDRESS)

    assert through == expected


async def test_subscriptions_and_changed_lists_pass_through(
    store: Store, tmp_path: Path, entry: dict[str, Any]
) -> None:
    document = f"{ADDRESS}demo://resource/static/document/features.md"
    async with opened(store, tmp_path, {"everything": entry}, rules=RULES) as table:
        agent = table.agent("dan")
        async with piped(table.app, local("alice")) as pipe:
            await pipe.asks("resources/list")
            subscribed = await pipe.asks("resources/subscribe", {"uri": document})
            await asks(agent, "tools/call", name=f"{TOOL}toggle-subscriber-updates", arguments={})
            updated = (await pipe.hears())[0]
            inputs = {"name": "one.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"}
            await asks(agent, "tools/call", name=f"{TOOL}gzip-file-as-resource", arguments={"inputs": inputs})
            heard = {(await pipe.hears())[0]["method"] for _ in range(2)}

    assert (subscribed["result"], updated["params"]) == ({}, {"uri": document})
    assert "notifications/resources/list_changed" in heard
