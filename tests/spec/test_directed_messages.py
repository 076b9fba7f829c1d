"""Messages to one agent, and what people ask of an agent by them: to pause, to go on, to stop."""

import asyncio
import json
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.sse import listens
from tests.table import Agent, Refused, Table, person

ACME = "acme-secret"
MESSAGES = "/sessions/sess_one/messages"


async def joined(company: Table, *names: str) -> list[Agent]:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one")
    return [company.agent(name, "sess_one", ACME) for name in names]


async def contents(agent: Agent, **arguments: Any) -> list[str]:
    return [message["content"] for message in (await agent.calls("get_messages", **arguments))["messages"]]


async def controls(people: httpx2.AsyncClient, to: str, content: str, **more: Any) -> httpx2.Response:
    return await people.post(MESSAGES, json={"to": to, "kind": "control", "content": content, **more})


async def test_a_message_to_an_agent_is_private_and_says_whom_it_is_for(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="for you", to="bob")

    message = (await bob.calls("get_messages"))["messages"][0]

    assert (message["to"], message["visibility"], message["sender"]) == ("bob", "private", "alice")
    assert (await bob.calls("get_session"))["message_count"] == 1


async def test_an_agent_that_has_not_come_yet_finds_what_was_said_to_it_however_its_name_is_spelled(
    table: Table, alice: Agent
) -> None:
    await alice.calls("add_message", content="welcome", to="Later")

    assert await contents(table.agent("LATER", "sess_one")) == ["welcome"]


async def test_twenty_messages_to_one_agent_at_once_are_all_kept_and_counted(alice: Agent, bob: Agent) -> None:
    said = (alice.calls("add_message", content=str(n), to="bob") for n in range(20))
    added = await asyncio.gather(*said)

    assert sorted(each["message_id"] for each in added) == list(range(1, 21))
    assert (await bob.calls("get_session"))["message_count"] == 20
    assert (await alice.calls("get_session"))["message_count"] == 20


async def test_a_message_to_oneself_counts_once(alice: Agent) -> None:
    await alice.calls("add_message", content="remember", to="alice")

    assert (await alice.calls("get_session"))["message_count"] == 1


async def test_people_count_a_directed_message_once_and_see_whom_it_is_for(company: Table) -> None:
    ada, _ = await joined(company, "ada", "bob")
    await ada.calls("add_message", content="between us", to="bob")
    people = await person(company)

    shown = (await people.get(MESSAGES)).json()["messages"]

    assert [(message["sender"], message["to"]) for message in shown] == [("ada", "bob")]
    assert (await people.get("/sessions/sess_one/overview")).json()["session"]["messages"] == 1


async def test_the_stream_of_another_agent_does_not_tell_of_it(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="for bob", to="bob")
    await alice.adds_note("for all")
    heard = {}
    for name in ("bob", "carol"):
        target = "/sessions/sess_one/events?after=0&kinds=message/added,scratchpad/note_added"
        async with listens(table.http, target, x_caller_agent=name) as stream:
            heard[name] = (await stream.takes(1))[0]["kind"]

    assert heard == {"bob": "message/added", "carol": "scratchpad/note_added"}


async def test_an_answer_to_a_directed_message_goes_to_one_of_the_two(table: Table, alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="for you", to="bob")
    await bob.calls("add_message", content="thanks", to="alice", parent_message_id=1)

    for wide in ({"to": "carol"}, {"visibility": "public"}):
        with pytest.raises(Refused, match="INVALID_ARGUMENT"):
            await bob.calls("add_message", content="look", parent_message_id=1, **wide)
    with pytest.raises(Refused, match="NOT_FOUND"):
        await table.agent("carol", "sess_one").calls("add_message", content="what?", parent_message_id=1)

    assert await contents(alice) == ["for you", "thanks"]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"to": "x" * 101}, "to"), ({"to": "a\u202eb"}, "to"), ({"to": "bob", "visibility": "agent_only"}, "visibility")],
)
async def test_a_name_that_no_agent_can_have_is_refused(alice: Agent, arguments: dict[str, str], field: str) -> None:
    envelope = await alice.tries("add_message", content="hello", **arguments)

    assert envelope["code"] == "INVALID_ARGUMENT"
    assert field in envelope["error"]


async def test_a_paused_agent_is_told_so_by_its_next_check_until_it_may_go_on(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    people = await person(company)
    paused = await controls(people, "ada", "pause: the plan changes")

    checked, again = await ada.calls("check_pause"), await ada.calls("check_pause")
    resumed = await controls(people, "ada", "resume")
    told, after = await ada.calls("check_pause"), await ada.calls("check_pause")

    assert (paused.status_code, resumed.status_code) == (201, 201)
    assert (checked["pause"], checked["reasons"], checked["checkpoint_id"]) == (True, ["control"], None)
    assert checked["control"] | {"at": ""} == {
        "action": "pause",
        "by": "human:eva",
        "message_id": 1,
        "at": "",
        "reason": "the plan changes",
    }
    assert again["pause"] is True
    assert (told["pause"], told["control"]["action"]) == (False, "resume")
    assert (after["pause"], "control" in after) == (False, False)
    assert (await bob.calls("check_pause"))["pause"] is False


async def test_brief_shows_what_a_person_asks_and_people_see_that_the_agent_knows(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    people = await person(company)
    await controls(people, "ada", "stop")
    before = (await people.get(MESSAGES)).json()["messages"][0]

    brief = await ada.calls("brief")

    after = (await people.get(MESSAGES)).json()["messages"][0]
    assert brief["control"]["action"] == "stop"
    assert (before["kind"], before["to"], "acknowledged_at" in before) == ("control", "ada", False)
    assert before["timestamp"] <= after["acknowledged_at"]
    events = (await people.get("/sessions/sess_one/activity")).json()["events"]
    assert [event["control"] for event in events if event["kind"] == "message/acknowledged"] == ["stop"]
    assert "control" not in await bob.calls("brief")
    assert "message/acknowledged" not in json.dumps(await bob.calls("read_events"))


async def test_a_program_that_reads_the_brief_as_a_resource_acknowledges_nothing(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    people = await person(company)
    await controls(people, "ada", "pause")

    uri = "longtable://session/sess_one/brief"
    read = await ada.posts("resources/read", {"uri": uri}, **{"Mcp-Name": uri})

    assert "pause" in read.text
    assert "acknowledged_at" not in (await people.get(MESSAGES)).text


async def test_only_a_person_asks_for_a_pause_and_never_over_mcp(company: Table) -> None:
    ada, _ = await joined(company, "ada", "bob")
    issued = await company.app.tokens.create(Credential("acme", Role.OWNER, "eva"), None)
    over_mcp = company.agent(None, "sess_one", issued.secret)
    arguments = {"content": "pause", "to": "bob", "kind": "control"}

    for agent in (ada, over_mcp):
        assert (await agent.tries("add_message", **arguments))["code"] == "FORBIDDEN"
    refused = await company.agent("ada", token=ACME).client.post(MESSAGES, json=arguments)

    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert await contents(ada) == []


@pytest.mark.parametrize(
    ("sent", "field"), [({"content": "halt", "to": "ada"}, "content"), ({"content": "pause"}, "to")]
)
async def test_what_cannot_be_asked_of_an_agent_is_refused(company: Table, sent: dict[str, str], field: str) -> None:
    await joined(company, "ada")

    answer = await (await person(company)).post(MESSAGES, json={**sent, "kind": "control"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert field in answer.json()["error"]["error"]
