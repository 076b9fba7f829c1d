"""One agent, however its name is spelled: upper or lower case, full width or not."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.kernel.caller import Role
from tests.spec.test_plan import adds, tasks_of, updates
from tests.spec.test_questions import asks
from tests.table import Agent, Refused, Table, open_table, person

FULL_WIDTH = "\uff21\uff24\uff21"


@pytest.fixture
async def ada(table: Table, session: str) -> Agent:
    """Who has been here under this spelling first."""
    first = table.agent("Ada", session)
    await first.adds_note("I am here.")
    return first


@pytest.fixture
def other_ada(table: Table, session: str, ada: Agent) -> Agent:
    return spelled(table, FULL_WIDTH, session)


def spelled(table: Table, name: str, session: str) -> Agent:
    agent = table.agent(None, session)
    agent.client.headers.update({b"X-Caller-Agent": name.encode()})
    return agent


async def test_the_first_spelling_is_shown_for_all(table: Table, ada: Agent, session: str) -> None:
    for name in ("ada", "ADA", FULL_WIDTH):
        await spelled(table, name, session).adds_note("Me again.")

    assert {note["author"] for note in await ada.reads_notes()} == {"Ada"}


async def test_a_task_is_held_and_given_to_an_agent_not_to_a_spelling(ada: Agent, other_ada: Agent) -> None:
    await adds(ada, {"assigned_to": "aDA"}, {"assigned_to": "Bob"})

    claimed = await other_ada.calls("claim_task")
    done = await updates(ada, claimed["task"]["id"], status="completed")

    assert (claimed["task"]["assigned_to"], done["assigned_to"]) == ("Ada", "Ada")
    assert list(await tasks_of(ada, assigned_to="ada")) == ["t1"]


async def test_who_is_named_in_a_task_before_they_come_finds_it(table: Table, ada: Agent, session: str) -> None:
    await adds(ada, {"assigned_to": "Bob"})

    claimed = await table.agent("bob", session).calls("claim_task")

    assert claimed["task"]["assigned_to"] == "Bob"


async def test_memory_and_private_messages_are_those_of_the_agent(ada: Agent, other_ada: Agent) -> None:
    await ada.calls("set_memory", key="mood", value="good")
    await ada.calls("add_message", content="to myself", visibility="private")

    assert (await other_ada.calls("get_memory", key="mood"))["value"] == "good"
    assert [one["content"] for one in (await other_ada.calls("get_messages", sender="ada"))["messages"]] == [
        "to myself"
    ]


async def test_a_question_is_that_of_the_agent(ada: Agent, other_ada: Agent) -> None:
    await asks(ada)

    with pytest.raises(Refused, match="FORBIDDEN"):
        await other_ada.calls("submit_answers", answers={"q1": "yes"})
    withdrawn = await other_ada.calls("withdraw_question", question_id="q1")

    assert withdrawn["question"]["status"] == "withdrawn"


async def test_an_idempotency_key_counts_for_the_agent(ada: Agent, other_ada: Agent) -> None:
    first = await ada.calls("add_note", content="once", idempotency_key="k")

    assert await other_ada.calls("add_note", content="once", idempotency_key="k") == first


async def test_filters_find_the_agent_by_any_spelling(table: Table, ada: Agent) -> None:
    await table.app.ledger.flush()

    notes = await ada.reads_notes(author="ADA")
    found = await ada.reads_notes(author="ada", query="here")
    records = (await ada.calls("get_audit_log", agent_id="aDa"))["entries"]

    assert len(notes) == len(found) == 1
    assert {record["agent_id"] for record in records} == {"Ada"}


async def test_people_find_the_usage_and_the_memory_of_an_agent_by_any_spelling(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    ada = company.agent("Ada", "sess_one", "acme-secret")
    await ada.calls("report_usage", model="m-1", input_tokens=100, output_tokens=20)
    await ada.calls("set_memory", key="door", value="4711")
    owner = await person(company, Role.OWNER)

    usage = (await owner.get("/usage?agent=aDA")).json()
    redacted = await owner.post("/memory/redact", json={"agent": "ADA", "key": "door"})

    assert [row["agent"] for row in usage["usage"]] == ["Ada"]
    assert redacted.status_code == 200, redacted.text
    assert (await ada.calls("get_memory", key="door"))["value"] == "[redacted by the owner]"


async def test_a_header_agrees_with_a_token_in_any_spelling(company: Table) -> None:
    boss = company.agent("ACME", token="acme-secret")

    assert (await boss.calls("create_session"))["created_by"] == "acme"


async def test_of_twenty_spellings_at_once_one_is_kept(table: Table, session: str) -> None:
    names = [f"{'Zo' if bits & 1 else 'zO'}{'E' if bits & 2 else 'e'}" for bits in range(20)]

    await asyncio.gather(*(table.agent(name, session).adds_note("hello") for name in names))

    assert len({note["author"] for note in await table.agent("zoe", session).reads_notes()}) == 1


async def test_a_store_from_before_keeps_the_names_that_are_in_it(store: Any, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        await table.agent("Ada", await table.session()).adds_note("long ago")
        await table.app.ledger.flush()
        await table.app.database.write("*", forget_names)

    async with open_table(store, tmp_path) as table:
        ada = table.agent("ADA", "sess_one")
        await ada.adds_note("today")
        assert {note["author"] for note in await ada.reads_notes()} == {"Ada"}


async def forget_names(tx: Any) -> None:
    await tx.execute("DELETE FROM agent_names")
    await tx.execute("DELETE FROM facts WHERE name = 'agent_names'")


async def test_a_private_event_is_told_to_the_agent_in_any_spelling(ada: Agent, other_ada: Agent) -> None:
    await ada.calls("add_message", content="psst", visibility="private")

    events = (await other_ada.calls("read_events", kinds=["message/added"]))["events"]

    assert [event["content_preview"] for event in events] == ["psst"]
