"""The official inspector, as a client that other people use, in both eras of the protocol."""

import json
from pathlib import Path

import pytest

from tests.conformance.fixtures import TOOLS
from tests.conformance.node import run

pytestmark = [pytest.mark.node, pytest.mark.timeout(180)]


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

    assert "This is a simple text response for testing." in str(result["content"])


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_no_fault_with_our_own_tools(
    era: str, node_tools: Path, product_url: str, tmp_path: Path
) -> None:
    listed = inspect(node_tools, tmp_path, product_url, "--protocol-era", era, "--method", "tools/list", "--strict")

    assert isinstance(listed["tools"], list)
    assert {"add_note", "read_notes", "read_events"} <= {tool["name"] for tool in listed["tools"]}


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_pins_a_note(era: str, node_tools: Path, product_url: str, tmp_path: Path) -> None:
    call = ["--method", "tools/call", "--tool-name", "add_note", "--tool-arg", "content=by the inspector"]

    result = inspect(node_tools, tmp_path, product_url, "--protocol-era", era, *call)

    assert isinstance(result["structuredContent"], dict)
    assert result["structuredContent"]["ok"] is True
    assert not result.get("isError")
