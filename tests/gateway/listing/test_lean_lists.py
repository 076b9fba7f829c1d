"""What a list of tools costs the context of a model: hardly more than the same tools would cost directly."""

import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from longtable.upstreams.mcp_upstream import McpUpstream
from tests.e2e.servers import until
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.hostile.published import TOOLS
from tests.stores import Store
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow

MOST = 1.15
SEARCH = {"gateway_search_tools", "gateway_call"}
STATUS = "mindscape_tool_git_git_status"


@pytest.fixture
def published() -> dict[str, list[dict[str, Any]]]:
    """51 tools of six servers, as those list them."""
    found: dict[str, list[dict[str, Any]]] = json.loads(TOOLS.read_text())
    return found


@pytest.fixture
async def table(
    store: Store, tmp_path: Path, published: dict[str, Any], request: pytest.FixtureRequest
) -> AsyncIterator[Table]:
    path = tmp_path / "gateway.json"
    servers = {name: hostile_json("published", name) for name in request.param["servers"] or published}
    path.write_text(json.dumps({"mcpServers": servers}))
    options = {"gateway_config": str(path), "enable_semantic_search": "false", **request.param["options"]}
    async with open_table(store, tmp_path, **options) as table:
        yield table


def served(servers: list[str] | None = None, **options: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("table", [{"servers": servers, "options": options}], indirect=True, ids=[""])


async def listed(agent: Agent) -> dict[str, dict[str, Any]]:
    tools = (await agent.posts("tools/list", {})).json()["result"]["tools"]
    return {tool["name"]: tool for tool in tools}


def length(tools: list[dict[str, Any]]) -> int:
    return len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False))


@served(gateway_listing="full")
async def test_51_tools_take_hardly_more_room_than_directly(table: Table, published: dict[str, Any]) -> None:
    direct = [tool for tools in published.values() for tool in tools]

    ours = [tool for name, tool in (await listed(table.agent("alice"))).items() if name.startswith("mindscape_")]
    ours = [tool for tool in ours if "upstream" in tool.get("_meta", {})]

    assert (len(direct), len(ours)) == (51, 51)
    assert length(ours) <= MOST * length(direct)
    assert "_context" not in json.dumps(ours)


@served(["git"])
async def test_what_every_tool_takes_is_told_once_and_taken_all_the_same(table: Table) -> None:
    alice = table.agent("alice")
    instructions = (await alice.posts("server/discover", {})).json()["result"]["instructions"]
    context = {"original_message": "How far are we?", "conversation_id": "c1"}

    arguments = {"inputs": {"repo_path": "/a"}, "_context": context}
    result = (await alice.posts("tools/call", {"name": STATUS, "arguments": arguments})).json()["result"]

    assert all(word in instructions for word in ("`_context`", "`inputs`", "`workspace_id`", "`confirm_token`"))
    assert result["content"][0]["text"] == '{"repo_path": "/a"}'
    assert result["_meta"]["intent_id"]


@served()
async def test_more_than_40_tools_are_searched_unless_the_operator_says_otherwise(table: Table) -> None:
    alice = table.agent("alice")

    names = set(await listed(alice))
    found = await alice.calls("gateway_search_tools", query="git status")
    arguments = {"tool": STATUS, "inputs": {"repo_path": "/a"}}
    called = (await alice.posts("tools/call", {"name": "gateway_call", "arguments": arguments})).json()["result"]

    assert names >= SEARCH
    assert STATUS not in names
    assert [tool["name"] for tool in found["tools"]] == [STATUS]
    assert called["content"][0]["text"] == '{"repo_path": "/a"}'


@served(["everything", "filesystem", "git"])
async def test_up_to_40_tools_are_listed(table: Table) -> None:
    names = set(await listed(table.agent("alice")))

    assert STATUS in names
    assert not names & SEARCH


@served(["git"], gateway_listing="search")
async def test_an_operator_can_have_few_tools_searched(table: Table) -> None:
    names = set(await listed(table.agent("alice")))

    assert names >= SEARCH
    assert STATUS not in names


async def test_a_search_stays_a_search_while_an_upstream_fails(
    store: Store, tmp_path: Path, published: dict[str, Any]
) -> None:
    gone = tmp_path / "gone"
    servers = {name: hostile_json("published", name) for name in published}
    git = servers["git"]
    words = [git["command"], *git["args"]]
    servers["git"] = {**git, "command": "sh", "args": ["-c", f'[ ! -e {gone} ] && exec "$@"', "sh", *words]}
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    async with open_table(store, tmp_path, gateway_config=str(path), enable_semantic_search="false") as table:
        agent, directory = table.agent("alice"), table.app.slices.gateway.dependencies.upstreams
        for instance in directory.instances("default"):
            await instance.upstream.definitions()
        before = await listed(agent)
        gone.touch()
        found = directory.find("default", "git")
        assert found is not None
        assert isinstance(found.upstream, McpUpstream)
        assert found.upstream.child_pid is not None
        os.kill(found.upstream.child_pid, signal.SIGKILL)
        await until(lambda: found.upstream.health == "failing")

        after = await listed(agent)

    assert set(before) >= SEARCH
    assert set(after) == set(before)
