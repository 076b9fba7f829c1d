"""The official inspector, as a client that other people use, in both eras of the protocol."""

import json
from pathlib import Path

import pytest

from tests.conformance.fixtures import TOOLS
from tests.conformance.node import run

pytestmark = [pytest.mark.node, pytest.mark.timeout(180), pytest.mark.xdist_group("conformance")]


def inspect(node_tools: Path, folder: Path, url: str, *arguments: str) -> dict[str, object]:
    """What the inspector prints for one request."""
    package = node_tools / "@modelcontextprotocol" / "inspector"
    manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
    script = package / manifest["bin"]["mcp-inspector"]
    finished = run(script, ["--cli", url, "--transport", "http", *arguments], folder)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    result: dict[str, object] = json.loads(finished.stdout)
    return result


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_the_tools(era: str, node_tools: Path, server_url: str, tmp_path: Path) -> None:
    listed = inspect(node_tools, tmp_path, server_url, "--protocol-era", era, "--method", "tools/list", "--strict")

    assert isinstance(listed["tools"], list)
    assert {tool["name"] for tool in listed["tools"]} == set(TOOLS)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_calls_a_tool(era: str, node_tools: Path, server_url: str, tmp_path: Path) -> None:
    arguments = ["--protocol-era", era, "--method", "tools/call", "--tool-name", "test_simple_text"]

    result = inspect(node_tools, tmp_path, server_url, *arguments)

    assert result["content"] == [{"type": "text", "text": "This is a simple text response for testing."}]
