"""How much one request may hold: lengths are checked before items, and the refusal names the limit."""

import json
import time
from typing import Any

import pytest

from tests.table import Agent, Refused, Table

LATE = 1.5
"""Seconds of CPU that a refusal may take on a machine of any speed; most of it is the test's own JSON."""


async def test_too_many_values_are_refused_with_the_limit_over_mcp_and_rest(alice: Agent, session: str) -> None:
    many = [1] * 100_001

    over_mcp = await alice.posts("tools/call", {"name": "add_note", "arguments": {"content": "x", "tags": many}})
    over_rest = await alice.client.post(f"/sessions/{session}/notes", json={"content": "x", "tags": many})

    problem = over_mcp.json()["error"]["data"]
    assert (over_mcp.status_code, problem["code"], problem["details"]["limit"]) == (413, "PAYLOAD_TOO_LARGE", 100_000)
    problem = over_rest.json()["error"]
    assert (over_rest.status_code, problem["code"], problem["details"]["limit"]) == (413, "PAYLOAD_TOO_LARGE", 100_000)


async def test_json_that_is_nested_too_deeply_is_refused_with_the_limit(alice: Agent) -> None:
    deep: Any = 1
    for _ in range(70):
        deep = [deep]

    reply = await alice.client.post("/sessions", json={"metadata": {"deep": deep}})

    problem = reply.json()["error"]
    assert (reply.status_code, problem["code"], problem["details"]["limit"]) == (413, "PAYLOAD_TOO_LARGE", 64)


async def test_a_text_full_of_punctuation_is_only_a_text(table: Table, alice: Agent) -> None:
    content = '{"a": [1, 2]},\\\n' * 3_000

    await alice.adds_note(content)

    assert [note["content"] for note in await alice.reads_notes(max_chars=0)] == [content]


async def test_the_same_key_twice_is_refused_over_mcp_and_rest(alice: Agent, session: str) -> None:
    body = b'{"content": "one", "content": "two"}'
    message = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "add_note", "arguments": %s}}'
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

    over_rest = await alice.client.post(f"/sessions/{session}/notes", content=body, headers=headers)
    over_mcp = await alice.client.post("/mcp", content=message % body, headers=headers)

    assert (over_rest.status_code, over_rest.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    answer = over_mcp.json()
    assert (over_mcp.status_code, answer["id"], answer["error"]["code"]) == (400, 7, -32700)
    assert answer["error"]["data"]["code"] == "INVALID_ARGUMENT"
    assert await alice.reads_notes() == []


LONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "a list of texts": ("scratch_list", {"namespaces": [1] * 90_000}, "namespaces"),
    "a list of objects": ("add_tasks", {"tasks": [1] * 90_000}, "tasks"),
    "an object": ("create_session", {"metadata": {f"k{n}": n for n in range(90_000)}}, "metadata"),
}


@pytest.mark.parametrize("name", LONG)
async def test_a_list_that_is_too_long_is_refused_before_its_items_are_looked_at(alice: Agent, name: str) -> None:
    tool, arguments, field = LONG[name]
    began = time.process_time()

    with pytest.raises(Refused) as refused:
        await alice.calls(tool, **arguments)

    assert (refused.value.code, refused.value.details["field"]) == ("CAPACITY_LIMIT_REACHED", field)
    assert time.process_time() - began < LATE


UNKNOWN: dict[str, dict[str, Any]] = {
    "beside the others": {f"nope{n}": n for n in range(90_000)},
    "in an item": {"cells": [{f"nope{n}": n for n in range(90_000)}]},
}


@pytest.mark.parametrize("name", UNKNOWN)
async def test_unknown_arguments_by_the_hundred_thousand_are_refused_at_once(alice: Agent, name: str) -> None:
    began = time.process_time()

    with pytest.raises(Refused) as refused:
        await alice.calls("scratch_create", **UNKNOWN[name])

    assert refused.value.code == "INVALID_ARGUMENT"
    assert len(json.dumps(refused.value.details)) < 10_000
    assert time.process_time() - began < LATE


async def test_an_address_has_at_most_a_thousand_parameters(alice: Agent) -> None:
    reply = await alice.client.get("/sessions?" + "&".join(f"a{n}=1" for n in range(1_001)))

    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
