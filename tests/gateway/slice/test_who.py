"""Rules that say who: each caller is shown what holds for it, and called tools obey the same rules."""

from pathlib import Path

import pytest

from longtable.kernel.caller import Role
from tests.gateway.slice.gateway import AUTH_ON, DELETE, GET, LIST, names, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow

FREE_DELETE = "mindscape_tool_shop_delete_post"
INPUTS = {"inputs": {"post": {"id": 1}}}


async def test_a_rule_for_some_agents_holds_for_no_other_in_lists_and_calls(store: Store, tmp_path: Path) -> None:
    rules = [
        {"match": "shop.delete_post", "agents": ["janitor-*"], "layer": "tool"},
        {"match": "shop.get_post", "agents": ["janitor-*"], "layer": "deny"},
    ]
    async with opened(store, tmp_path, rules=rules) as gateway:
        janitor, alice = gateway.agent("Janitor-1"), gateway.agent("alice")

        lists = [await names(agent) for agent in (janitor, alice, janitor, alice)]
        ran = await use(janitor, FREE_DELETE, INPUTS)

        assert [FREE_DELETE in each for each in lists] == [True, False, True, False]
        assert [DELETE in each for each in lists] == [False, True, False, True]
        assert [GET in each for each in lists] == [False, True, False, True]
        assert ran.code == "SUCCESS"
        assert (await use(alice, FREE_DELETE, INPUTS)).code == "NOT_FOUND"
        assert (await use(alice, DELETE, INPUTS)).code == "CONFIRMATION_REQUIRED"
        assert (await use(janitor, GET, {"inputs": {"id": 1}})).code == "NOT_FOUND"
        assert (await use(alice, GET, {"inputs": {"id": 1}})).code == "SUCCESS"


async def test_a_rule_for_a_session_holds_inside_of_it(store: Store, tmp_path: Path) -> None:
    rules = [{"match": "shop.list_posts", "sessions": ["sess_secret*"], "layer": "deny"}]
    async with opened(store, tmp_path, rules=rules) as gateway:
        await gateway.table.session("sess_secret_one")
        inside, outside = gateway.agent("alice", "sess_secret_one"), gateway.agent("alice")

        assert LIST not in await names(inside)
        assert LIST in await names(outside)
        assert (await use(inside, LIST)).code == "NOT_FOUND"
        assert (await use(outside, LIST)).code == "SUCCESS"


async def test_rules_for_tenants_and_roles_hold_and_people_see_them(store: Store, tmp_path: Path) -> None:
    rules = [
        {"match": "shop.list_posts", "tenants": ["rival"], "layer": "run"},
        {"match": "shop.get_post", "roles": ["orchestrator"], "layer": "deny"},
    ]
    async with opened(store, tmp_path, AUTH_ON, rules=rules) as gateway:
        await gateway.agent(token="acme-secret").calls("create_session", session_id="sess_one")
        agent = gateway.agent("bot", token=await gateway.token("acme", Role.AGENT, agent="bot", session_id="sess_one"))
        acme, rival = gateway.agent(token="acme-secret"), gateway.agent(token="rival-secret")
        lists = [await names(each) for each in (agent, acme, rival)]

        owner = await gateway.person(role=Role.OWNER)
        shop = (await owner.get("/upstreams")).json()["upstreams"][0]

        assert [LIST in each for each in lists] == [True, True, False]
        assert [GET in each for each in lists] == [True, False, False]
        assert (await use(rival, "mindscape_run_shop_list_posts")).code == "CONFIRMATION_REQUIRED"
        shown = {tool["tool"]: (tool["layer"], tool["caller_rules"]) for tool in shop["tools"]}
        forbidden = {"match": "shop.get_post", "roles": ["orchestrator"], "layer": "internal"}
        assert shown["get_post"] == ("primitive", [forbidden])
        assert shown["list_posts"][0] == "primitive"


async def test_an_owner_adds_such_rules_while_the_server_runs(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        owner = await gateway.person(role=Role.OWNER)
        await gateway.agent(token="acme-secret").calls("create_session", session_id="sess_one")
        agent = gateway.agent("bot", token=await gateway.token("acme", Role.AGENT, agent="bot", session_id="sess_one"))
        before = LIST in await names(agent)

        added = await owner.put("/rules", json={"rules": [{"match": "shop.*", "roles": ["agent"], "layer": "deny"}]})
        refused = await owner.put("/rules", json={"rules": [{"match": "shop.*", "role": ["agent"], "layer": "deny"}]})

        assert (before, added.status_code, refused.status_code) == (True, 200, 400)
        assert await names(agent) == {}
        assert LIST in await names(gateway.agent(token="acme-secret"))
