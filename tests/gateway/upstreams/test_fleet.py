"""Many upstreams together: whatever one of them does, the others are listed and answer as fast as before."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from longtable.upstreams.config import load_gateway_file
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.fleet import Fleet, build_fleet
from longtable.upstreams.mcp_upstream import McpUpstream
from longtable.upstreams.port import UpstreamCall
from tests.gateway.hostile.entries import hostile, hostile_json
from tests.gateway.upstreams.conftest import children, text_of

Gather = Callable[..., Fleet]

FAULTS: dict[str, tuple[str, *tuple[object, ...]]] = {
    "hangs at its start": ("slow", 60, 0, 0),
    "hangs in its list": ("slow", 0, 60, 0),
    "crashes at its start": ("crashing", "start"),
    "crashes in its list": ("crashing", "list"),
    "is no program": ("no_such_module",),
    "has ten thousand tools": ("many_tools", 10_000, 0),
}


@pytest.fixture
async def gather() -> AsyncIterator[Gather]:
    fleets: list[Fleet] = []

    def make(*entries: McpEntry, patience: float = 2.0) -> Fleet:
        fleets.append(Fleet([McpUpstream(entry) for entry in entries], patience=patience))
        return fleets[-1]

    before = children()
    yield make
    for fleet in fleets:
        await fleet.close()
    assert children() <= before


async def echo(fleet: Fleet, text: str) -> str:
    return text_of(await fleet.upstreams["calm"].call(UpstreamCall("echo", {"text": text})))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_neighbour_that_fails_takes_only_its_own_tools_away(gather: Gather, fault: str) -> None:
    fleet = gather(hostile("calm"), hostile(*FAULTS[fault], name="bad"))
    await fleet.definitions()
    started = time.monotonic()

    listed = await fleet.definitions()
    answers = [await echo(fleet, str(number)) for number in range(20)]

    assert len(listed["calm"]) == 10
    assert answers == [str(number) for number in range(20)]
    assert time.monotonic() - started < 7.5


async def test_one_that_hangs_is_waited_for_once_and_not_again(gather: Gather) -> None:
    fleet = gather(hostile("calm"), hostile("slow", 60, 0, 0), patience=2)
    await fleet.definitions()
    started = time.monotonic()

    for _ in range(5):
        listed = await fleet.definitions()

    assert set(listed) == {"calm"}
    assert time.monotonic() - started < 8


async def test_one_that_is_slow_is_there_later(gather: Gather) -> None:
    fleet = gather(hostile("slow", 0.5, 0, 0), patience=0.01)
    first = await fleet.definitions()

    async with asyncio.timeout(15):
        while not (later := await fleet.definitions()):
            await asyncio.wait([task for _, task in fleet._asking.values()])

    assert first == {}
    assert [each.remote for each in later["slow"]] == ["get_later"]


@pytest.mark.slow
async def test_calls_stay_fast_while_a_neighbour_answers_with_far_too_much(gather: Gather) -> None:
    fleet = gather(hostile("calm"), hostile("huge"))
    await fleet.definitions()
    much = asyncio.create_task(fleet.upstreams["huge"].call(UpstreamCall("get_much", {"bytes": 30_000_000})))
    slowest = 0.0

    while not much.done():
        started = time.monotonic()
        assert await echo(fleet, "x") == "x"
        slowest = max(slowest, time.monotonic() - started)

    assert (await much).truncated
    assert slowest < 3.0


@pytest.mark.slow
async def test_calls_stay_fast_while_a_neighbour_floods_its_channels(gather: Gather) -> None:
    fleet = gather(hostile("calm"), hostile("noisy"))
    await fleet.definitions()
    noise = asyncio.create_task(fleet.upstreams["noisy"].call(UpstreamCall("get_noise", {"lines": 50_000})))
    slowest = 0.0

    while not noise.done():
        started = time.monotonic()
        assert await echo(fleet, "x") == "x"
        slowest = max(slowest, time.monotonic() - started)

    assert text_of(await noise) == "heard?"
    assert slowest < 3.0


async def test_a_fleet_is_what_the_file_says_and_starts_nothing_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "gateway.json"
    servers: dict[str, Any] = {"calm": hostile_json("calm"), "away": {"url": "https://away.example.com/mcp"}}
    (tmp_path / "web.yaml").write_text("openapi: 3.1.0\npaths: {/a: {get: {operationId: get_a}}}")
    openapi = {"web": {"openapi": "web.yaml", "base_url": "https://web.example.com"}}
    file.write_text(json.dumps({"mcpServers": servers, "openapi": openapi}))
    before = children()

    fleet = build_fleet(load_gateway_file(file))

    assert {name: upstream.health for name, upstream in fleet.upstreams.items()} == dict.fromkeys(
        ("calm", "away", "web"), "idle"
    )
    assert children() == before
    assert [each.remote for each in await fleet.upstreams["web"].definitions()] == ["get_a"]
    await fleet.close()
