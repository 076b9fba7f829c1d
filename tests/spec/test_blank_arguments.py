"""An optional text that is empty was not given: models fill in every argument that they see."""

from typing import Any

import pytest

from longtable.kernel.errors import InvalidArgument
from longtable.toolkit.arguments import parse_arguments
from scripts import docs
from tests.spec.test_plan import adds, updates
from tests.table import Agent, Refused, Table

READS: dict[str, dict[str, Any]] = {
    "read_notes": {"query": "", "tag": "", "author": "", "mode": "", "order": "", "cursor": ""},
    "read_plan": {"status": "", "assigned_to": ""},
    "get_messages": {"session_id": "", "visibility_filter": "", "sender": "", "since": "", "until": ""},
    "get_pending_questions": {"priority": ""},
    "get_answered_questions": {"since": ""},
    "list_memory": {"session_id": "", "prefix": "", "cursor": ""},
    "list_sessions": {"status": "", "cursor": ""},
    "get_session": {"session_id": ""},
    "scratch_list": {"cursor": ""},
    "get_audit_log": {"event_type": "", "agent_id": "", "session_id": "", "outcome": "", "since": "", "cursor": ""},
    "search_context": {"query": "coffee", "session_id": "", "mode": "", "scope": ""},
}


@pytest.mark.parametrize("tool", READS)
async def test_a_read_with_empty_filters_is_one_without(alice: Agent, tool: str) -> None:
    await alice.adds_note("coffee")
    plain = {name: value for name, value in READS[tool].items() if value}

    result, expected = await alice.calls(tool, **READS[tool]), await alice.calls(tool, **plain)

    changing = ("timestamp", "entries", "count", "next_cursor") if tool == "get_audit_log" else ("timestamp",)
    assert {name: value for name, value in result.items() if name not in changing} == {
        name: value for name, value in expected.items() if name not in changing
    }


async def test_a_write_keeps_what_an_empty_argument_would_have_changed(alice: Agent) -> None:
    await adds(alice, {"assigned_to": "alice", "priority": "", "description": "dig"})
    await alice.calls("write_draft_section", section_id="intro", content="x", title="Title")

    await updates(alice, "t1", status="in_progress", assigned_to="", description="", note="", lease="")
    await alice.calls("write_draft_section", section_id="intro", content="y", title="", idempotency_key="")

    section = (await alice.calls("read_draft", section_id="intro"))["section"]
    [task] = (await alice.calls("read_plan", max_chars=0))["tasks"]
    assert (task["assigned_to"], task["description"], task["priority"], task["notes"]) == ("alice", "dig", "medium", [])
    assert (section["title"], section["version"]) == ("Title", 2)


async def test_inside_a_list_it_counts_as_well(alice: Agent) -> None:
    await adds(alice, {"assigned_to": ""})

    assert (await alice.calls("claim_task", task_id=""))["task"]["id"] == "t1"


async def test_a_text_that_is_needed_must_not_be_empty(alice: Agent) -> None:
    for tool, arguments in (("add_note", {"content": ""}), ("add_question", {"question": ""})):
        with pytest.raises(Refused, match="INVALID_ARGUMENT"):
            await alice.calls(tool, **arguments)


async def test_over_rest_an_empty_value_in_the_query_was_not_given(table: Table, alice: Agent) -> None:
    await alice.adds_note("coffee")

    answer = await alice.client.get("/sessions/sess_one/notes?cursor=&author=&query=&order=")

    assert answer.json()["count"] == 1


async def test_a_task_is_taken_from_its_assignee_by_a_word_of_its_own(alice: Agent) -> None:
    await adds(alice, {"assigned_to": "bob"})

    freed = await updates(alice, "t1", unassign=True)

    assert freed["assigned_to"] is None
    with pytest.raises(Refused, match="unassign"):
        await updates(alice, "t1", unassign=True, assigned_to="bob")


@pytest.mark.parametrize("tool", [tool.name for tool in docs.every_tool()])
def test_no_optional_text_of_any_tool_is_refused_for_being_empty(tool: str) -> None:
    arguments = next(one.arguments for one in docs.every_tool() if one.name == tool)
    schema = arguments.model_json_schema()["properties"]
    texts = {name: "" for name, about in schema.items() if name not in needed(arguments) and takes_text(about)}

    assert not set(faults(arguments, texts)) & set(texts)


@pytest.mark.parametrize("tool", [tool.name for tool in docs.every_tool()])
def test_nothing_that_any_tool_can_do_without_is_refused_for_being_null(tool: str) -> None:
    arguments = next(one.arguments for one in docs.every_tool() if one.name == tool)
    optional = dict.fromkeys(arguments.model_json_schema()["properties"].keys() - needed(arguments))

    assert not set(faults(arguments, optional)) & set(optional)


async def test_what_is_null_is_left_as_if_it_were_not_given(alice: Agent) -> None:
    await alice.adds_note("coffee", tags=None, source=None, supersedes=None)
    await adds(alice, {"assigned_to": None, "depends_on": None, "priority": None, "metadata": None})
    await alice.calls("set_memory", key="k", value=None)

    [task] = (await alice.calls("read_plan", max_chars=0))["tasks"]
    kept = await alice.calls("list_memory", prefix=None, session_id=None, cursor=None, limit=None)

    assert (task["depends_on"], task["priority"]) == ([], "medium")
    assert [entry["key"] for entry in kept["entries"]] == ["k"]


def faults(arguments: Any, given: dict[str, Any]) -> list[str]:
    try:
        parse_arguments(arguments, given)
    except InvalidArgument as refusal:
        return [fault["path"] for fault in refusal.details["errors"]]
    return []


def needed(arguments: Any) -> list[str]:
    required: list[str] = arguments.model_json_schema().get("required", [])
    return required


def takes_text(about: dict[str, Any]) -> bool:
    choices = about.get("anyOf", [about])
    return any(choice.get("type") == "string" for choice in choices)
