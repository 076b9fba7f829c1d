"""Wrong arguments are refused in words that a model can act on: which argument, what is allowed, what was meant."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.table import Agent, Table

LIBRARY_PHRASES = [
    "Input should",
    "Field required",
    "Extra inputs",
    "Value error",
    "valid dictionary",
    "valid string",
    "valid list",
    "String should",
    "List should",
    "Value should",
    "after validation",
    "instance of",
    "pydantic",
    "function-",
    "constrained",
    "is not of type",
    "is not valid under",
]
WRONG_TYPES: dict[str, list[Any]] = {"string": [7, ["a"]], "integer": ["seven", 1.5, {}], "number": ["seven", []]}
WRONG_TYPES |= {"boolean": ["yes", 1], "array": ["a", 7], "object": [7, [1]]}


@pytest.fixture
async def alice(table: Table) -> Agent:
    return table.agent("alice", await table.session("sess_one"))


def wrong_values(schema: dict[str, Any]) -> Iterator[Any]:
    """Values of other types than the schema wants, and values out of its range."""
    choices = [choice for choice in schema.get("anyOf", [schema]) if choice.get("type") != "null"]
    kinds = {choice.get("type") for choice in choices}
    if None in kinds:
        return
    for kind in kinds:
        yield from (value for value in WRONG_TYPES[kind] if not fits(value, kinds))
    for choice in choices:
        if "enum" in choice:
            yield "no such choice"
        if "minimum" in choice:
            yield choice["minimum"] - 1
        if "maximum" in choice:
            yield choice["maximum"] + 1
        if "maxLength" in choice:
            yield "x" * (choice["maxLength"] + 1)


def fits(value: Any, kinds: set[Any]) -> bool:
    names = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
    kind = names[type(value)]
    return kind in kinds or (kind in ("integer", "number") and "number" in kinds)


def check(refused: dict[str, Any], name: str) -> None:
    """`refused` tells in few words what is wrong with the argument `name`, and what is allowed."""
    error = refused["error"] if isinstance(refused["error"], dict) else refused
    text = json.dumps(error, ensure_ascii=False)
    assert error["code"] in ("INVALID_ARGUMENT", "INVALID_SESSION_ID"), text
    assert len(text) < 1_000, text
    assert not [phrase for phrase in LIBRARY_PHRASES if phrase in text], text
    faults = {fault["path"]: fault["message"] for fault in error["details"].get("errors", [])}
    message = faults.get(name) or (error["error"] if error["error"].startswith(f"{name}: ") else "")
    assert any(words in message for words in ("must ", "is required: ", "allowed: ")), (name, text)


async def test_every_tool_says_what_is_wrong_with_each_argument(table: Table, alice: Agent) -> None:
    tools = [tool for tool in table.app.dispatcher.tools.values() if tool.over_mcp and not tool.passes_through]
    tried = 0

    for tool in tools:
        schema = tool.arguments.model_json_schema()
        for name, property_schema in schema["properties"].items():
            for value in wrong_values(property_schema):
                tried += 1
                check(await alice.tries(tool.name, **{name: value}), name)
        for name in schema.get("required", []):
            check(await alice.tries(tool.name), name)
        check(await alice.tries(tool.name, no_such_argument=1), "no_such_argument")

    assert tried > 300


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("add_note", {"contents": "x"}, "contents: is not an argument of this tool; allowed: "),
        ("add_note", {"contents": "x", "content": "y"}, "Did you mean 'content'?"),
        ("add_note", {"content": ["x"]}, "content: must be a text that is not empty, not a list."),
        ("add_note", {"content": ""}, "content: must not be empty."),
        ("add_note", {"content": "x", "tags": "a"}, "tags: must be a list of texts, not a text."),
        ("read_notes", {"limit": 501}, "limit: must be an integer of 1 to 500, not 501."),
        ("read_notes", {"limit": "ten"}, "limit: must be an integer of 1 to 500, not a text."),
        ("add_question", {"question": "?", "priority": "hihg"}, "Did you mean 'high'?"),
        ("add_question", {"question": "?", "expires_in": {}}, "expires_in: must be seconds, or a text such as 90s"),
        ("set_memory", {"key": "k" * 300, "value": 1}, "key: must be a text of 1 to 255 characters; it has 300."),
        ("set_memory", {"key": "a b", "value": 1}, "key: must be a text of 1 to 255 characters without blanks."),
        ("diff_draft", {"section_id": "A b", "from_version": 1}, "section_id: must be a text in the form ^[a-z0-9]"),
        ("add_message", {"content": "x", "metadata": 7}, "metadata: must be an object, not 7."),
        ("add_tasks", {"tasks": [{"descripton": "x"}]}, "tasks.0.descripton: is not a field here; allowed: "),
        ("add_tasks", {"tasks": [{}]}, "tasks.0.description: is required: a text that is not empty."),
        ("add_tasks", {"tasks": ["x"]}, "tasks.0: must be an object with description"),
        ("submit_answers", {"answers": {"q1": 7}}, "answers.q1: must be a text that is not empty, not 7."),
        ("submit_answers", {"answers": "yes"}, "answers: must be "),
        ("create_session", {"session_id": "a b"}, "session_id: must have 3 to 64 letters, digits, '_' or '-'"),
    ],
)
async def test_an_error_names_the_argument_and_what_is_allowed(
    alice: Agent, tool: str, arguments: dict[str, Any], message: str
) -> None:
    refused = await alice.tries(tool, **arguments)

    text = refused["error"] if isinstance(refused["error"], str) else refused["error"]["error"]
    assert message in text
