"""What a client is shown of the tools: chosen by the operator, short, and described to the last argument."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from bpe_openai import get_encoding

from longtable.kernel.errors import ConfigError
from tests.stores import Store
from tests.table import open_table

MOST: Mapping[str, tuple[int, int]] = {"full": (6_500, 13_000), "agent": (3_500, 7_000)}
"""Tokens of names, descriptions and inputs; and of all."""


@cache
def _encoding() -> Any:
    return get_encoding("o200k_base")


def tokens(value: Any) -> int:
    return len(_encoding().encode(json.dumps(value, ensure_ascii=False, separators=(",", ":"))))


async def listed(store: Store, folder: Path, **options: str) -> list[dict[str, Any]]:
    async with open_table(store, folder, **options) as table:
        answer = (await table.agent().posts("tools/list", {})).json()
    tools: list[dict[str, Any]] = answer["result"]["tools"]
    return tools


@pytest.mark.parametrize("profile", MOST)
async def test_a_list_costs_a_model_no_more_than_it_must(store: Store, tmp_path: Path, profile: str) -> None:
    tools = await listed(store, tmp_path, tools=profile)
    inputs = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]

    assert sum(map(tokens, inputs)) <= MOST[profile][0]
    assert sum(map(tokens, tools)) <= MOST[profile][1]


async def test_every_argument_has_a_type_and_a_word_about_it(store: Store, tmp_path: Path) -> None:
    tools = await listed(store, tmp_path)
    arguments = [(tool["name"], *each) for tool in tools for each in tool["inputSchema"]["properties"].items()]

    assert [(tool, name) for tool, name, schema in arguments if not schema.get("description")] == []
    assert [(tool, name) for tool, name, schema in arguments if not {"type", "anyOf"} & set(schema)] == []
    assert not any('"$ref": "#' in json.dumps(schema) for _, _, schema in arguments)


async def test_every_tool_has_a_title_hints_and_one_sentence_about_it(store: Store, tmp_path: Path) -> None:
    tools = await listed(store, tmp_path)

    assert [tool["name"] for tool in tools if ". " in tool["description"] or tool["description"][-1] != "."] == []
    for tool in tools:
        assert {"readOnlyHint", "destructiveHint", "idempotentHint"} <= set(tool["annotations"])
        assert tool["title"]


def parts_of(schema: Any) -> "list[dict[str, Any]]":
    """The schema, and all in it."""
    if isinstance(schema, list):
        return [part for each in schema for part in parts_of(each)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for each in schema.values() for part in parts_of(each))]


async def test_every_schema_has_a_form_that_frameworks_convert(store: Store, tmp_path: Path) -> None:
    """Their own converters run in tests/recipes; this is what they were found to want."""
    for tool in await listed(store, tmp_path):
        parts = parts_of(tool["inputSchema"])

        assert all(part.get("properties") for part in parts if part.get("type") == "object"), tool["name"]
        assert all("items" in part for part in parts if part.get("type") == "array"), tool["name"]
        assert not any("additionalProperties" in part for part in parts), tool["name"]
        assert not any(name.startswith("_") for name in tool["inputSchema"]["properties"]), tool["name"]


async def test_no_schema_asks_for_an_idempotency_key(store: Store, tmp_path: Path) -> None:
    assert "idempotency_key" not in json.dumps(await listed(store, tmp_path))


@pytest.mark.parametrize(
    ("tools", "shown", "hidden"),
    [
        ("agent", ["brief", "add_note", "claim_task"], ["get_audit_log", "list_sections", "scratch_namespace_list"]),
        ("full,-get_audit_log", ["brief", "list_sections"], ["get_audit_log"]),
        ("-get_audit_log", ["brief", "list_sections"], ["get_audit_log"]),
        ("notes,plan,brief", ["add_note", "read_plan", "brief"], ["add_message", "scratch_read"]),
        ("messages,-get_messages", ["add_message", "set_memory"], ["get_messages", "add_note"]),
    ],
)
async def test_the_operator_chooses_by_profile_group_and_name(
    store: Store, tmp_path: Path, tools: str, shown: Sequence[str], hidden: Sequence[str]
) -> None:
    names = {tool["name"] for tool in await listed(store, tmp_path, tools=tools)}

    assert set(shown) <= names
    assert not names & set(hidden)


async def test_a_tool_that_is_not_listed_can_be_called(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path, tools="brief") as table:
        alice = table.agent("alice", await table.session("sess_one"))
        assert await alice.adds_note("still there") == "n1"


@pytest.mark.parametrize("tools", ["", "agents", "full,-brieff", "-full"])
async def test_an_unknown_name_or_an_empty_choice_is_refused_at_the_start(
    store: Store, tmp_path: Path, tools: str
) -> None:
    with pytest.raises(ConfigError, match="tools"):
        await listed(store, tmp_path, tools=tools)
