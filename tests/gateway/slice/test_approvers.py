"""Who can approve: a person at a surface for people, and nobody else by any tool or route there is."""

import re
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.toolkit.tool import Tool
from tests.gateway.slice.gateway import DELETE, GatewayServer, approve, deny, use
from tests.table import Agent

pytestmark = pytest.mark.slow

POST = {"post": {"id": 7}}
GUESSES = (
    *("approve_decision", "deny_decision", "approve", "decide", "confirm", "decisions.approve", "Approve_Decision"),
    *("list_decisions", "accept_tool", "set_rules", "mindscape_confirm_request", "mindscape_confirm_approve"),
    *("mindscape_run_approve_decision", "gateway_call"),
)
PLAUSIBLE = {"decision_id": "d1", "confirmation_id": "d1", "reason": "yes", "approve": True, "status": "approved"}


def filled(schema: dict[str, Any], name: str = "") -> Any:
    """Something that fits a schema, and speaks of the decision wherever it can."""
    schema = schema.get("anyOf", [schema])[0]
    if "enum" in schema:
        return "approved" if "approved" in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {key: filled(each, key) for key, each in schema.get("properties", {}).items()}
        case "array":
            return ["d1"]
        case "boolean":
            return True
        case "integer" | "number":
            return 0 if "second" in name else 1
    return "approve_decision" if name == "tool" else "d1"


async def status(gateway: GatewayServer, tenant: str = "acme") -> list[str]:
    shown = (await (await gateway.person(tenant)).get("/decisions")).json()["decisions"]
    return [each["status"] for each in shown if each["tool"] == DELETE]


async def tries_every_tool(gateway: GatewayServer, agent: Agent, handle: str) -> int:
    tools: dict[str, Tool[Any]] = gateway.table.app.dispatcher.tools
    for name in {*tools, *GUESSES}:
        schema = tools[name].input_schema() if name in tools else {}
        fitting = filled({"type": "object", **schema})
        for arguments in (fitting, PLAUSIBLE, {**PLAUSIBLE, "decision_id": handle}):
            await agent.posts("tools/call", {"name": name, "arguments": arguments})
    return len(tools)


async def tries_every_route(gateway: GatewayServer, agent: Agent) -> int:
    routes = {route for tool in gateway.table.app.dispatcher.tools.values() for route in tool.routes}
    for route in routes:
        path = re.sub(r"\{[a-z_]+\}", "d1", route.path)
        # The live stream of events has no end.
        if route.method != "GET":
            await agent.client.request(route.method, path, json=PLAUSIBLE)
            await agent.client.request(route.method, path, json={})
    return len(routes)


@pytest.mark.parametrize("role", [Role.AGENT, Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER, Role.READER])
async def test_no_token_approves_anything_over_mcp(gateway_with_auth: GatewayServer, role: Role) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    required = await use(gateway_with_auth.agent("alice", "sess_one", "acme-secret"), DELETE, inputs=POST)
    fixed = {"agent": "alice", "session_id": "sess_one"} if role is Role.AGENT else {}
    agent = gateway_with_auth.table.agent(token=await gateway_with_auth.token("acme", role, **fixed))

    tried = await tries_every_tool(gateway_with_auth, agent, required.details["confirm_token"])

    assert tried > 60
    assert await status(gateway_with_auth) == ["waiting"]
    assert gateway_with_auth.ran() == []


@pytest.mark.parametrize("role", [Role.AGENT, Role.ORCHESTRATOR, Role.READER])
async def test_no_agents_token_approves_anything_over_rest(gateway_with_auth: GatewayServer, role: Role) -> None:
    await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    await use(gateway_with_auth.agent("alice", "sess_one", "acme-secret"), DELETE, inputs=POST)
    fixed = {"agent": "alice", "session_id": "sess_one"} if role is Role.AGENT else {}
    agent = gateway_with_auth.table.agent(token=await gateway_with_auth.token("acme", role, **fixed))

    tried = await tries_every_route(gateway_with_auth, agent)
    plainly = [await agent.client.post(f"/decisions/d1/{word}", json={}) for word in ("approve", "deny")]

    assert tried > 40
    assert [(each.status_code, each.json()["error"]["code"]) for each in plainly] == [(403, "FORBIDDEN")] * 2
    assert await status(gateway_with_auth) == ["waiting"]


async def test_with_auth_off_nobody_approves_over_mcp_or_rest(gateway: GatewayServer) -> None:
    local = gateway.agent()
    required = await use(local, DELETE, inputs=POST)

    await tries_every_tool(gateway, local, required.details["confirm_token"])
    await tries_every_route(gateway, local)
    response = await local.client.post("/decisions/d1/approve", json={})
    shown = (await local.client.get("/decisions")).json()["decisions"]

    assert (response.status_code, response.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert [each["status"] for each in shown if each["tool"] == DELETE] == ["waiting"]
    assert gateway.ran() == []


@pytest.mark.parametrize("role", [Role.HUMAN, Role.OWNER])
async def test_people_approve_and_deny_over_rest(gateway_with_auth: GatewayServer, role: Role) -> None:
    alice = gateway_with_auth.agent("alice", token="acme-secret")
    person = await gateway_with_auth.person(role=role)

    yes = await approve(person, await use(alice, DELETE, inputs=POST))
    no = await deny(person, await use(alice, DELETE, inputs={"post": {"id": 8}}))

    assert (yes["decision"]["status"], no["decision"]["status"]) == ("approved", "denied")


async def test_what_one_tenant_is_asked_the_other_does_not_see(gateway_with_auth: GatewayServer) -> None:
    required = await use(gateway_with_auth.agent("alice", token="acme-secret"), DELETE, inputs=POST)
    stranger = await gateway_with_auth.person("rival", Role.OWNER)
    rival = gateway_with_auth.agent("alice", token="rival-secret")

    shown = (await stranger.get("/decisions")).json()
    responses = [
        await stranger.post("/decisions/d1/approve", json={}),
        await stranger.post("/decisions/d1/deny", json={}),
    ]
    waited = [
        await rival.tries("wait_for_decision", confirmation_id=key, wait_seconds=0)
        for key in ("d1", required.details["confirm_token"])
    ]

    assert (shown["decisions"], shown["waiting"]) == ([], 0)
    assert [each.status_code for each in responses] == [404, 404]
    assert [each["error"]["code"] for each in waited] == ["NOT_FOUND"] * 2
    assert await status(gateway_with_auth) == ["waiting"]


async def test_an_agent_asks_about_its_own_decisions_only(gateway_with_auth: GatewayServer) -> None:
    required = await use(gateway_with_auth.agent("alice", token="acme-secret"), DELETE, inputs=POST)
    bob = gateway_with_auth.agent("bob", token="acme-secret")

    responses = [
        await bob.tries("wait_for_decision", confirmation_id=key, wait_seconds=0)
        for key in ("d1", required.details["confirm_token"], "d2", "nonsense")
    ]

    assert [each["error"]["code"] for each in responses] == ["NOT_FOUND"] * 4


async def test_decisions_are_shown_page_by_page_and_by_status(gateway_with_auth: GatewayServer) -> None:
    alice, person = gateway_with_auth.agent("alice", token="acme-secret"), await gateway_with_auth.person()
    for number in range(5):
        required = await use(alice, DELETE, inputs={"post": {"id": number}})
        if number == 1:
            await deny(person, required)

    first = (await person.get("/decisions", params={"limit": 2})).json()
    second = (await person.get("/decisions", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    denied = (await person.get("/decisions", params={"status": "denied"})).json()

    assert [each["id"] for each in (*first["decisions"], *second["decisions"])] == ["d5", "d4", "d3", "d2"]
    assert ([each["id"] for each in denied["decisions"]], denied["waiting"]) == (["d2"], 4)


async def test_tools_and_rules_are_changed_by_an_owner_and_by_no_other_person(gateway_with_auth: GatewayServer) -> None:
    human = await gateway_with_auth.person("acme", Role.HUMAN)
    tool = {"upstream": "calm", "tool": "echo"}

    answers = [
        await human.post("/pins/accept", json=tool),
        await human.put("/rules", json={"rules": []}),
        await human.post("/upstreams/calm/switch", json={"on": False}),
    ]

    assert [result.json()["error"]["code"] for result in answers] == ["FORBIDDEN"] * 3


async def test_an_agent_bound_to_a_session_hears_of_its_calls_there_and_of_no_others(
    gateway_with_auth: GatewayServer,
) -> None:
    keys = {}
    for session in ("sess_one", "sess_two"):
        await gateway_with_auth.agent(token="acme-secret").calls("create_session", session_id=session)
        required = await use(gateway_with_auth.agent("alice", session, "acme-secret"), DELETE, inputs=POST)
        keys[session] = required.details["confirmation_id"]
    bound = await gateway_with_auth.token("acme", Role.AGENT, agent="alice", session_id="sess_one")
    alice = gateway_with_auth.table.agent(token=bound)

    own = await alice.tries("wait_for_decision", confirmation_id=keys["sess_one"], wait_seconds=0)
    foreign = await alice.tries("wait_for_decision", confirmation_id=keys["sess_two"], wait_seconds=0)

    assert (own["status"], own.get("waited_out")) == ("waiting", None)
    assert foreign["error"]["code"] == "NOT_FOUND"
