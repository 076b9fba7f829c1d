"""A list or a search that came too early says which upstreams are missing, and more is told when they are there."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from longtable.server.warm_up import start_warm_up
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.listing.gateway import CHANGED, READ, ChangingGateway, names, opened, until
from tests.listening import local, piped
from tests.stores import Store

pytestmark = [pytest.mark.anyio, pytest.mark.slow, pytest.mark.in_process("changes the program where it runs")]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No list waits for an upstream."""
    monkeypatch.setattr("longtable.gateway.registry.LISTING_SECONDS", 0.0)


@pytest.fixture
def impatient_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longtable.gateway.registry.STARTING_SECONDS", 0.0)


@pytest.mark.usefixtures("impatient")
async def test_the_first_list_says_what_is_starting_and_the_client_is_told_later(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway, piped(gateway.table.app, local("alice")) as pipe:
        first = (await pipe.asks("tools/list", {}))["result"]
        notifications = await pipe.hears()
        listed = await names(pipe.asks)
        later = (await pipe.asks("tools/list", {}))["result"]

    assert first["_meta"]["starting"] == ["shop"]
    assert notifications[0]["method"] == CHANGED
    assert READ in listed
    assert "starting" not in later.get("_meta", {})


@pytest.mark.usefixtures("impatient")
async def test_a_list_with_tools_to_search_says_what_is_starting(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, listing="search") as gateway:
        first = (await gateway.agent().posts("tools/list", {})).json()["result"]

    assert first["_meta"]["starting"] == ["shop"]
    assert "gateway_search_tools" in {tool["name"] for tool in first["tools"]}


@pytest.mark.usefixtures("impatient")
async def test_a_call_waits_longer_than_a_list_for_an_upstream_that_is_starting(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway:
        params = {"name": READ, "arguments": {"inputs": {"path": "a"}}}
        result = (await gateway.agent().posts("tools/call", params)).json()["result"]

    assert not result["isError"]


@pytest.mark.usefixtures("impatient", "impatient_calls")
async def test_a_call_of_a_tool_whose_upstream_is_starting_for_too_long_says_so(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path) as gateway:
        params = {"name": READ, "arguments": {}}
        error = (await gateway.agent().posts("tools/call", params)).json()["result"]["structuredContent"]["error"]

    assert error["code"] == "UPSTREAM_ERROR"
    assert error["details"]["starting"] == ["shop"]


@pytest.mark.usefixtures("impatient")
async def test_a_search_says_what_is_starting(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, listing="search") as gateway:
        first = await gateway.agent().calls("gateway_search_tools", query="note")

        async def is_found() -> bool:
            return bool((await gateway.agent().calls("gateway_search_tools", query="note"))["total"])

        await until(is_found)
        later = await gateway.agent().calls("gateway_search_tools", query="note")

    assert (first["total"], first["starting"]) == (0, ["shop"])
    assert later["starting"] == []


async def test_upstreams_are_connected_before_anybody_asks_and_a_missing_command_is_told(
    store: Store, tmp_path: Path
) -> None:
    servers = {"shop": hostile_json("calm"), "lost": {"command": "no-such-program-anywhere"}}
    async with opened(store, tmp_path, mcpServers=servers) as gateway:
        with capture_logs() as lines:
            start_warm_up(gateway.table.app)

            async def is_ready() -> bool:
                return health_of(gateway, "shop") == "ready"

            await until(is_ready)

    missing = [line["upstream"] for line in lines if line["event"] == "upstream_command_missing"]
    assert missing == ["lost"]


def health_of(gateway: ChangingGateway, name: str) -> str:
    instance = gateway.table.app.slices.gateway.dependencies.upstreams.find("default", name)
    assert instance is not None
    return instance.upstream.health
