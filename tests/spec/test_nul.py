"""The character NUL is in no text that Longtable keeps, however deep it lies."""

from typing import Any

import pytest

from tests.table import Agent, Refused, Table

NUL = "a\0b"


@pytest.mark.parametrize(
    ("tool", "arguments", "path"),
    [
        ("set_memory", {"key": "k", "value": NUL}, "value"),
        ("set_memory", {"key": "k", "value": {"deep": [1, {"er": NUL}]}}, "value.deep.1.er"),
        ("set_memory", {"key": "k", "value": {NUL: 1}}, "value"),
        ("add_message", {"content": "x", "metadata": {"a": [NUL]}}, "metadata.a.0"),
        ("create_session", {"metadata": {"a": NUL}}, "metadata.a"),
        ("add_tasks", {"tasks": [{"description": "x", "metadata": {"a": NUL}}]}, "tasks.0.metadata.a"),
        ("scratch_create", {"scratch_id": "pad", "metadata": {"a": NUL}}, "metadata.a"),
        ("update_task", {"task_id": "t1", "note": NUL}, "note"),
        ("read_notes", {"author": NUL}, "author"),
        ("search_context", {"query": NUL}, "query"),
    ],
)
async def test_a_text_with_nul_is_refused_by_the_name_of_its_field(
    alice: Agent, tool: str, arguments: dict[str, Any], path: str
) -> None:
    with pytest.raises(Refused, match="NUL") as refused:
        await alice.calls(tool, **arguments)

    assert refused.value.code == "INVALID_ARGUMENT"
    assert refused.value.details["errors"][0]["path"] == path


async def test_a_text_that_only_writes_about_nul_is_kept(table: Table, alice: Agent) -> None:
    await alice.calls("set_memory", key="k", value={"escape": "\\u0000", "word": "NUL"})

    assert (await alice.calls("get_memory", key="k"))["value"] == {"escape": "\\u0000", "word": "NUL"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("update_task", {"task_id": NUL, "note": "x"}, "INVALID_ARGUMENT"),
        ("list_memory", {"cursor": NUL}, "INVALID_ARGUMENT"),
        ("read_notes", {"cursor": NUL}, "INVALID_ARGUMENT"),
        ("scratch_read", {"scratch_id": NUL}, "INVALID_ID"),
        ("get_session", {"session_id": NUL}, "SESSION_MISMATCH"),
    ],
)
async def test_no_id_and_no_cursor_has_it_either(alice: Agent, tool: str, arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused, match=code):
        await alice.calls(tool, **arguments)
