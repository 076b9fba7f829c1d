"""Several upstreams behind one gateway: whatever one of them does, the others are listed and answer as before."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from longtable.gateway import registry
from longtable.kernel.errors import LongtableError
from longtable.upstreams.build import EntryUpstreams
from longtable.upstreams.config import load_gateway_file
from longtable.upstreams.directory import UpstreamDirectory, UpstreamInstance
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import LIST, GatewayServer, names, opened, use
from tests.gateway.upstreams.conftest import children
from tests.stores import Store

FAULTS: dict[str, tuple[str, *tuple[object, ...]]] = {
    "hangs at its start": ("slow", 60, 0, 0),
    "hangs in its list": ("slow", 0, 60, 0),
    "crashes at its start": ("crashing", "start"),
    "crashes in its list": ("crashing", "list"),
    "is no program": ("no_such_module",),
    "has three thousand tools": ("many_tools", 3_000, 0),
}


@asynccontextmanager
async def beside(tmp_path: Path, script: str, *words: object) -> AsyncIterator[GatewayServer]:
    """The shop, and an upstream `bad` beside it."""
    store = Store("sqlite", str(tmp_path / "data" / "longtable.db"))
    servers = {"bad": hostile_json(script, *words)}
    async with opened(store, tmp_path, servers=servers, rate_limits={"tool": "100000/min"}) as gateway:
        yield gateway


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
async def test_an_upstream_that_fails_takes_only_its_own_tools_away(tmp_path: Path, fault: str) -> None:
    async with beside(tmp_path, *FAULTS[fault]) as gateway:
        agent = gateway.agent()
        await names(agent)
        started = time.monotonic()

        listed = await names(agent)
        codes = [(await use(agent, LIST)).code for _ in range(20)]
        seconds = time.monotonic() - started

    assert LIST in listed
    assert codes == ["SUCCESS"] * 20
    assert seconds < 15


async def test_one_that_hangs_is_waited_for_once_and_not_again(tmp_path: Path) -> None:
    async with beside(tmp_path, "slow", 60, 0, 0) as gateway:
        agent = gateway.agent()
        await names(agent)
        started = time.monotonic()

        for _ in range(5):
            listed = await names(agent)
        seconds = time.monotonic() - started

    assert LIST in listed
    assert seconds < 2 * registry.LISTING_SECONDS


async def test_one_that_is_slow_is_listed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "LISTING_SECONDS", 0.01)
    async with beside(tmp_path, "slow", 0.5, 0, 0) as gateway:
        agent = gateway.agent()
        first = await names(agent)

        async with asyncio.timeout(40):
            while not any("_bad_" in name for name in await names(agent)):
                continue

    assert not any("_bad_" in name for name in first)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bad", "tool", "inputs"),
    [("huge", "get_much", {"bytes": 30_000_000}), ("noisy", "get_noise", {"lines": 50_000})],
    ids=["answers with far too much", "floods its channels"],
)
async def test_calls_stay_fast_meanwhile(tmp_path: Path, bad: str, tool: str, inputs: dict[str, Any]) -> None:
    async with beside(tmp_path, bad) as gateway:
        agent = gateway.agent()
        await names(agent)
        slow_call = asyncio.create_task(use(agent, f"mindscape_tool_bad_{tool}", inputs=inputs))
        slowest = 0.0

        while not slow_call.done():
            started = time.monotonic()
            assert (await use(agent, LIST)).code == "SUCCESS"
            slowest = max(slowest, time.monotonic() - started)

        assert (await slow_call).code == "SUCCESS"
    assert slowest < 3.0


async def test_the_upstreams_of_a_file_are_idle_until_they_are_needed(tmp_path: Path) -> None:
    file = tmp_path / "gateway.json"
    servers: dict[str, Any] = {"calm": hostile_json("calm"), "away": {"url": "https://away.example.com/mcp"}}
    (tmp_path / "web.yaml").write_text("openapi: 3.1.0\npaths: {/a: {get: {operationId: get_a}}}")
    openapi = {"web": {"openapi": "web.yaml", "base_url": "https://web.example.com"}}
    file.write_text(json.dumps({"mcpServers": servers, "openapi": openapi}))
    before = children()

    loaded, upstreams = load_gateway_file(file), UpstreamDirectory(factory=EntryUpstreams())
    upstreams.set_file_entries([*loaded.mcp, *loaded.openapi])

    assert {each.name: each.upstream.health for each in upstreams.instances("acme")} == dict.fromkeys(
        ("calm", "away", "web"), "idle"
    )
    assert children() == before
    web = upstreams.find("acme", "web")
    assert web is not None
    assert [each.remote for each in await web.upstream.definitions()] == ["get_a"]
    await upstreams.close()


async def test_one_that_waits_for_its_next_start_is_not_asked_with_every_call(tmp_path: Path) -> None:
    async with beside(tmp_path, "crashing", "start") as gateway:
        agent = gateway.agent()
        found = gateway.table.app.slices.gateway.dependencies.upstreams.find("default", "bad")
        assert found is not None
        async with asyncio.timeout(30):
            while "retry_after" not in await failure_of(found):  # noqa: ASYNC110 - its pauses grow with each start
                await asyncio.sleep(0.1)
        with capture_logs() as lines:
            for _ in range(20):
                await names(agent)
                await use(agent, "mindscape_tool_bad_anything")

    failures = [line for line in lines if line["event"] == "upstream_failed"]
    assert len(failures) <= 4


async def failure_of(instance: UpstreamInstance) -> dict[str, Any]:
    try:
        await instance.upstream.definitions()
    except LongtableError as error:
        return error.details
    return {}
