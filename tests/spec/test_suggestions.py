"""Who misspells a name is told which one was most likely meant: of those that they may see, and of no others."""

from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.spec.test_identity import token
from tests.table import Agent, Table


@pytest.fixture
async def alice(table: Table) -> Agent:
    return table.agent("alice", await table.session("sess_one"))


async def refusal(agent: Agent, tool: str, **arguments: Any) -> str:
    """The words of a refusal."""
    refused = await agent.tries(tool, **arguments)
    words: str = refused["error"] if isinstance(refused["error"], str) else refused["error"]["error"]
    return words


async def test_a_misspelt_tool_is_answered_with_the_one_that_was_meant(alice: Agent) -> None:
    assert "Did you mean 'add_note'?" in await refusal(alice, "add_nte")
    assert "Did you mean 'add_note'?" in await refusal(alice, "AddNote")
    assert "Did you mean" not in await refusal(alice, "make_coffee_for_everybody")


async def test_no_tool_is_suggested_that_the_caller_may_not_use(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    secret = await token(company, "acme", Role.AGENT, agent="ada", session_id="sess_acme")

    assert "Did you mean 'create_session'?" in await refusal(company.agent(token="acme-secret"), "create_sesion")
    assert "'create_session'" not in await refusal(company.agent(token=secret), "create_sesion")


async def test_a_misspelt_id_is_answered_with_the_one_that_was_meant(alice: Agent) -> None:
    await alice.calls("write_draft_section", section_id="market_analysis", content="It grows.")
    await alice.calls("set_memory", key="deploy.target", value="staging")
    cell = {"language": "md", "content": "# Results"}
    created = await alice.calls("scratch_create", scratch_id="experiment-7", cells=[cell])
    cell_id = created["scratchpad"]["cells"][0]["cell_id"]
    near = cell_id[:-1] + ("0" if cell_id[-1] != "0" else "1")

    errors = {
        "market_analysis": await refusal(alice, "diff_draft", section_id="market-analyis", from_version=1),
        "deploy.target": await refusal(alice, "get_memory", key="deploy.targt"),
        "experiment-7": await refusal(alice, "scratch_read", scratch_id="experiment_7"),
        cell_id: await refusal(alice, "scratch_delete_cell", scratch_id="experiment-7", cell_id=near),
        "t3": await refusal(alice, "update_task", task_id="task 3", note="Done."),
        "n2": await refusal(alice, "add_note", content="newer", supersedes="2"),
        "q4": await refusal(alice, "withdraw_question", question_id="4"),
    }

    assert {name: words for name, words in errors.items() if f"Did you mean '{name}'?" not in words} == {}


async def test_nothing_is_suggested_that_belongs_to_others(company: Table) -> None:
    theirs = company.agent("eve", token="rival-secret")
    ours = company.agent("bob", token="acme-secret")
    await theirs.calls("create_session", session_id="sess_theirs")
    await ours.calls("create_session", session_id="sess_ours")
    await theirs.calls("scratch_create", scratch_id="merger-plans")
    await company.agent("ada", token="acme-secret").calls("set_memory", key="diary.monday", value="tired")

    words = [
        await refusal(ours, "scratch_read", scratch_id="merger-plan"),
        await refusal(ours, "get_memory", key="diary.mondy"),
        await refusal(ours, "get_session", session_id="sess_their"),
    ]

    assert not [each for each in words if "Did you mean" in each]
