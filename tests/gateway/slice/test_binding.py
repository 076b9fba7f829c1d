"""What an approval is bound to: nothing but the very call that the person saw is run under it."""

import copy
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, DELETE, CallResponse, GatewayServer, approve, opened, use
from tests.stores import Store
from tests.table import Agent

pytestmark = pytest.mark.slow

POST: dict[str, Any] = {
    "post": {"id": 7, "tags": ["a", {"deep": [1, None, True, "x"]}], "at": 1.5},
    "force": True,
    "note": None,
    "more": {"empty": {}, "list": []},
}
OTHER_VALUES: tuple[Any, ...] = (0, 1, 7.5, -7, "7", "", True, False, None, [], {}, ["a"], {"id": 7})
NOTE = "mindscape_run_pull_read_note"


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inside:
        yield from places(each, (*path, key))


def mutations() -> list[dict[str, Any]]:
    """Every value replaced, every one taken out, one added everywhere, and lists in another order."""
    found: list[dict[str, Any]] = [{**POST, "extra": None}]
    for path in places(POST):
        *way, last = path
        for change in (*OTHER_VALUES, "gone", "added", "turned"):
            result = copy.deepcopy(POST)
            holder: Any = result
            for key in way:
                holder = holder[key]
            if change == "gone":
                del holder[last]
            elif change == "added":
                _grow(holder, last)
            elif change == "turned":
                holder[last] = list(reversed(holder[last])) if isinstance(holder[last], list) else {"turned": 1}
            else:
                holder[last] = copy.deepcopy(change)
            found.append(result)
    return [each for each in found if repr(each) != repr(POST) and _is_valid(each)]


def _grow(holder: Any, last: Any) -> None:
    if isinstance(holder[last], dict):
        holder[last]["extra"] = 1
    elif isinstance(holder[last], list):
        holder[last].append(1)
    else:
        holder[last] = [holder[last]]


def _is_valid(inputs: dict[str, Any]) -> bool:
    """For the schema of the tool: the others are refused before anybody is asked."""
    post = inputs.get("post", {"id": 1})
    note, force = inputs.get("note"), inputs.get("force", True)
    return (
        isinstance(post, dict)
        and isinstance(post.get("id"), int | str)
        and not isinstance(post.get("id"), bool)
        and isinstance(post.get("tags", []), list)
        and isinstance(force, bool)
        and (note is None or isinstance(note, str))
    )


@pytest.fixture
async def gateway(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    """Rates that let a test try a few hundred times."""
    pull = hostile_json(
        "rug_pull", "description", 0, "silent", layer_overrides={"read_note": "run", "get_pull": "tool"}
    )
    limits = {"tool": "100000/s"}
    async with opened(store, tmp_path, AUTH_ON, servers={"pull": pull}, rate_limits=limits) as result:
        await result.agent(token="acme-secret").calls("create_session", session_id="sess_one")
        await result.agent(token="acme-secret").calls("create_session", session_id="sess_two")
        yield result


async def approved(gateway: GatewayServer, agent: Agent, tool: str = DELETE, **arguments: Any) -> CallResponse:
    required = await use(agent, tool, arguments)
    assert required.code == "CONFIRMATION_REQUIRED", required.result
    assert (await approve(await gateway.person(), required))["ok"]
    return required


async def test_no_other_arguments_run_under_an_approval(gateway: GatewayServer) -> None:
    alice = gateway.agent("alice", token="acme-secret")
    required = await approved(gateway, alice, inputs=POST)
    others = mutations()

    codes = {
        (await use(alice, DELETE, inputs=each, confirm_token=required.details["confirm_token"])).code for each in others
    }
    done = await use(alice, DELETE, inputs=POST, confirm_token=required.details["confirm_token"])

    assert len(others) > 150
    assert codes == {"CONFIRMATION_INVALID"}
    assert done.code == "SUCCESS"
    assert gateway.ran() == [POST]


async def test_nobody_else_and_nowhere_else_is_an_approval_good_for_anything(gateway: GatewayServer) -> None:
    agent = gateway.agent
    required = await approved(gateway, agent("alice", "sess_one", "acme-secret"), inputs=POST)
    token = {"inputs": POST, "confirm_token": required.details["confirm_token"]}
    rival = agent("alice", None, "rival-secret")
    await rival.calls("create_session", session_id="sess_rival")

    response = {
        "another agent": await use(agent("bob", "sess_one", "acme-secret"), DELETE, token),
        "another session": await use(agent("alice", "sess_two", "acme-secret"), DELETE, token),
        "no session": await use(agent("alice", None, "acme-secret"), DELETE, token),
        "a workspace": await use(agent("alice", None, "acme-secret"), DELETE, token, workspace_id="sess_one"),
        "another tenant": await use(rival, DELETE, token),
        "another tool": await use(agent("alice", "sess_one", "acme-secret"), "mindscape_run_shop_checkout", token),
    }
    elsewhere = await use(agent("alice", "sess_one", "acme-secret"), DELETE, token, workspace_id="sess_two")

    assert {why: each.code for why, each in response.items()} == dict.fromkeys(response, "CONFIRMATION_INVALID")
    assert all("same agent in the same session" in str(each.result) for each in response.values())
    assert elsewhere.code == "SESSION_MISMATCH"
    assert gateway.ran() == []
    assert (await use(agent("alice", "sess_one", "acme-secret"), DELETE, token)).code == "SUCCESS"


async def test_what_is_no_handle_opens_nothing(gateway: GatewayServer) -> None:
    alice = gateway.agent("alice", token="acme-secret")
    await approved(gateway, alice, inputs=POST)
    guesses = ("cfm_", "cfm_" + "A" * 32, "d1", "x" * 256, "' OR 1=1 --", "cfm_%")

    codes = {(await use(alice, DELETE, inputs=POST, confirm_token=guess)).code for guess in guesses}

    assert codes == {"CONFIRMATION_INVALID"}
    assert gateway.ran() == []


async def test_a_tool_that_has_changed_since_is_not_run_under_the_approval(gateway: GatewayServer) -> None:
    alice = gateway.agent("alice", token="acme-secret")
    required = await approved(gateway, alice, NOTE, inputs={"path": "/a"})
    await use(alice, "mindscape_tool_pull_get_pull")

    held = await use(alice, NOTE, inputs={"path": "/a"}, confirm_token=required.details["confirm_token"])
    owner = await gateway.person(role=Role.OWNER)
    accepted = await owner.post("/pins/accept", json={"upstream": "pull", "tool": "read_note"})
    response = await use(alice, NOTE, inputs={"path": "/a"}, confirm_token=required.details["confirm_token"])

    assert held.code == "TOOL_QUARANTINED"
    assert accepted.status_code == 200
    assert response.code == "CONFIRMATION_INVALID"


async def test_an_approval_counts_only_under_the_rules_that_asked_for_it(gateway: GatewayServer) -> None:
    alice = gateway.agent("alice", token="acme-secret")
    required = await approved(gateway, alice, inputs=POST)
    owner = await gateway.person(role=Role.OWNER)
    changed = await owner.put("/rules", json={"rules": [{"match": "other.*", "layer": "run"}]})

    response = await use(alice, DELETE, inputs=POST, confirm_token=required.details["confirm_token"])
    back = await owner.put("/rules", json={"rules": []})
    again = await use(alice, DELETE, inputs=POST, confirm_token=required.details["confirm_token"])

    assert (changed.status_code, back.status_code) == (200, 200)
    assert response.code == "CONFIRMATION_INVALID"
    assert (again.code, len(gateway.ran())) == ("SUCCESS", 1)


async def test_rules_that_changed_in_another_process_count_at_once(store: Store, tmp_path: Path) -> None:
    async with opened(store, tmp_path, AUTH_ON) as here, opened(store, tmp_path, AUTH_ON) as there:
        alice = here.agent("alice", token="acme-secret")
        required = await approved(here, alice, inputs=POST)
        owner = await there.person(role=Role.OWNER)
        await owner.put("/rules", json={"rules": [{"match": "shop.list_posts", "layer": "run"}]})

        response = await use(alice, DELETE, inputs=POST, confirm_token=required.details["confirm_token"])
        listed = await use(alice, "mindscape_tool_shop_list_posts")
        governed = await use(alice, "mindscape_run_shop_list_posts")

        assert [each.code for each in (response, listed, governed)] == [
            "CONFIRMATION_INVALID",
            "NOT_FOUND",
            "CONFIRMATION_REQUIRED",
        ]
        assert here.ran() == []
