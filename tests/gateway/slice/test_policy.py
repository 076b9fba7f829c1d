"""Policy: what is listed can be called as it says, what is not cannot, and the operator's rules hold for both."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, DELETE, GET, LIST, GatewayServer, names, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow

CALM = {"read_note": {"path": "/a"}, "get_tree": {"tree": {"name": "a"}}, "get_slow": {"seconds": 0}}
CALM |= {"delete_post": {"post": {"id": 1}}, "wait": {"seconds": 0}}
SPELLINGS = (
    *("shop.list_posts", "mindscape.tool.shop.list_posts", "mindscape_tool_shop.list_posts", "list_posts"),
    *("MINDSCAPE_TOOL_SHOP_LIST_POSTS", "mindscape_tool_Shop_list_posts", "mindscape_tool_shop_List_posts"),
    *("mindscape-tool-shop-list-posts", "mindscape_tool_shop_list-posts", " mindscape_tool_shop_list_posts"),
    *("mindscape_tool_shop_list_posts ", "mindscape_tool_shop_list_posts\n", "mindscape_tool_shop_list_p\u043ests"),
    *("\uff4dindscape_tool_shop_list_posts", "mindscape_tool_shop_list\u200b_posts", "mindscape_tool_shop__list_posts"),
    *("mindscape_run_shop_list_posts", "mindscape_playbook_shop_list_posts", "mindscape_tool_shop_delete_post"),
    *("mindscape_run_default_shop.delete_post", "mindscape_run_builtin_system.get_time", "", "mindscape_tool_"),
    *("mindscape_tool_shop_get_dotted", "mindscape_tool_shop_get.dotted", "mindscape_tool_shop_list_posts\0"),
)
INTERNAL = ("debug_dump", "admin_reset", "internal_get", "Debug_Dump", "debug-dump", "debug.dump", "\uff41dmin_reset")


def action(tool: dict[str, Any]) -> str:
    """What the upstream calls it: told where the end of its name does not say it."""
    meta = tool["_meta"]
    plain: str = tool["name"].partition(f"_{meta.get('pack', meta['upstream'])}_")[2]
    return str(meta.get("action", plain))


def requires_confirmation(tool: dict[str, Any]) -> bool:
    return bool(tool["_meta"].get("requires_confirmation", False))


@pytest.fixture
async def wide(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    """Several servers at once."""
    servers = {
        "calm": hostile_json("calm"),
        "pull": hostile_json("rug_pull", "swap", 0, "tell"),
        "odd_name": hostile_json("many_tools", 20, 7, pack="my pack.v2"),
    }
    async with opened(store, tmp_path, servers=servers) as result:
        yield result


async def test_every_listed_tool_runs_or_asks_as_its_listing_says(wide: GatewayServer) -> None:
    listed = await names(wide.agent())

    response = {}
    for name, tool in listed.items():
        inputs = CALM.get(action(tool), {})
        if action(tool) not in ("ask", "steps"):
            response[name] = (await use(wide.agent(), name, inputs=inputs)).code == "CONFIRMATION_REQUIRED"

    assert len(response) > 40
    assert {tool["_meta"]["upstream"] for tool in listed.values()} == {"shop", "calm", "pull", "odd_name"}
    assert response == {name: requires_confirmation(listed[name]) for name in response}
    for name, tool in listed.items():
        layer, confirm = tool["_meta"]["layer"], requires_confirmation(tool)
        assert name.startswith("mindscape_run_" if confirm else "mindscape_tool_")
        reads = tool.get("annotations", {}).get("readOnlyHint", False)
        assert (layer, reads) == (("governed", False) if confirm else ("primitive", True))
        assert ("confirm_token" in tool["inputSchema"]["properties"]) == confirm


async def test_no_other_spelling_of_a_name_calls_anything(gateway: GatewayServer) -> None:
    await names(gateway.agent())
    guesses = [*SPELLINGS, *INTERNAL]
    guesses += [
        f"mindscape_{word}_shop_{name}" for word in ("tool", "run", "playbook", "internal") for name in INTERNAL
    ]

    codes = {guess: (await use(gateway.agent(), guess)).code for guess in guesses}

    assert codes == dict.fromkeys(guesses, "NOT_FOUND")
    assert gateway.ran() == []


async def test_refusals_of_odd_names_are_on_record_and_nothing_else_is_lost(gateway: GatewayServer) -> None:
    for name in ("nul\0name", "x" * 5_000):
        await use(gateway.agent(), name)
    await use(gateway.agent(), LIST)
    await gateway.table.app.ledger.flush()

    entries = (await gateway.agent().client.get("/audit", params={"event_type": "gateway_called"})).json()["entries"]

    assert [each["outcome"] for each in entries].count("NOT_FOUND") == 2
    assert [each["outcome"] for each in entries].count("SUCCESS") == 1


async def test_internal_tools_are_never_listed_whatever_the_rules_say(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, rules=[{"match": "*", "layer": "tool", "confirm": "none"}]) as gateway:
        listed = {action(tool) for tool in (await names(gateway.agent())).values()}

        assert {"delete_post", "checkout"} <= listed
        assert not listed & {"debug_dump", "admin_reset", "internal_get"}
        assert (await use(gateway.agent(), "mindscape_tool_shop_debug_dump")).code == "NOT_FOUND"


async def test_the_rules_of_the_file_hold_for_list_and_call(store: Store, tmp_path: Path) -> None:
    secret = {"properties": {"id": {"const": 13}}, "required": ["id"]}
    rules: list[dict[str, Any]] = [
        {"match": "shop.checkout", "layer": "tool"},
        {"match": "shop.list_*", "layer": "run", "reason": "posts are private"},
        {"match": "shop.get_post", "layer": "run"},
        {"match": "shop.get_post", "layer": "deny", "when": secret, "reason": "thirteen is taboo"},
        {"match": "shop.get-*", "layer": "deny"},
        {"match": "shop.delete_post", "confirm": "none"},
    ]
    async with opened(store, tmp_path, rules=rules) as gateway:
        listed, agent = await names(gateway.agent()), gateway.agent()
        bought = await use(agent, "mindscape_tool_shop_checkout")
        private = await use(agent, "mindscape_run_shop_list_posts")
        taboo = await use(agent, "mindscape_run_shop_get_post", inputs={"id": 13})
        deleted = await use(agent, DELETE, inputs={"post": {"id": 1}})

    assert "mindscape_tool_shop_checkout" in listed
    assert LIST not in listed
    assert not [name for name in listed if "hyphen" in name]
    assert [each.code for each in (bought, private, taboo, deleted)] == [
        *("SUCCESS", "CONFIRMATION_REQUIRED", "FORBIDDEN", "SUCCESS"),
    ]
    assert "thirteen is taboo" in taboo.message
    assert requires_confirmation(listed[DELETE]) is False


async def test_a_rule_may_let_harmless_arguments_through(store: Store, tmp_path: Path) -> None:
    small = {"properties": {"post": {"properties": {"id": {"maximum": 10}}}}, "required": ["post"]}
    rules = [{"match": "shop.delete_post", "layer": "tool", "when": small}]
    async with opened(store, tmp_path, rules=rules) as gateway:
        codes = [(await use(gateway.agent(), DELETE, inputs={"post": {"id": number}})).code for number in (5, 50)]
        codes.append((await use(gateway.agent(), DELETE, inputs={})).code)
        ran = gateway.ran()

    assert codes == ["SUCCESS", "CONFIRMATION_REQUIRED", "CONFIRMATION_REQUIRED"]
    assert ran == [{"post": {"id": 5}}]


async def test_an_upstream_is_narrowed_by_its_own_entry(store: Store, tmp_path: Path) -> None:
    shop = {"allow": ["get_*", "list_posts", "delete_post"], "deny": ["get_slow"]}
    shop["layer_overrides"] = {"get_post": "run", "delete_post": "tool"}  # type: ignore[assignment]
    async with opened(store, tmp_path, shop=shop) as gateway:
        listed = await names(gateway.agent())
        responses = [
            await use(gateway.agent(), name, inputs=inputs)
            for name, inputs in (
                ("mindscape_tool_shop_delete_post", {"post": {"id": 1}}),
                ("mindscape_run_shop_get_post", {"id": 1}),
                ("mindscape_tool_shop_get_slow", {"seconds": 0}),
                ("mindscape_run_shop_checkout", {}),
            )
        ]

    assert "mindscape_tool_shop_delete_post" in listed
    assert [each.code for each in responses] == ["SUCCESS", "CONFIRMATION_REQUIRED", "NOT_FOUND", "NOT_FOUND"]


async def test_an_owner_lays_rules_over_those_of_the_file(store: Store, tmp_path: Path) -> None:
    rules = [{"match": "shop.checkout", "layer": "tool"}]
    async with opened(store, tmp_path, AUTH_ON, rules=rules) as gateway:
        alice, owner = gateway.agent("alice", token="acme-secret"), await gateway.person(role=Role.OWNER)
        before = (await owner.get("/rules")).json()
        first = await owner.put("/rules", json={"rules": [{"match": "shop.get_post", "layer": "run"}]})
        late = await owner.put("/rules", json={"rules": [], "expected_version": 0})
        wrong = await owner.put("/rules", json={"rules": [{"match": "shop.*", "layer": "free"}]})
        human = await (await gateway.person()).put("/rules", json={"rules": []})
        boss = await alice.client.put("/rules", json={"rules": []})
        mine = await names(alice)
        theirs = await names(gateway.agent("rita", token="rival-secret"))
        second = await owner.put("/rules", json={"rules": [], "expected_version": 1})

        assert (before["version"], before["file_rules"]) == (0, [{"match": "shop.checkout", "layer": "primitive"}])
        assert (first.json()["version"], second.json()["version"]) == (1, 2)
        assert first.json()["policy_version"] != before["policy_version"] == second.json()["policy_version"]
        assert (late.status_code, late.json()["error"]["code"]) == (409, "VERSION_CONFLICT")
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
        assert "rules[0].layer" in wrong.text
        assert (human.status_code, boss.status_code) == (403, 403)
        assert ("mindscape_run_shop_get_post" in mine, GET in mine, GET in theirs) == (True, False, True)
        assert GET in await names(alice)


async def test_the_strictest_of_file_and_owner_holds(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON, rules=[{"match": "shop.get_post", "layer": "run"}]) as gateway:
        owner = await gateway.person(role=Role.OWNER)
        await owner.put("/rules", json={"rules": [{"match": "shop.*", "layer": "tool", "confirm": "none"}]})

        response = await use(
            gateway.agent("alice", token="acme-secret"), "mindscape_run_shop_get_post", inputs={"id": 1}
        )

        assert response.code == "CONFIRMATION_REQUIRED"


async def test_a_playbook_with_a_governed_step_asks_as_it_is_listed(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    step = {"tool": "shop.delete_post", "inputs": {"post": {"id": 1}}}
    (folder / "one.yaml").write_text(
        json.dumps({"name": "shop.get_report", "description": "Reports.", "steps": [step]})
    )
    async with opened(store, tmp_path, playbooks=str(folder)) as gateway:
        [(name, tool)] = [each for each in (await names(gateway.agent())).items() if "report" in each[0]]
        response = await use(gateway.agent(), name)

        assert requires_confirmation(tool) is True
        assert response.code == "CONFIRMATION_REQUIRED"
        assert gateway.ran() == []


async def test_a_prefix_and_a_length_are_kept_to(store: Store, tmp_path: Path) -> None:
    options = {"gateway_name_length": "40"}
    servers = {"a-server-with-a-rather-long-name": hostile_json("calm")}
    async with opened(store, tmp_path, options, servers=servers, prefix="other") as gateway:
        first = await names(gateway.agent())
        assert (await use(gateway.agent(), "other_tool_shop_list_posts")).code == "SUCCESS"
    async with opened(store, tmp_path, options, servers=servers, prefix="other") as gateway:
        second = await names(gateway.agent())

    assert list(first) == list(second)
    assert all(name.startswith("other_") and len(name) <= 40 for name in first)


async def test_an_owner_switches_an_upstream_off_and_on_for_the_own_tenant(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as gateway:
        alice, owner = gateway.agent("alice", token="acme-secret"), await gateway.person(role=Role.OWNER)
        before = await names(alice)

        off = await owner.post("/upstreams/shop/switch", json={"on": False})
        without = await names(alice)
        refused = await use(alice, "mindscape_tool_shop_get_post", inputs={"id": 1})
        theirs = await names(gateway.agent("rita", token="rival-secret"))
        shown = (await owner.get("/upstreams")).json()["upstreams"]
        nobody = await (await gateway.person()).post("/upstreams/shop/switch", json={"on": True})
        unknown = await owner.post("/upstreams/nowhere/switch", json={"on": False})
        await owner.post("/upstreams/shop/switch", json={"on": True})

        assert (off.status_code, off.json()["switched_off"]) == (200, ["shop"])
        assert [name for name in without if "shop" in name] == []
        assert refused.code == "NOT_FOUND"
        assert theirs == before
        assert [(each["name"], each["on"]) for each in shown] == [("shop", False)]
        assert (nobody.status_code, unknown.status_code) == (403, 404)
        assert await names(alice) == before
