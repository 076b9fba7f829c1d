"""Rubbish at every door: always an answer of ours, never a failure inside, never a long wait."""

import random
from pathlib import Path

import pytest

from tests.mixed.crowd import mixed_table
from tests.mixed.fuzz import Fuzz
from tests.stores import Store
from tests.table import Agent

CASES = 10_000


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_ten_thousand_pieces_of_rubbish_are_answered_in_our_words(store: Store, tmp_path: Path) -> None:
    async with mixed_table(store, tmp_path) as mixed:
        await mixed.run(400, seed=1)
        fuzz = Fuzz(mixed, random.Random(20))
        await fuzz.run(CASES)

    assert (fuzz.wrong, fuzz.slow) == ([], [])
    assert fuzz.cases == CASES


@pytest.mark.parametrize(
    ("headers", "status", "words"),
    [
        ({"Content-Type": "text/plain"}, 400, "must be application/json"),
        ({"Content-Type": "application/jsonx"}, 415, "must be application/json"),
        ({"Accept": "text/html"}, 406, "must accept application/json"),
    ],
)
async def test_a_bad_format_is_refused_with_a_json_rpc_error(
    alice: Agent, headers: dict[str, str], status: int, words: str
) -> None:
    refused = await alice.posts("tools/call", {"name": "delete_memory", "arguments": {}}, **headers)

    assert refused.status_code == status
    assert words in refused.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/mcp/", "/http/"])
async def test_a_slash_at_the_end_of_the_address_makes_no_difference(alice: Agent, path: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Accept": "application/json, text/event-stream"}

    plain = await alice.client.post(path.rstrip("/"), json=call, headers=headers)
    slashed = await alice.client.post(path, json=call, headers=headers)

    assert (slashed.status_code, slashed.content) == (plain.status_code, plain.content)
    assert plain.json()["jsonrpc"] == "2.0"


async def test_a_bad_method_of_rest_is_told_which_there_are(alice: Agent) -> None:
    refused = await alice.client.delete("/sessions")

    allowed = set(refused.headers["allow"].split(", "))
    assert (refused.status_code, {"GET", "POST"} <= allowed, "DELETE" in allowed) == (405, True, False)


async def test_a_bad_method_is_refused_with_a_json_rpc_error(alice: Agent) -> None:
    refused = await alice.client.request("PUT", "/mcp", headers={"MCP-Protocol-Version": "2026-07-28"})

    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert "POST" in refused.json()["error"]["message"]
