"""What answers cost a model in fixed scenes: the figures of the reference, so that nobody makes them grow unseen."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.spec.test_tool_list import tokens
from tests.table import Agent, Table

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "answer-sizes.md"
MOST_CHARACTERS = 25_000
LINE = "Line {} of a long section, with some words of its own.\n"
WORDS = "A sentence of the kind that agents write about their work. "


def figures(answer: str) -> tuple[int, int]:
    """Tokens, and the most that they may be, from the row of the page that begins so."""
    row = next(line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(f"| {answer}"))
    _, _, documented, most, _ = row.split("|")
    return int(documented), int(most)


def check(answer: str, counted: int) -> None:
    documented, most = figures(answer)
    assert counted <= documented <= most, f"{answer}: {counted} tokens"
    assert documented <= counted * 1.1, f"{answer}: {counted} tokens, the page tells more"


async def text_of(agent: Agent, tool: str, **arguments: Any) -> str:
    reply = (await agent.posts("tools/call", {"name": tool, "arguments": arguments})).json()
    assert "result" in reply, (tool, reply)
    return str(reply["result"]["content"][0]["text"])


async def test_fifty_short_messages(alice: Agent, bob: Agent) -> None:
    for number in range(50):
        await bob.calls("add_message", content=f"Message {number}")

    check("`get_messages`", tokens(await alice.calls("get_messages")))


async def test_a_conflict_on_a_section_of_a_mebibyte(alice: Agent) -> None:
    long = "".join(LINE.format(number) for number in range(18_200))
    for content in (long, long.replace("some", "more")):
        await alice.calls("write_draft_section", section_id="long", content=content)

    arguments = {"section_id": "long", "content": "mine", "expected_version": 1}
    reply = await alice.posts("tools/call", {"name": "write_draft_section", "arguments": arguments})

    result = reply.json()["result"]
    assert len(long) > 1_000_000
    assert result["structuredContent"]["error"]["code"] == "VERSION_CONFLICT"
    check("`VERSION_CONFLICT`", tokens(result))


@pytest.mark.slow
async def test_a_brief_of_a_large_table(alice: Agent, bob: Agent) -> None:
    for _ in range(2):
        await alice.calls("add_tasks", tasks=[{"description": WORDS, "depends_on": []}] * 150)
    for first in range(0, 1_000, 100):
        notes = (bob.adds_note(f"{number}: {WORDS * 3}", tags=["x"]) for number in range(first, first + 100))
        messages = (bob.calls("add_message", content=f"{n}: {WORDS}") for n in range(first // 2, first // 2 + 50))
        await asyncio.gather(*notes, *messages)
    await alice.calls("write_draft_section", section_id="intro", content=WORDS * 100)
    await alice.calls("add_question", question=WORDS, blocking=True)

    check("`brief`", tokens(await alice.calls("brief")))


async def fill(agent: Agent, other: Agent) -> str:
    """Leaves more than an answer can show of everything. Returns the id of a cell."""
    long = WORDS * 100
    many: list[Any] = []
    for number in range(12):
        many += [
            agent.adds_note(long),
            agent.calls("add_message", content=long),
            agent.calls("write_draft_section", section_id=f"s{number}", content=long, title="T" * 200),
            agent.calls("add_question", question=long, context=long, options=["o" * 900, "p" * 900]),
            agent.calls("set_memory", key=f"{number}-" + "k" * 240, value=long),
            agent.calls("create_session", session_id=f"sess_{number}", purpose=long),
            agent.calls("scratch_create", scratch_id=f"pad-{number}", metadata={"description": long, "own": long}),
            agent.calls("scratch_namespace_create", namespace=f"{number}-" + "n" * 120),
        ]
    await asyncio.gather(*many)
    for batch in range(3):
        paths = [f"{batch}-{number}-{'p' * 230}" for number in range(50)]
        await agent.calls("reserve", paths=paths, reason="r" * 120)
    await agent.calls("set_memory", key="value", value={"list": [long] * 10})
    await agent.calls("write_draft_section", section_id="s0", content=long * 20)
    await agent.calls("add_tasks", tasks=[{"description": long[:2_000], "metadata": {"own": long}}] * 30)
    for _ in range(4):
        await agent.calls("update_task", task_id="t1", note=long)
    await other.calls("submit_answers", answers={f"q{number}": long for number in range(1, 7)})
    metadata = {"summary": long, "own": long, "schemas": {f"s{number}": {"title": long} for number in range(4)}}
    cells: list[dict[str, Any]] = [
        {"language": "md", "content": long, "tags": [f"{number}" * 60], "metadata": {"own": long}}
        for number in range(9)
    ]
    cells += [{"language": "json", "content": "{", "validate": True}] * 60
    made = await agent.calls("scratch_create", scratch_id="pad", metadata=metadata, cells=cells)
    return str(made["scratchpad"]["cells"][0]["cell_id"])


def calls_of_every_reading_tool(session: str) -> dict[str, dict[str, Any]]:
    """With as little as each can be called with."""
    pad = {"scratch_id": "pad"}
    plain = (
        *("brief", "read_notes", "get_messages", "read_plan", "read_draft", "list_sections", "read_events"),
        *("get_pending_questions", "get_answered_questions", "get_session", "list_sessions", "list_memory"),
        *("get_audit_log", "scratch_list", "scratch_list_tags", "scratch_namespace_list", "list_reservations"),
    )
    of_a_pad = ("scratch_read", "scratch_list_cells", "scratch_validate", "scratch_list_schemas")
    return {
        **{tool: {} for tool in plain},
        **{tool: pad for tool in of_a_pad},
        "wait_for_answers": {"timeout_seconds": 0},
        "wait_for_messages": {"timeout_seconds": 0},
        "diff_draft": {"section_id": "s0", "from_version": 1},
        "read_section": {"section_name": "s0"},
        "search_context": {"query": "sentence"},
        "scratch_search": {"query": "sentence"},
        "get_memory": {"key": "value"},
        "scratch_get_schema": {**pad, "schema_id": "s1"},
        "join_session": {"session_id": session},
    }


def writes_with_long_answers(cell_id: str) -> Iterable[tuple[str, dict[str, Any]]]:
    pad = {"scratch_id": "pad"}
    yield "check_pause", {"agent_requested": True}
    yield "claim_task", {"task_id": "t1"}
    yield "release", {}
    yield "update_task", {"task_id": "t1", "note": WORDS * 50}
    yield "add_tasks", {"tasks": [{"description": WORDS * 10}] * 100}
    yield "scratch_append_cell", {**pad, "cell": {"language": "md", "content": WORDS * 100}}
    yield "scratch_move_cell", {**pad, "cell_id": cell_id, "new_index": 3}
    yield "scratch_update", {**pad, "metadata": {"description": WORDS * 100}}
    yield (
        "scratch_upsert_schema",
        {**pad, "schema": {"name": "new", "description": "d", "schema": {"title": WORDS * 600}}},
    )


@pytest.mark.slow
async def test_no_tool_answers_more_than_a_model_can_take_unless_it_asks(
    table: Table, session: str, alice: Agent, bob: Agent
) -> None:
    cell_id = await fill(alice, bob)
    reads = calls_of_every_reading_tool(session)
    ours = {tool.name for tool in table.app.dispatcher.tools.values() if tool.over_mcp and tool.needs is None}
    assert set(reads) == {name for name in ours if not table.app.dispatcher.tools[name].writes}

    sizes = {tool: len(await text_of(alice, tool, **arguments)) for tool, arguments in reads.items()}
    for tool, arguments in writes_with_long_answers(cell_id):
        sizes[tool] = len(await text_of(alice, tool, **arguments))

    assert {tool: size for tool, size in sizes.items() if size > MOST_CHARACTERS} == {}
    assert sum(size > MOST_CHARACTERS // 2 for size in sizes.values()) > 10, "the scene is large enough to tell"


async def test_an_agent_that_starts_cold_does_something_useful_in_its_third_call(table: Table) -> None:
    """All that it knows is what the server told it: the tools, and the answers of its calls."""
    session = await table.session("sess_one", purpose="Find out why the parser is slow.")
    await table.agent("lead", session).calls("add_tasks", tasks=[{"description": "Measure the parser"}])
    carol = table.agent("carol", session)
    listed = {tool["name"] for tool in (await carol.posts("tools/list", {})).json()["result"]["tools"]}

    brief = json.loads(await text_of(carol, "brief"))
    claim = json.loads(await text_of(carol, "claim_task", task_id=brief["plan"]["ready"][0]["id"]))
    note = json.loads(await text_of(carol, "add_note", content=f"{claim['task']['description']}: 40 ms for each file."))

    assert {"brief", "claim_task", "add_note"} <= listed
    assert brief["purpose"] == "Find out why the parser is slow."
    assert (claim["task"]["assigned_to"], note["ok"]) == ("carol", True)
