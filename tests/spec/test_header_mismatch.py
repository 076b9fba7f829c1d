"""Headers that disagree with the credential: whatever is called is refused, on every transport."""

import json
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.listening import LEGACY, connected, streamed
from tests.table import Refused, Table


def call_of(tool: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": {}}}


async def posted(table: Table, address: str, headers: dict[str, str], message: dict[str, Any]) -> None:
    """A message over the legacy transport, whose answer comes on its stream."""
    async with streamed(table.http, "POST", address, headers, message) as posting:
        assert await posting.status() == 202


async def scouts_token(company: Table) -> str:
    """The token of an agent in sess_acme, beside which there is sess_next."""
    for name in ("sess_acme", "sess_next"):
        await company.agent(token="acme-secret").calls("create_session", session_id=name)
    credential = Credential("acme", Role.AGENT, "scout", agent="scout", session_id="sess_acme")
    return (await company.app.tokens.create(credential, None)).secret


async def test_a_call_that_its_header_takes_for_discovery_is_refused_all_the_same(company: Table) -> None:
    secret = await scouts_token(company)
    scout = await connected(company.http, Authorization=f"Bearer {secret}")
    scout.headers |= {"Mcp-Method": "server/discover", "X-Session-ID": "sess_next"}

    status, answer = await scout.posts(call_of("list_sessions"))

    assert (status, json.loads(answer)["error"]["data"]["code"]) == (403, "SESSION_MISMATCH")


@pytest.mark.in_process("a connection of the legacy transport lives in one process")
@pytest.mark.parametrize(
    ("header", "value", "code"),
    [("X-Session-ID", "sess_next", "SESSION_MISMATCH"), ("X-Caller-Agent", "other", "IDENTITY_MISMATCH")],
)
async def test_over_sse_a_wrong_header_refuses_each_tool(company: Table, header: str, value: str, code: str) -> None:
    bearer = {"Authorization": f"Bearer {await scouts_token(company)}"}
    hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
    codes = []

    async with streamed(company.http, "GET", "/sse", {"Accept": "text/event-stream", **bearer}) as stream:
        await stream.status()
        address = await stream.line()
        await posted(company, address, bearer, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        await stream.hears()
        await posted(company, address, bearer, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        for tool in ("list_sessions", "scratch_list", "read_notes"):
            await posted(company, address, {**bearer, header: value}, call_of(tool))
            result = (await stream.hears())[0]["result"]["structuredContent"]
            codes.append(result.get("code") or result["error"]["code"])
        await stream.hangs_up()

    assert codes == [code] * 3


async def test_whoever_looks_into_another_session_is_in_the_audit_log(company: Table) -> None:
    secret = await scouts_token(company)
    elsewhere, orchestrator = company.agent(token=secret, session="sess_next"), company.agent(token="acme-secret")

    with pytest.raises(Refused, match="SESSION_MISMATCH"):
        await elsewhere.calls("read_notes")
    answer = await company.agent(token=secret).client.get("/sessions/sess_next/notes")
    with pytest.raises(Refused, match="MISSING_SESSION_ID"):
        await orchestrator.calls("read_notes")

    log = (await orchestrator.calls("get_audit_log", event_type="notes_read"))["entries"]
    assert answer.status_code == 403
    assert sorted((each["outcome"], each["surface"]) for each in log) == [
        ("MISSING_SESSION_ID", "http"),
        ("SESSION_MISMATCH", "http"),
        ("SESSION_MISMATCH", "rest"),
    ]
    assert [each["agent_id"] for each in log].count("scout") == 2
