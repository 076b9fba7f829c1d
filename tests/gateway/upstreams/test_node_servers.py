"""Servers that other people wrote, as they are published: the official examples, over stdio and HTTP."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from longtable.upstreams.entries import StdioEntry
from tests.conformance.node import ROOT, node
from tests.gateway.upstreams.conftest import Connect, call, text_of
from tests.gateway.upstreams.servers import http_entry

pytestmark = [pytest.mark.node, pytest.mark.slow]

PACKAGES = ROOT / ".tools" / "gateway" / "node_modules" / "@modelcontextprotocol"


@pytest.fixture(scope="session")
def packages() -> Path:
    if not (PACKAGES.parents[1] / ".installed").exists():
        pytest.skip("the servers are not installed: run `make node-tools`")
    return PACKAGES


def entry(packages: Path, name: str, *words: str, **env: str) -> StdioEntry:
    script = packages / f"server-{name}" / "dist" / "index.js"
    return StdioEntry(name=name, pack=name, command=node(), args=(str(script), *words), env=env)


async def test_files_are_read_and_written(connect: Connect, packages: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    upstream = connect(entry(packages, "filesystem", str(tmp_path)))

    names = {each.remote for each in await upstream.definitions()}
    read = await call(upstream, "read_text_file", path=str(tmp_path / "a.txt"))
    written = await call(upstream, "write_file", path=str(tmp_path / "b.txt"), content="there")
    outside = await call(upstream, "read_text_file", path="/etc/hostname")

    assert {"read_text_file", "write_file", "list_directory"} <= names
    assert (text_of(read), written.is_error, (tmp_path / "b.txt").read_text()) == ("hello", False, "there")
    assert outside.is_error


async def test_a_graph_is_remembered(connect: Connect, packages: Path, tmp_path: Path) -> None:
    upstream = connect(entry(packages, "memory", MEMORY_FILE_PATH=str(tmp_path / "memory.jsonl")))

    await call(
        upstream, "create_entities", entities=[{"name": "ada", "entityType": "person", "observations": ["tall"]}]
    )
    found = await call(upstream, "search_nodes", query="ada")

    assert "tall" in text_of(found)


async def test_everything_passes_through(connect: Connect, packages: Path) -> None:
    upstream = connect(entry(packages, "everything", "stdio"))

    names = {each.remote for each in await upstream.definitions()}
    echoed, pictured = await asyncio.gather(call(upstream, "echo", message="hi"), call(upstream, "get-tiny-image"))

    assert "echo" in names
    assert text_of(echoed) == "Echo: hi"
    assert "image" in [block["type"] for block in pictured.content]


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


@pytest.fixture(params=["streamableHttp", "sse"])
def everything_address(request: pytest.FixtureRequest, packages: Path, free_port: int) -> Iterator[str]:
    script = packages / "server-everything" / "dist" / "index.js"
    command = [node(), str(script), request.param]
    with subprocess.Popen(
        command, env={"PORT": str(free_port)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as popen:
        assert popen.stderr is not None
        assert any(str(free_port) in line for line in popen.stderr), "the server did not start"
        yield f"http://127.0.0.1:{free_port}/{'sse' if request.param == 'sse' else 'mcp'}"
        popen.kill()


async def test_everything_passes_through_over_http(connect: Connect, everything_address: str) -> None:
    upstream = connect(http_entry(everything_address))

    answers = await asyncio.gather(*(call(upstream, "echo", message=str(number)) for number in range(10)))

    assert [text_of(result) for result in answers] == [f"Echo: {number}" for number in range(10)]
