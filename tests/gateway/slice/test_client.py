"""The gateway through the methods of the Python client."""

from pathlib import Path

import pytest

from longtable.client import Orchestrator, Workspace
from longtable.kernel.caller import Role
from longtable.kernel.errors import NotFound
from tests.client_transport import link
from tests.gateway.slice.gateway import AUTH_ON, GET, GatewayServer, opened, use
from tests.stores import Store
from tests.table import ADDRESS

RULE = {"match": "shop.delete_*", "layer": "internal"}


async def test_a_person_reads_what_the_gateway_has_and_has_done(gateway_with_auth: GatewayServer) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    await use(alice, GET, inputs={"id": 1})
    token = await gateway_with_auth.token("acme", Role.OWNER)

    async with Orchestrator.open(ADDRESS, token, link=link(gateway_with_auth.table.http)) as owner:
        upstreams = await owner.list_upstreams()
        calls = await owner.list_calls("shop", limit=5)
        intents = await owner.list_intents()
        quarantine = await owner.list_quarantine()

    shop = next(upstream for upstream in upstreams.upstreams if upstream.name == "shop")
    assert (shop.kind, shop.on, GET in {tool.name for tool in shop.tools}) == ("stdio", True, True)
    assert [(call.tool, call.agent, call.decision_id) for call in calls.calls] == [(GET, "alice", None)]
    assert (intents.count, quarantine.tools) == (0, [])


async def test_an_owner_switches_an_upstream_and_sets_rules(gateway_with_auth: GatewayServer) -> None:
    token = await gateway_with_auth.token("acme", Role.OWNER)

    async with Orchestrator.open(ADDRESS, token, link=link(gateway_with_auth.table.http)) as owner:
        off = await owner.switch_upstream("shop", False)
        changed = await owner.set_rules([RULE], expected_version=off.version)
        read = await owner.list_rules()
        with pytest.raises(NotFound):
            await owner.accept_tool("shop", "no_such_tool")

    assert off.switched_off == ["shop"]
    assert read == changed
    assert [(rule["match"], rule["layer"]) for rule in read.rules] == [("shop.delete_*", "internal")]


async def test_an_agent_looks_for_a_tool(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, listing="search") as gateway:
        transport = link(gateway.table.http)
        async with Workspace.open(ADDRESS, "acme-secret", None, "alice", link=transport) as alice:
            found = await alice.gateway_search_tools("get post")

    assert [tool["name"] for tool in found.tools] == [GET]
