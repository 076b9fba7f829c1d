"""Idempotency keys: in no schema, yet taken by every tool that changes something, as an argument or beside them."""

from typing import Any

import pytest

from longtable.toolkit.catalogue import catalogue
from tests.table import Agent, Table

META = "longtable/idempotency_key"


async def notes(agent: Agent, key: Any, **arguments: Any) -> dict[str, Any]:
    """The envelope of `add_note` with a key in `_meta`."""
    params = {"name": "add_note", "arguments": {"content": "once", **arguments}, "_meta": {META: key}}
    envelope: dict[str, Any] = (await agent.posts("tools/call", params)).json()["result"]["structuredContent"]
    return envelope


def test_the_key_stands_in_no_input_schema() -> None:
    tools = [entry["wire"] for entry in catalogue()]

    assert [tool["name"] for tool in tools if "idempotency_key" in str(tool["inputSchema"])] == []


async def test_clients_are_told_of_it_when_they_connect(alice: Agent) -> None:
    instructions = (await alice.posts("server/discover", {})).json()["result"]["instructions"]

    assert "idempotency_key" in instructions
    assert META in instructions


async def test_the_same_key_in_meta_gives_the_first_result_again(alice: Agent) -> None:
    first = await notes(alice, "k1")

    assert await notes(alice, "k1") == first
    assert await notes(alice, "k1", idempotency_key="k1") == first
    assert await alice.calls("add_note", content="once", idempotency_key="k1") == first
    assert len(await alice.reads_notes()) == 1


async def test_a_key_in_meta_with_other_arguments_is_a_mismatch(alice: Agent) -> None:
    await notes(alice, "k1")

    assert (await notes(alice, "k1", content="another"))["error"]["code"] == "IDEMPOTENCY_MISMATCH"


async def test_two_keys_that_differ_are_refused(alice: Agent) -> None:
    error = (await notes(alice, "k1", idempotency_key="k2"))["error"]

    assert (error["code"], error["details"]["errors"][0]["path"]) == ("INVALID_ARGUMENT", "idempotency_key")
    assert await alice.reads_notes() == []


@pytest.mark.parametrize("key", [5, ["k"], {"k": 1}, "x" * 129, "nul\0"])
async def test_a_key_that_is_none_is_refused_by_its_name(alice: Agent, key: Any) -> None:
    error = (await notes(alice, key))["error"]

    assert (error["code"], error["details"]["errors"][0]["path"]) == ("INVALID_ARGUMENT", "idempotency_key")


@pytest.mark.parametrize("key", [None, ""])
async def test_an_empty_key_is_none(alice: Agent, key: Any) -> None:
    await notes(alice, key)
    await notes(alice, key)

    assert len(await alice.reads_notes()) == 2


async def test_a_read_does_not_mind_a_key_beside_it(alice: Agent) -> None:
    params = {"name": "read_notes", "arguments": {}, "_meta": {META: "k1"}}

    assert (await alice.posts("tools/call", params)).json()["result"]["isError"] is False


async def test_clients_of_earlier_revisions_carry_it_in_meta_too(table: Table, session: str) -> None:
    client = table.agent("alice", session).client
    accept = {"Accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    opened = await client.post(
        "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}, headers=accept
    )
    sent = {**accept, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
    await client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=sent)
    params = {"name": "add_note", "arguments": {"content": "once"}, "_meta": {META: "k1"}}

    ids = []
    for number in (2, 3):
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        answer = await client.post("/mcp", json=message, headers=sent)
        ids.append(answer.json()["result"]["structuredContent"]["note"]["id"])

    assert ids == ["n1", "n1"]
