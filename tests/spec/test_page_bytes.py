"""Pages are made of rows without their models, and are what the models would have made of them, byte by byte."""

from typing import Any

import pytest

from tests.table import Agent, Table

STRANGE = 'Ünïcödé 🦉 "quoted" \\ back\tslash\r\n\b\f\x01\x7f\u2028 </script> नमस्ते'
NESTED = {"a": [1, 2.5, None, True, {"ключ": STRANGE}], "b": {}, "c": []}

READS: list[tuple[str, dict[str, Any]]] = [
    ("read_notes", {}),
    ("read_notes", {"order": "newest", "limit": 2}),
    ("read_notes", {"tags": ["ß"]}),
    ("read_notes", {"query": "quoted"}),
    ("read_notes", {"author": "nobody"}),
    ("get_messages", {}),
    ("get_messages", {"before_id": 3, "limit": 1}),
    ("get_messages", {"thread": 1}),
    ("wait_for_messages", {"after_id": 0, "timeout_seconds": 0}),
    ("read_plan", {}),
    ("read_plan", {"status": "in_progress"}),
    ("read_plan", {"ready": False}),
    ("list_sections", {}),
    ("read_draft", {}),
    ("read_draft", {"include_content": False}),
    ("read_events", {}),
    ("get_session", {}),
    ("get_audit_log", {}),
]


@pytest.fixture
async def filled(alice: Agent) -> Agent:
    await alice.adds_note(STRANGE, tags=["ß", 'a"b', "x"], source=STRANGE)
    await alice.adds_note("Another one", supersedes="n1")
    await alice.adds_note("The third, quoted")
    await alice.calls("add_message", content=STRANGE, metadata=NESTED)
    await alice.calls("add_message", content="To myself", visibility="private", parent_message_id=1)
    await alice.calls("add_message", content="To my kind", visibility="agent_only")
    tasks = [{"description": STRANGE, "metadata": NESTED, "priority": "low"}, {"description": "two"}]
    tasks += [{"description": "three", "depends_on": ["#1", "#0"]}, {"description": "four", "depends_on": ["#2"]}]
    await alice.calls("add_tasks", tasks=tasks)
    await alice.calls("claim_task", task_id="t2")
    await alice.calls("update_task", task_id="t1", status="completed", note=STRANGE, assigned_to="bob")
    await alice.calls("write_draft_section", section_id="one", content=STRANGE, title=STRANGE)
    return alice


@pytest.mark.parametrize(("tool", "arguments"), READS, ids=str)
async def test_a_page_is_what_its_model_makes_of_it(
    table: Table, filled: Agent, tool: str, arguments: dict[str, Any]
) -> None:
    if "max_chars" in table.app.dispatcher.tools[tool].arguments.model_fields:
        arguments = {"max_chars": 0, **arguments}
    reply = await filled.posts("tools/call", {"name": tool, "arguments": arguments})

    result = reply.json()["result"]
    fields = dict(result["structuredContent"])
    envelope = {name: fields.pop(name) for name in ("ok", "success", "timestamp", "code", "inbox") if name in fields}
    by_model = table.app.dispatcher.tools[tool].result(**fields).model_dump_json()[1:-1]
    moment = envelope.get("timestamp")
    head = f'{{"success":true,"timestamp":"{moment}",' if moment else '{"ok":true,'
    text = head + by_model + (',"code":"SUCCESS"}' if moment else "}")
    assert "inbox" not in envelope
    assert result["content"][0]["text"] == text
    assert text in reply.text


async def test_a_plan_says_what_each_task_waits_for_in_every_way_of_reading_it(filled: Agent) -> None:
    whole = (await filled.calls("read_plan", max_chars=0))["tasks"]
    some = (await filled.calls("read_plan", max_chars=0, ready=False))["tasks"]

    assert [task["blocked_by"] for task in whole] == [[], [], ["t2"], ["t3"]]
    assert [task["depends_on"] for task in whole] == [[], [], ["t2", "t1"], ["t3"]]
    assert [task["ready"] for task in whole] == [False, False, False, False]
    assert some == whole
