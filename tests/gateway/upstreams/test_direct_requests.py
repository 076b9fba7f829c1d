"""Calls over HTTP go past the SDK's client. What that client makes of the same answers is what must come out."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from longtable.kernel.errors import LongtableError
from longtable.upstreams.client_channel import QuestionMethod
from longtable.upstreams.direct_requests import DirectRequests, RedirectedRequest
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall
from tests.e2e.servers import until
from tests.gateway.upstreams.conftest import Connect, text_of
from tests.gateway.upstreams.servers import Served, StartedUpstream, http_entry

pytestmark = pytest.mark.slow

TOOLS = (
    *("get_text", "get_failure", "get_picture", "get_noted", "get_more", "get_nothing", "get_wrong", "get_wrong_block"),
    *("get_error", "get_told", "get_colour", "get_resumed", "get_cut", "get_moved", "get_plain", "get_accepted"),
    *("get_no_json", "get_status", "get_refused", "get_locked"),
)


class Painter:
    """A client that can be asked."""

    log_level = "debug"

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def log(self, upstream: str, message: Mapping[str, Any]) -> None:
        self.heard.append(dict(message))

    async def ask(self, upstream: str, method: QuestionMethod, params: Mapping[str, Any]) -> dict[str, Any]:
        self.heard.append(method)
        return {"action": "accept", "content": {"colour": "red"}}

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        self.heard.append(progress)


@pytest.fixture(params=["modern", "handshake"])
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server(served: Served, revision: str) -> StartedUpstream:
    return served.start("spoken_http", revision)


async def _through_the_sdk(*arguments: Any) -> Any:
    raise RedirectedRequest


async def _outcomes(upstream: McpUpstream) -> dict[str, Any]:
    """What becomes of a call of each tool."""
    outcomes: dict[str, Any] = {}
    for tool in TOOLS:
        painter = Painter()
        try:
            call = UpstreamCall(tool, {}, progress=painter.progress, client=painter)
            result = await upstream.call(call)
            outcomes[tool] = (result.content, result.structured, result.is_error, result.meta)
        except LongtableError as error:
            outcomes[tool] = (error.code,)
    return outcomes


async def test_every_answer_comes_out_as_the_sdk_has_it(
    connect: Connect, server: StartedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = http_entry(server.address, max_concurrency=4)
    direct = await _outcomes(connect(entry))
    monkeypatch.setattr(DirectRequests, "send", _through_the_sdk)

    by_the_sdk = await _outcomes(connect(entry))

    words = {tool: [block.get("text") for block in outcome[0]] for tool, outcome in direct.items() if len(outcome) > 2}
    assert words["get_text"] == ["räd"]
    assert words["get_resumed"] == ["resumed"]
    assert words["get_moved"] == ["moved"]
    assert words["get_locked"] == ["Log in first.\nTo paint. Open https://studio.example/login"]
    assert _without_wording(direct) == _without_wording(by_the_sdk)


def _without_wording(outcomes: dict[str, Any]) -> dict[str, Any]:
    """Some failures are told in other words."""
    reworded = ("get_plain", "get_accepted", "get_no_json")
    return {
        tool: outcome[2:] if tool in reworded and len(outcome) > 2 else outcome for tool, outcome in outcomes.items()
    }


async def test_what_a_server_says_and_asks_during_a_call_reaches_the_client(
    connect: Connect, server: StartedUpstream
) -> None:
    upstream, painter = connect(http_entry(server.address)), Painter()

    for tool in ("get_told", "get_colour"):
        await upstream.call(UpstreamCall(tool, {}, progress=painter.progress, client=painter))

    said = {"level": "warning", "logger": "brush", "data": "wet"}
    assert painter.heard == [1, said, "elicitation/create"]


async def test_a_call_that_is_given_up_ends_at_the_server(
    connect: Connect, server: StartedUpstream, revision: str
) -> None:
    upstream, painter = connect(http_entry(server.address)), Painter()
    call = asyncio.create_task(upstream.call(UpstreamCall("get_slow", {}, progress=painter.progress)))
    await until(lambda: painter.heard == [1])

    call.cancel()

    expected = {"notifications/cancelled": True} if revision == "handshake" else {"slow": "ended"}
    async with httpx2.AsyncClient() as client, asyncio.timeout(40):
        while expected not in (await client.get(server.address.removesuffix("/mcp") + "/journal")).json():  # noqa: ASYNC110 - theirs
            await asyncio.sleep(0.02)
    assert text_of(await upstream.call(UpstreamCall("get_text", {}))) == "räd"
