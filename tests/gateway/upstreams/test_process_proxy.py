"""An upstream in another process, where the server that runs it misbehaves."""

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import pytest

from longtable.governance.model import ToolDefinition, ToolIdentity
from longtable.kernel.errors import UpstreamTimeout
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import ResourceLimits, StdioEntry
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall
from longtable.upstreams.process_proxy import ProcessProxy, ProxiedUpstream


def proxied(proxy: ProcessProxy, *, start_seconds: float = 60) -> ProxiedUpstream:
    entry = StdioEntry("calm", "calm", limits=ResourceLimits(timeout=0.1), command="no-such-program-anywhere")
    instance = InstanceKey(entry.name)
    return ProxiedUpstream(McpUpstream(entry), entry, proxy, instance, start_seconds=start_seconds)


async def test_a_server_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longtable.upstreams.process_proxy._GRACE_SECONDS", 0.1)

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    silent = await asyncio.start_unix_server(say_nothing, tmp_path / "s")
    proxy = ProcessProxy(tmp_path / "s")
    upstream = proxied(proxy, start_seconds=0.1)

    with pytest.raises(UpstreamTimeout):
        await asyncio.wait_for(upstream.definitions(), 40)

    await upstream.close()
    await proxy.close()
    silent.close()
    await silent.wait_closed()


async def test_one_who_no_longer_listens_does_not_end_the_calls_of_others(tmp_path: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        required = json.loads(await reader.readline())
        result = {"content": [{"type": "text", "text": "done"}]}
        for response in ({"progress": [1, 2, "half"]}, {"result": result, "health": "ready", "problem": None}):
            writer.write(json.dumps({"id": required["id"], **response}).encode() + b"\n")
        await reader.read()
        writer.close()

    async def gone(progress: float, total: float | None, message: str | None) -> None:
        raise RuntimeError("nobody listens")

    server = await asyncio.start_unix_server(serve, tmp_path / "s")
    proxy = ProcessProxy(tmp_path / "s")
    upstream = proxied(proxy)

    result = await asyncio.wait_for(upstream.call(UpstreamCall("steps", {}, progress=gone)), 40)

    assert result.content == [{"type": "text", "text": "done"}]
    await upstream.close()
    await proxy.close()
    server.close()
    await server.wait_closed()


async def test_a_default_that_becomes_false_instead_of_0_is_another_definition(tmp_path: Path) -> None:
    defaults = iter([0, False])

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            schema = {"type": "object", "properties": {"wait": {"default": next(defaults)}}}
            tool = ToolDefinition("calm", ToolIdentity("calm", "echo"), "echo", input_schema=schema)
            listed = {"result": [asdict(tool)], "withheld": [], "tag": "", "reports_changes": False}
            reply = {"id": json.loads(line)["id"], **listed, "health": "ready", "problem": None}
            writer.write(json.dumps(reply).encode() + b"\n")
        writer.close()

    server = await asyncio.start_unix_server(serve, tmp_path / "s")
    proxy = ProcessProxy(tmp_path / "s")
    upstream = proxied(proxy)

    (before,), (after,) = await upstream.definitions(), await upstream.definitions()

    assert before.digest != after.digest
    assert json.dumps(after.input_schema["properties"]) == '{"wait": {"default": false}}'
    await upstream.close()
    await proxy.close()
    server.close()
    await server.wait_closed()
