"""Plain calls take the fast path past the SDK. Nobody can tell: both ways answer alike."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from longtable.server.http import HttpApp
from tests.spec.fast_path_cases import ABSENT, ALL, ENVELOPE, HELD, CallCase, FastPathCase
from tests.table import MODERN, Agent, Table

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def visible(self) -> tuple[int, dict[str, str], Any]:
        """What a client can see, without what is another each time. The SDK escapes what is not ASCII."""
        assert self.headers.get("content-length", "0") == str(len(self.body))
        headers = {name: value for name, value in self.headers.items() if name != "content-length"}
        if "mcp-session-id" in headers:
            headers["mcp-session-id"] = "one of its own"
        return self.status, headers, _without_moments(self.body)


def _without_moments(body: bytes) -> Any:
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "a moment", body.decode("utf-8"))
    try:
        return json.loads(text, object_pairs_hook=list)
    except ValueError:
        return text


async def answer_of(http: HttpApp, case: FastPathCase) -> Answer:
    parts: Iterator[dict[str, Any]] = iter([{"type": "http.request", "body": case.body, "more_body": False}])
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        for part in parts:
            return part
        # The client stays until it has its answer.
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
        **{"method": case.method, "path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": ""},
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in case.headers],
        **{"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80)},
    }
    await http(scope, receive, send)
    headers = {name.decode(): value.decode("latin-1") for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(message.get("body", b"") for message in sent[1:]))


@asynccontextmanager
async def both_ways(table: Table) -> AsyncIterator[tuple[HttpApp, HttpApp]]:
    """The same application, with the fast path and without it."""
    fast, plain = HttpApp(table.app), HttpApp(table.app, has_fast_path=False)
    async with fast.running(), plain.running():
        yield fast, plain


def taken(http: HttpApp) -> int:
    assert http.fast_path is not None
    return http.fast_path.answered


async def connection_to(http: HttpApp) -> str:
    client = {"name": "tester", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
    unheard = {"mcp-protocol-version": ABSENT, "mcp-method": ABSENT, "mcp-name": ABSENT, "x-session-id": ABSENT}
    answer = await answer_of(http, CallCase(headers=unheard).case("hello", body=body))
    return answer.headers.get("mcp-session-id", "none")


def with_connection(case: FastPathCase, connection_id: str) -> FastPathCase:
    headers = [(name, value.replace(HELD, connection_id)) for name, value in case.headers]
    return replace(case, headers=headers)


async def compared(table: Table, cases: Sequence[FastPathCase]) -> tuple[list[Any], list[str]]:
    """What was answered differently, and what went another way than it should have."""
    different, astray = [], []
    async with both_ways(table) as (fast, sdk):
        connection_id = await connection_to(fast)
        for case in (with_connection(case, connection_id) for case in cases):
            before = taken(fast)
            one, other = await answer_of(fast, case), await answer_of(sdk, case)
            if one.visible != other.visible:
                different.append((case.name, one, other))
            if case.plain is not None and (taken(fast) > before) != case.plain:
                astray.append(case.name)
    return different, astray


async def test_both_ways_answer_alike(table: Table, alice: Agent) -> None:
    await alice.adds_note("A note to be read.")
    different, astray = await compared(table, ALL)

    assert len(ALL) > 300
    assert len({case.name for case in ALL}) == len(ALL)
    assert different == []
    assert astray == []


def listing(name: str, plain: bool, message: dict[str, Any] | None = None, **headers: Any) -> FastPathCase:
    usual = {"mcp_method": "tools/list", "mcp_name": ABSENT, "x_session_id": ABSENT}
    sent = {key.replace("_", "-"): value for key, value in {**usual, **headers}.items()}
    params = {"_meta": ENVELOPE} if headers.get("mcp_protocol_version", MODERN) == MODERN else {}
    body = {"jsonrpc": "2.0", "id": "one", "method": "tools/list", "params": params, **(message or {})}
    call = CallCase(headers=sent)
    return call.case(name, plain, body=json.dumps({key: body[key] for key in body if body[key] is not ABSENT}).encode())


CONNECTED: dict[str, Any] = {"mcp_protocol_version": "2025-11-25", "mcp_session_id": HELD}
LISTS = [
    listing("modern", True),
    listing("modern, another id", True, {"id": 7}),
    listing("connected", True, **CONNECTED),
    listing("connected, without params", True, {"params": ABSENT}, **CONNECTED),
    listing("a page", False, {"params": {"cursor": "2", "_meta": ENVELOPE}}),
    listing("without an envelope", False, {"params": {}}),
    listing("named", False, mcp_name="tools"),
    listing("another method in the header", False, mcp_method="tools/call"),
    listing("no id", False, {"id": ABSENT}),
    listing("params of another kind", False, {"params": []}),
    listing("not a connection", False, mcp_protocol_version="2025-11-25", mcp_session_id="made up"),
]


async def test_a_list_is_the_same_whoever_has_encoded_it(table: Table) -> None:
    async with both_ways(table) as (fast, sdk):
        assert fast.fast_path is not None
        connection_id = await connection_to(fast)
        for case in (with_connection(case, connection_id) for case in LISTS):
            first, before = await answer_of(fast, case), fast.fast_path.lists_answered
            again, expected = await answer_of(fast, case), await answer_of(sdk, case)

            assert first.visible == again.visible == expected.visible, case.name
            assert fast.fast_path.lists_answered - before == case.plain, case.name


async def test_both_ways_know_who_is_calling(company: Table) -> None:
    def asked(name: str, plain: bool, **headers: str) -> FastPathCase:
        sent = {"x-session-id": "sess_one", **{word.replace("_", "-"): value for word, value in headers.items()}}
        return CallCase("add_note", {"content": "Mine.", "idempotency_key": "k"}, headers=sent).case(name, plain)

    await company.agent("alice", None, "acme-secret").calls("create_session", session_id="sess_one")
    cases = [
        asked("nobody", plain=False),
        asked("a stranger", plain=False, authorization="Bearer made-up"),
        asked("another tenant", plain=False, authorization="Bearer rival-secret"),
        asked("the owner of the session", plain=True, authorization="Bearer acme-secret"),
        asked("one who speaks for an agent", plain=True, authorization="Bearer acme-secret", x_caller_agent="ada"),
        asked("one who is a person", plain=False, authorization="Bearer acme-secret", x_caller_agent="human:ada"),
    ]

    assert await compared(company, cases) == ([], [])
