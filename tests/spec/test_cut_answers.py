"""Answers over REST that were asked to be short: they keep the form that the OpenAPI document promises."""

from typing import Any

import pytest

from longtable.toolkit.answer_size import MaxChars
from tests.spec.openapi_document import answer_schema, check
from tests.table import Agent, Table

SESSION = "sess_one"
LONG = "a long text, " * 200
NAMES = {"session_id": SESSION, "section_id": "intro", "scratch_id": "pad", "schema_id": "form"}
SCHEMA = {"name": "form", "description": LONG, "schema": {"description": LONG}}
CELL = {"language": "json", "content": LONG, "validate": True, "metadata": {"of": [LONG]}}
GIVEN: dict[str, dict[str, Any]] = {
    "submit_answers": {"answers": [{"question_id": "q1", "answer": LONG}]},
    "scratch_create": {"scratch_id": "another", "metadata": {"description": LONG}},
    "scratch_update": {"metadata": {"description": LONG}},
    "scratch_append_cell": {"cell": CELL},
    "scratch_replace_cell": {"cell": CELL},
    "scratch_move_cell": {"new_index": 0},
    "scratch_upsert_schema": {"schema": SCHEMA},
    "diff_draft": {"from_version": 1},
    "search_context": {"query": "long"},
}
ONCE = "submit_answers"
"""It is refused afterwards."""


@pytest.fixture
async def ada(table: Table) -> Agent:
    """Somebody with much of everything, and some of it empty."""
    agent = table.agent("ada", await table.session(SESSION))
    for number in range(12):
        await agent.calls(
            "add_message", content=LONG if number % 2 else "short", metadata={"n": LONG} if number else {}
        )
        await agent.adds_note(LONG if number % 2 else "short", tags=["x"] if number % 2 else [])
    for text in ("one", LONG):
        await agent.calls("write_draft_section", section_id="intro", content=text)
    await agent.calls("add_tasks", tasks=[{"description": LONG[:2_000], "metadata": {"n": LONG}}, {"description": "b"}])
    await agent.calls("update_task", task_id="t1", note=LONG[:1_000])
    await agent.calls("add_question", question="Which?", context=LONG[:1_000])
    await agent.calls("scratch_create", scratch_id="pad", metadata={"title": "Pad", "of": [LONG]})
    await agent.calls("scratch_create", scratch_id="empty")
    await agent.calls("scratch_upsert_schema", scratch_id="pad", schema=SCHEMA)
    for _ in range(2):
        await agent.calls("scratch_append_cell", scratch_id="pad", cell=CELL)
    return agent


async def test_an_answer_that_was_cut_has_the_form_that_the_document_promises(table: Table, ada: Agent) -> None:
    document = (await ada.client.get("/openapi.json")).json()
    tools = [tool for tool in table.app.dispatcher.tools.values() if issubclass(tool.arguments, MaxChars)]
    cut = set()
    for most in (1, 300, 2_000):
        for tool, route in [(each, route) for each in tools for route in each.routes]:
            given = {**GIVEN.get(tool.name, {}), "max_chars": most}
            sent: dict[str, Any] = {"params": given} if route.method in ("GET", "DELETE") else {"json": given}
            cells = (await ada.calls("scratch_list_cells", scratch_id="pad"))["cells"]
            path = route.path.format(**NAMES, cell_id=cells[0]["cell_id"])
            response = await ada.client.request(route.method, path, **sent)

            assert response.status_code < 300 or tool.name == ONCE, (tool.name, response.text)
            check(
                document,
                answer_schema(document, route.path, route.method.lower(), response.status_code),
                response.json(),
            )
            if '"truncated":true' in response.text:
                cut.add(tool.name)

    assert len(cut) > 15, cut


async def test_what_was_empty_or_the_same_for_all_is_there_all_the_same(ada: Agent) -> None:
    page = (await ada.client.get(f"/sessions/{SESSION}/messages", params={"max_chars": 50_000})).json()
    notes = (await ada.client.get(f"/sessions/{SESSION}/notes", params={"max_chars": 50_000})).json()["notes"]
    whole = (await ada.client.get(f"/sessions/{SESSION}/notes")).json()["notes"]

    assert {(each["session_id"], each["visibility"]) for each in page["messages"]} == {(SESSION, "public")}
    assert notes == whole
