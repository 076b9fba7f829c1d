"""A program that another process runs: all of the protocol passes through the process proxy."""

import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from longtable.upstreams.client_channel import CannotAsk
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.port import UpstreamCall
from longtable.upstreams.process_proxy import ProxiedUpstream
from longtable.upstreams.requests import UpstreamRequest
from tests.gateway.hostile.entries import ROOT
from tests.gateway.protocol.sharing import shared_program


class AnsweringClient:
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
    async with shared_program(entry, tmp_path / "s") as program:
        yield program


async def test_questions_and_log_messages_pass(shared: ProxiedUpstream) -> None:
    client = AnsweringClient()

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
