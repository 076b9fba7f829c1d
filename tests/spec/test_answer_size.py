"""What an answer may cost a model: over MCP it has a budget, and what is cut can be read on."""

import json
from typing import Any

import pytest

from longtable.toolkit.answer_size import DEFAULT_CHARS
from tests.table import Agent, Table

LONG = "".join(f"Line {number} of a long section, with some words.\n" for number in range(22_000))
"""About a mebibyte."""
MOST = 25_000


async def writes(agent: Agent, section_id: str, content: str, **more: Any) -> None:
    await agent.calls("write_draft_section", section_id=section_id, content=content, **more)


async def answer(agent: Agent, tool: str, **arguments: Any) -> str:
    """The text of a result, as a model reads it."""
    reply = await agent.posts("tools/call", {"name": tool, "arguments": arguments})
    return str(reply.json()["result"]["content"][0]["text"])


@pytest.mark.parametrize("max_chars", [None, 30_000])
async def test_a_long_section_is_read_on_by_its_offset_until_all_of_it_is_there(
    alice: Agent, max_chars: int | None
) -> None:
    text = LONG[:100_000]
    await writes(alice, "long", text)
    arguments = {} if max_chars is None else {"max_chars": max_chars}

    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        found = await alice.calls("read_section", section_name="long", offset=offset, **arguments)
        assert len(found["section"]["content"]) <= (max_chars or DEFAULT_CHARS)
        parts.append(found["section"]["content"])
        offset = found.get("next_offset")
        assert found.get("truncated", False) == (offset is not None)

    assert "".join(parts) == text
    assert len(parts) == -(-len(text) // (max_chars or DEFAULT_CHARS))


async def test_a_draft_is_read_on_across_its_sections(alice: Agent) -> None:
    texts = {f"s{number}": f"{number}" * length for number, length in enumerate([5_000, 0, 30_000, 12, 8_000, 1])}
    for section_id, text in texts.items():
        await writes(alice, section_id, text)

    found: dict[str, str] = {}
    offset: int | None = 0
    while offset is not None:
        page = await alice.calls("read_draft", offset=offset)
        assert sum(len(section["content"]) for section in page["sections"]) <= DEFAULT_CHARS
        for section in page["sections"]:
            found[section["section_id"]] = found.get(section["section_id"], "") + section["content"]
        offset = page.get("next_offset")

    assert found == texts


async def test_rest_gives_everything_unless_less_is_wanted(table: Table, alice: Agent) -> None:
    await writes(alice, "long", LONG)
    client = alice.client

    whole = (await client.get("/sessions/sess_one/draft/long")).json()
    part = (await client.get("/sessions/sess_one/draft/long", params={"max_chars": "100"})).json()

    assert whole["section"]["content"] == LONG
    assert (part["section"]["content"], part["next_offset"], part["truncated"]) == (LONG[:100], 100, True)


async def test_a_text_full_of_what_json_escapes_still_fits(alice: Agent) -> None:
    await writes(alice, "quotes", '"\\\n' * 100_000)

    text = await answer(alice, "read_section", section_name="quotes")

    found = json.loads(text)
    assert len(text) <= MOST
    assert found["next_offset"] == len(found["section"]["content"])


async def test_a_plan_is_read_page_by_page_without_empty_fields(alice: Agent) -> None:
    for _ in range(3):
        await alice.calls("add_tasks", tasks=[{"description": "x" * 100}] * 200)

    first = await alice.calls("read_plan")
    ids = [task["id"] for task in first["tasks"]]
    page = first
    while "next_cursor" in page:
        assert page["truncated"]
        page = await alice.calls("read_plan", cursor=page["next_cursor"])
        ids += [task["id"] for task in page["tasks"]]

    assert ids == [f"t{number}" for number in range(1, 601)]
    assert first["tasks"][0].keys() == {"id", "description", "status", "ready", "priority", "version"}
    assert first["summary"]["total"] == 600


async def test_a_task_with_many_notes_shows_the_newest_and_alone_it_shows_more(alice: Agent) -> None:
    await alice.calls("add_tasks", tasks=[{"description": "one"}, {"description": "two"}])
    for number in range(12):
        await alice.calls("update_task", task_id="t1", note=f"{number} " + "x" * 900)

    [task, _] = (await alice.calls("read_plan"))["tasks"]
    [alone] = (await alice.calls("read_plan", task_id="t1"))["tasks"]
    [whole] = (await alice.calls("read_plan", **task["read_on"]))["tasks"]

    assert task["truncated"]
    assert task["notes"][-1]["text"].startswith("11 ")
    assert 0 < len(task["notes"]) < len(alone["notes"]) < 12
    assert alone["read_on"] == task["read_on"]
    assert len(whole["notes"]) == 12


async def test_long_answers_are_all_told_of_and_read_whole_when_that_is_wanted(alice: Agent, bob: Agent) -> None:
    for number in range(3):
        await alice.calls("add_question", question=f"Question {number}")
    await bob.calls("submit_answers", answers={f"q{number}": "x" * 12_000 for number in (1, 2, 3)})

    found = (await alice.calls("wait_for_answers", timeout_seconds=0))["answers"]
    again = await alice.calls("wait_for_answers", timeout_seconds=0)
    [second] = (await alice.calls("wait_for_answers", **found[1]["read_on"]))["answers"]
    whole = (await alice.calls("get_answered_questions", max_chars=0))["questions"]

    assert [(answer["id"], answer["truncated"]) for answer in found] == [("q1", True), ("q2", True), ("q3", True)]
    assert all(1_000 < len(answer["answer"]) < 12_000 for answer in found)
    assert again["answers"] == []
    assert (second["id"], len(second["answer"])) == ("q2", 12_000)
    assert [len(answer["answer"]) for answer in whole] == [12_000] * 3


async def test_a_question_that_is_too_long_alone_says_how_to_read_all_of_it(alice: Agent, bob: Agent) -> None:
    for number in range(3):
        await alice.calls("add_question", question=f"Question {number}")
    await bob.calls("submit_answers", answers={f"q{number}": "x" * 30_000 for number in (1, 2, 3)})

    first = await alice.calls("get_answered_questions")
    second = await alice.calls("get_answered_questions", cursor=first["next_cursor"])
    read = [await alice.calls("get_answered_questions", **page["questions"][0]["read_on"]) for page in (first, second)]

    assert [page["questions"][0]["truncated"] for page in (first, second)] == [True, True]
    assert [[(each["id"], len(each["answer"])) for each in page["questions"]] for page in read] == [
        [("q1", 30_000)],
        [("q2", 30_000)],
    ]


async def test_questions_are_read_page_by_page(alice: Agent) -> None:
    for number in range(5):
        await alice.calls("add_question", question=f"{number} " + "x" * 8_000)

    page = await alice.calls("get_pending_questions")
    ids = [question["id"] for question in page["questions"]]
    while "next_cursor" in page:
        page = await alice.calls("get_pending_questions", cursor=page["next_cursor"])
        ids += [question["id"] for question in page["questions"]]

    assert ids == [f"q{number}" for number in range(1, 6)]
    assert page["count"] == 5


async def test_a_scratchpad_is_read_on_by_cell_and_inside_of_a_long_one(alice: Agent) -> None:
    texts = ["a" * 9_000, "b" * 50_000, "", "c" * 9_000, "d"]
    cells = [{"language": "txt", "content": text} for text in texts]
    await alice.calls("scratch_create", scratch_id="pad", cells=cells)

    found: dict[int, str] = {}
    place: dict[str, Any] = {}
    for _ in range(10):
        page = await alice.calls("scratch_read", scratch_id="pad", **place)
        for cell in page["scratchpad"]["cells"]:
            found[cell["index"]] = found.get(cell["index"], "") + cell["content"]
        place = {name: page[f"next_{name}"] for name in ("cursor", "offset") if f"next_{name}" in page}
        assert page.get("truncated", False) == bool(place)
        if not place:
            break

    assert [found[index] for index in range(5)] == texts


async def test_a_scratchpad_whose_metadata_is_left_out_says_that_something_is_missing(alice: Agent) -> None:
    metadata = {"title": "t", "long": "x" * 9_000}
    await alice.calls(
        "scratch_create", scratch_id="pad", metadata=metadata, cells=[{"language": "txt", "content": "a"}]
    )

    cut = await alice.calls("scratch_read", scratch_id="pad")
    whole = await alice.calls("scratch_read", scratch_id="pad", max_chars=100_000)

    assert (cut["truncated"], "metadata" in cut["scratchpad"], "next_cursor" in cut) == (True, False, False)
    assert whole["scratchpad"]["metadata"]["long"] == metadata["long"]
    assert "truncated" not in whole


@pytest.mark.parametrize("value", ["x" * 45_000, {"list": ["y" * 100] * 400}])
async def test_a_long_memory_is_read_in_parts(alice: Agent, value: Any) -> None:
    await alice.calls("set_memory", key="long", value=value)

    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        found = await alice.calls("get_memory", key="long", offset=offset)
        parts.append(found["value"])
        offset = found.get("next_offset")

    text = "".join(parts)
    assert (text if isinstance(value, str) else json.loads(text)) == value
    assert (await alice.calls("get_memory", key="long", max_chars=0))["value"] == value


async def test_events_and_keys_are_read_on_where_an_answer_was_cut(alice: Agent) -> None:
    for number in range(120):
        await alice.calls("set_memory", key=f"{number:03}-" + "k" * 240, value=1)
        await alice.adds_note(f"{number} " + "x" * 180)

    keys: list[str] = []
    page = await alice.calls("list_memory", limit=120)
    assert page["truncated"]
    while True:
        keys += [entry["key"][:3] for entry in page["entries"]]
        if page["next_cursor"] is None:
            break
        page = await alice.calls("list_memory", limit=120, cursor=page["next_cursor"])
    notes: list[str] = []
    after = 0
    while events := (await alice.calls("read_events", after=after, limit=500))["events"]:
        notes += [event["note_id"] for event in events if "note_id" in event]
        after = events[-1]["seq"]

    assert keys == [f"{number:03}" for number in range(120)]
    assert notes == [f"n{number}" for number in range(1, 121)]
