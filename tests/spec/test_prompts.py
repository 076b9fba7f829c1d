"""Prompts teach the habits of a table in few words, and complete what they name."""

from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from longtable.server.mcp import INSTRUCTIONS
from tests.listening import local, server_for
from tests.spec.test_resources import BOTH_REVISIONS
from tests.table import Agent, Table

NAMES = ["join_table", "take_a_task", "hand_over", "review_section", "ask_a_human"]


@pytest.fixture
async def alice(table: Table) -> Agent:
    return table.agent("alice", await table.session("sess_one"))


async def asked(agent: Agent, method: str, params: dict[str, Any]) -> dict[str, Any]:
    named = params.get("name") or params.get("ref", {}).get("name")
    answer = (await agent.posts(method, params, **({"Mcp-Name": named} if "name" in params else {}))).json()
    assert "result" in answer, answer
    result: dict[str, Any] = answer["result"]
    return result


async def text_of(agent: Agent, name: str, **arguments: str) -> str:
    result = await asked(agent, "prompts/get", {"name": name, "arguments": arguments})
    (message,) = result["messages"]
    text: str = message["content"]["text"]
    return text


async def completed(agent: Agent, prompt: str, argument: str, value: str = "") -> list[str]:
    params = {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": value}}
    values: list[str] = (await asked(agent, "completion/complete", params))["completion"]["values"]
    return values


async def test_there_is_one_for_each_thing_that_agents_do_again_and_again(alice: Agent) -> None:
    listed = (await asked(alice, "prompts/list", {}))["prompts"]

    assert [prompt["name"] for prompt in listed] == NAMES
    assert all(prompt["title"] and prompt["description"] and prompt["arguments"] for prompt in listed)


@pytest.mark.parametrize("name", NAMES)
async def test_each_is_short_and_names_tools_that_there_are(alice: Agent, name: str) -> None:
    given = (
        {"section_id": "intro"} if name == "review_section" else {"question": "Which?"} if name == "ask_a_human" else {}
    )
    tools = {tool["name"] for tool in (await asked(alice, "tools/list", {}))["tools"]}

    text = await text_of(alice, name, **given)

    words = {word.strip(".,:;") for word in text.split()}
    assert len(text) < 700
    assert words & tools
    assert {word for word in words if "_" in word} <= tools | {"expected_version"}
    assert "<" not in text


async def test_what_is_given_stands_in_the_text_as_it_is(alice: Agent) -> None:
    assert "Ship {it} <to> Mars?" in await text_of(alice, "ask_a_human", question="Ship {it} <to> Mars?")
    assert "Claim t3 with" in await text_of(alice, "take_a_task", task_id="t3")


async def test_arguments_are_completed_from_the_session(alice: Agent, table: Table) -> None:
    await alice.calls("add_tasks", tasks=[{"description": "One"}, {"description": "Two", "depends_on": ["#0"]}])
    await alice.calls("write_draft_section", section_id="intro", content="Once")
    await table.agent("bob", "sess_one").adds_note("here")

    assert await completed(alice, "take_a_task", "task_id") == ["t1"]
    assert await completed(alice, "review_section", "section_id", "in") == ["intro"]
    assert await completed(alice, "review_section", "section_id", "out") == []
    assert "bob" in await completed(alice, "hand_over", "to")
    assert await completed(alice, "ask_a_human", "question") == []


@pytest.mark.parametrize(
    ("name", "arguments", "named"),
    [
        ("review_section", {}, "section_id"),
        ("join_table", {"wrong": "x"}, "wrong"),
        ("no_such_prompt", {}, "no_such_prompt"),
        ("ask_a_human", {"question": "x" * 20_000}, "question"),
    ],
)
async def test_a_wrong_request_is_told_what_is_wrong(
    alice: Agent, name: str, arguments: dict[str, str], named: str
) -> None:
    params = {"name": name, "arguments": arguments}

    answer = (await alice.posts("prompts/get", params)).json()

    assert named in answer["error"]["message"]
    assert answer["error"]["code"] == types.INVALID_PARAMS


async def test_another_tenants_things_are_not_completed(company: Table) -> None:
    rival = company.agent("rob", "sess_rival", "rival-secret")
    await company.agent(token="rival-secret").calls("create_session", session_id="sess_rival")
    await rival.calls("write_draft_section", section_id="secret-plans", content="x")
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")

    assert await completed(company.agent("ann", "sess_acme", "acme-secret"), "review_section", "section_id") == []


@BOTH_REVISIONS
async def test_the_official_client_gets_them_in_both_revisions(table: Table, mode: str) -> None:
    await table.session("sess_one")
    async with Client(server_for(table.app, local("carol", "sess_one")), mode=mode) as client:
        listed = (await client.list_prompts()).prompts
        prompt = await client.get_prompt("join_table", {"goal": "Test it."})

        with pytest.raises(MCPError) as refused:
            await client.get_prompt("join_tables")

    assert refused.value.error.code == types.INVALID_PARAMS
    assert [each.name for each in listed] == NAMES
    assert "Test it." in prompt.messages[0].content.text  # type: ignore[union-attr]  # it is text


def test_the_instructions_have_at_most_120_words_and_teach_the_habits() -> None:
    assert len(INSTRUCTIONS.split()) <= 120
    assert all(
        tool in INSTRUCTIONS for tool in ("brief", "claim_task", "add_note", "add_question", "wait_for_messages")
    )
