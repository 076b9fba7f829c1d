"""A program that another process runs: all of the protocol passes through the process proxy."""

import json
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from longtable.upstreams.client_channel import CannotAsk
from longtable.upstreams.directory import InstanceKey
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import Upstream, UpstreamCall
from longtable.upstreams.process_proxy import ForbiddenProgram, ProcessProxy, ProxiedUpstream
from longtable.upstreams.process_proxy_server import ProcessProxyServer, ProgramOffer
from longtable.upstreams.requests import UpstreamRequest
from tests.gateway.hostile.entries import ROOT


class OneProgram:
    """All that this host runs."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    def find(self, key: str, instance: InstanceKey) -> Any:
        return nullcontext(self._upstream)

    def accept(self, key: str, offer: ProgramOffer) -> bool:
        return True

    async def end(self, key: str) -> None:
        """It ends with the test."""


class Listener:
    """A client that answers every question but one about roots."""

    log_level = "debug"

    def __init__(self) -> None:
        self.logged: list[tuple[str, Any]] = []

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        self.logged.append((upstream, message["data"]))

    async def ask(self, upstream: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        if method == "roots/list":
            raise CannotAsk("It has none.")
        return {"action": "accept", "content": {"colour": f"{upstream} blue"}}


@pytest.fixture
async def shared(tmp_path: Path, journal: Path, revision: str) -> AsyncIterator[ProxiedUpstream]:
    words = ("-m", "tests.gateway.protocol.library", "library", revision, str(journal))
    entry = StdioEntry("library", "library", command=sys.executable, args=words, cwd=str(ROOT))
    program, proxy = McpUpstream(entry), ProcessProxy(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        async with ProcessProxyServer(OneProgram(program)).serving(listener):
            yield ProxiedUpstream(ForbiddenProgram("library"), entry, proxy, InstanceKey("library"))
            await proxy.close()
    await program.close()


async def test_questions_and_log_messages_pass(shared: ProxiedUpstream) -> None:
    client = Listener()

    results = [
        await shared.call(UpstreamCall(tool, {}, client=client)) for tool in ("get_told", "get_colour", "get_roots")
    ]

    told, colour, roots = [str(each.content[0]["text"]) for each in results]
    assert (told, json.loads(colour)["content"]) == ("told", {"colour": "library blue"})
    assert json.loads(roots)["_meta"] == {"longtable/reason": "It has none."}
    assert client.logged == [("library", "debug!"), ("library", "warning!")]


async def test_resources_and_prompts_pass(shared: ProxiedUpstream) -> None:
    read = await shared.request(UpstreamRequest("resources/read", {"uri": "book://shelf/7"}))
    listed = await shared.request(UpstreamRequest("prompts/list", {}))

    assert read["contents"][0]["text"] == "library has book://shelf/7"
    assert [each["name"] for each in listed["prompts"]] == ["review"]
