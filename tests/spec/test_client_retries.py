"""What the Python client sends again by itself, with the same key, and what it does not."""

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from longtable_client import ConnectionLost, Link, LongtableError, Orchestrator, Workspace
from longtable_client.errors import BY_CODE, OutcomeUnknown, RateLimited, ShuttingDown
from tests.table import ADDRESS

NOTE = {"ok": True, "note": {"id": "n1", "tags": [], "author": "ada", "timestamp": "2026-01-01T00:00:00Z"}}
PASSING = ["SHUTTING_DOWN", "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "OVERLOADED", "RATE_LIMITED"]


class RefusingTransport(httpx2.MockTransport):
    """Refuses with each of the codes in turn, and then does what it is asked."""

    def __init__(self, codes: Sequence[str], **details: Any) -> None:
        super().__init__(self.answer)
        self.codes = list(codes)
        self.details = details
        self.asked: list[dict[str, Any]] = []

    @property
    def keys(self) -> list[str]:
        return [request["params"]["arguments"]["idempotency_key"] for request in self.asked]

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(json.loads(request.content))
        if not self.codes:
            return httpx2.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": NOTE}})
        data = {"code": self.codes.pop(0), "details": self.details}
        error = {"code": -32_000, "message": "not now", "data": data}
        return httpx2.Response(503, json={"jsonrpc": "2.0", "id": 1, "error": error})


def over(transport: httpx2.MockTransport, **more: Any) -> Link:
    return Link(**{"first_wait": 0, "longest_wait": 0.01, "transport": transport, **more})


@pytest.mark.parametrize("code", PASSING)
async def test_trouble_that_passes_is_outlasted_with_one_key(code: str) -> None:
    server = RefusingTransport([code, code])

    async with Workspace.open(ADDRESS, link=over(server)) as ada:
        added = await ada.add_note("x")

    assert added.note.id == "n1"
    assert (len(server.asked), len(set(server.keys))) == (3, 1)


@pytest.mark.parametrize("code", sorted(set(BY_CODE) - set(PASSING)))
async def test_any_other_refusal_is_raised_at_once(code: str) -> None:
    server = RefusingTransport([code])

    async with Workspace.open(ADDRESS, link=over(server)) as ada:
        with pytest.raises(LongtableError) as raised:
            await ada.add_note("x")

    assert (raised.value.code, len(server.asked)) == (code, 1)


async def test_trouble_that_stays_is_raised_as_what_it_is() -> None:
    server = RefusingTransport(["OUTCOME_UNKNOWN"] * 9)

    async with Workspace.open(ADDRESS, link=over(server, attempts=4)) as ada:
        with pytest.raises(OutcomeUnknown):
            await ada.add_note("x")

    assert (len(server.asked), len(set(server.keys))) == (4, 1)


async def test_who_is_told_to_wait_for_long_decides_for_oneself() -> None:
    server = RefusingTransport(["RATE_LIMITED"], retry_after=60)

    async with Workspace.open(ADDRESS, link=over(server)) as ada:
        with pytest.raises(RateLimited) as raised:
            await ada.add_note("x")

    assert (raised.value.details, len(server.asked)) == ({"retry_after": 60}, 1)


@pytest.mark.parametrize("url", ["127.0.0.1:8765", "localhost:8765", "ftp://127.0.0.1", "/mcp", ""])
async def test_an_address_that_no_request_can_go_to_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="http:// or https://"):
        async with Workspace.open(url):
            pass


@pytest.mark.parametrize("secret", ["secret\n", "sec\rret", "secret\0"])
async def test_a_token_that_fits_in_no_header_is_refused_at_once_and_not_shown(secret: str) -> None:
    with pytest.raises(ValueError, match=r"^Authorization: ") as raised:
        async with Workspace.open(ADDRESS, secret):
            pass

    assert secret.strip() not in str(raised.value)


async def test_a_write_that_takes_no_key_is_not_sent_again_whatever_the_trouble() -> None:
    server = RefusingTransport(["SHUTTING_DOWN"])

    async with Orchestrator.open(ADDRESS, link=over(server)) as owner:
        with pytest.raises(ShuttingDown):
            await owner.create_token("agent", agent="scout")

    assert len(server.asked) == 1


async def test_a_proxy_that_answers_for_the_server_is_trouble_that_passes() -> None:
    requests = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        requests.append(request)
        return httpx2.Response(502, text="<html>Bad Gateway</html>")

    async with Workspace.open(ADDRESS, link=over(httpx2.MockTransport(answer), attempts=3)) as ada:
        with pytest.raises(ConnectionLost):
            await ada.read_notes()

    assert len(requests) == 3
