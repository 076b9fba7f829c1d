"""One call brings an agent up to date: what waits for it, what it could do, and where everything stands, in a few
thousand characters."""

import json
from typing import Any

import pytest

from tests.table import Agent, Refused, Table

RESOURCE = "longtable://session/sess_one/brief"


async def a_busy_table(table: Table) -> tuple[Agent, Agent]:
    """Alice has asked something and holds a task; Bob has answered and written."""
    alice = table.agent("alice", await table.session("sess_one"))
    bob = table.agent("bob", "sess_one")
    await alice.calls("add_tasks", tasks=[{"description": "Parse the dates"}, {"description": "Write tests"}])
    await alice.calls("claim_task", task_id="t1")
    await alice.calls("add_question", question="Which format?")
    await bob.calls("submit_answers", answers={"q1": "ISO 8601"})
    await bob.calls("add_message", content="I look at the parser.\nIt is slow.")
    await bob.adds_note("The parser is slow.\nBy a factor of two.")
    await bob.adds_note("Dates are in UTC.", tags=["pinned"])
    await bob.calls("write_draft_section", section_id="intro", title="Introduction", content="Once", expected_version=0)
    return alice, bob


async def test_an_agent_that_arrives_learns_in_one_call_where_the_team_stands(table: Table) -> None:
    alice, _ = await a_busy_table(table)

    brief = await alice.calls("brief")

    assert (brief["session_id"], brief["you"]) == ("sess_one", "alice")
    assert brief["waiting"]["unread"] == 1
    assert [one["content"] for one in brief["waiting"]["messages"]] == ["I look at the parser. It is slow."]
    assert [(one["id"], one["answer"]) for one in brief["waiting"]["answers"]] == [("q1", "ISO 8601")]
    assert [task["id"] for task in brief["plan"]["mine"]] == ["t1"]
    assert [task["id"] for task in brief["plan"]["ready"]] == ["t2"]
    assert brief["plan"]["tasks"] == {"in_progress": 1, "pending": 1, "ready": 1}
    assert [one["agent"] for one in brief["agents"]] == ["bob", "orchestrator"]
    assert [(one["section_id"], one["version"]) for one in brief["draft"]] == [("intro", 1)]
    assert [note["headline"] for note in brief["notes"]["newest"]] == ["The parser is slow. By a factor of two."]
    assert [note["id"] for note in brief["notes"]["pinned"]] == ["n2"]


async def test_another_agent_is_shown_who_holds_what(table: Table) -> None:
    _, bob = await a_busy_table(table)

    brief = await bob.calls("brief")

    assert [(one["agent"], one.get("task")) for one in brief["agents"]] == [("alice", "t1"), ("orchestrator", None)]
    assert "mine" not in brief["plan"]
    assert brief["waiting"] == {"unread": 0}


async def test_a_headline_does_not_count_as_read(table: Table) -> None:
    alice, _ = await a_busy_table(table)
    await alice.calls("brief")

    assert (await alice.calls("brief"))["waiting"]["unread"] == 1
    assert (await alice.calls("wait_for_messages", timeout_seconds=0))["count"] == 1
    assert (await alice.calls("brief"))["waiting"]["unread"] == 0


async def test_private_messages_of_others_are_neither_shown_nor_counted(table: Table) -> None:
    alice, bob = await a_busy_table(table)
    await bob.calls("add_message", content="for myself", visibility="private")

    brief = await alice.calls("brief")

    assert brief["waiting"]["unread"] == 1
    assert "for myself" not in json.dumps(brief)


async def test_since_shows_only_what_is_new_or_changed(table: Table) -> None:
    alice, bob = await a_busy_table(table)
    before = await alice.calls("brief")
    await bob.adds_note("One more.")
    await bob.calls("update_task", task_id="t2", status="blocked")

    brief = await alice.calls("brief", since=before["as_of"])

    assert [note["headline"] for note in brief["notes"]["newest"]] == ["One more."]
    assert "pinned" not in brief["notes"]
    assert "draft" not in brief
    assert [(task["id"], task["status"]) for task in brief["plan"]["changed"]] == [("t2", "blocked")]


async def test_an_empty_session_says_little(table: Table) -> None:
    alice = table.agent("alice", await table.session("sess_one"))

    brief = await alice.calls("brief")

    assert set(brief) - {"ok", "session_id", "purpose", "you", "as_of", "waiting", "agents", "timestamp"} == set()
    assert brief["waiting"] == {"unread": 0}


@pytest.mark.parametrize("most", [1_000, 2_500, 6_000])
async def test_the_answer_fits_and_says_how_much_it_leaves_out(table: Table, most: int) -> None:
    alice = table.agent("alice", await table.session("sess_one"))
    bob = table.agent("bob", "sess_one")
    await bob.calls("add_tasks", tasks=[{"description": f"Task {number} " + "x" * 200} for number in range(30)])
    await alice.calls("claim_task", task_id="t30")
    for number in range(25):
        await bob.adds_note(f"Note {number} " + "y" * 200)
        await bob.calls("add_message", content=f"Message {number} " + "z" * 200)

    brief = await alice.calls("brief", max_chars=most)

    assert len(json.dumps(_own(brief), ensure_ascii=False)) <= most
    assert [task["id"] for task in brief["plan"]["mine"]] == ["t30"]
    assert brief["more"]["plan.ready"] + len(brief["plan"].get("ready", [])) == 29
    assert brief["waiting"]["unread"] == 25


@pytest.mark.parametrize(("arguments", "named"), [({"max_chars": 10}, "max_chars"), ({"since": "yesterday"}, "since")])
async def test_a_wrong_argument_is_named(table: Table, arguments: dict[str, Any], named: str) -> None:
    alice = table.agent("alice", await table.session("sess_one"))

    with pytest.raises(Refused, match=named) as refused:
        await alice.calls("brief", **arguments)

    assert refused.value.code == "INVALID_ARGUMENT"


async def test_it_is_a_resource_and_a_route_as_well(table: Table) -> None:
    alice, _ = await a_busy_table(table)

    shown = (await alice.client.get("/sessions/sess_one/brief")).json()
    read = await alice.posts("resources/read", {"uri": RESOURCE}, **{"Mcp-Name": RESOURCE})

    assert shown["notes"]["total"] == 2
    assert json.loads(read.json()["result"]["contents"][0]["text"])["notes"]["total"] == 2


def _own(brief: dict[str, Any]) -> dict[str, Any]:
    """Without what every answer has."""
    return {name: value for name, value in brief.items() if name not in ("ok", "timestamp", "_inbox")}
