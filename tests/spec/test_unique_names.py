"""No answer has a field twice: parsers differ in which one counts."""

import json
from typing import Any

import pytest

from tests.table import Table

READS = [
    "brief",
    "get_session",
    "read_notes",
    "get_messages",
    "read_draft",
    "read_plan",
    "read_events",
    "list_sessions",
]


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), names
    return dict(pairs)


@pytest.mark.parametrize("tool", READS)
async def test_every_field_of_an_answer_is_there_once(table: Table, tool: str) -> None:
    agent = table.agent("alice")
    await agent.calls("add_message", content="Hello.")
    await agent.adds_note("a note")
    answer = await agent.posts("tools/call", {"name": tool, "arguments": {}})

    body = json.loads(answer.text, object_pairs_hook=unique)
    text = json.loads(body["result"]["content"][0]["text"], object_pairs_hook=unique)

    assert not body["result"]["isError"], text
