"""Identity: who may call, as whom, and in which session. Decided before any tool runs."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from tests.forgeries import FORGED_NAMES, INVISIBLE
from tests.table import MODERN, Agent, Refused, Table, modern_meta, open_table


async def token(table: Table, tenant: str, role: Role, **fixed: Any) -> str:
    """A token of the store, as the command line makes them."""
    credential = Credential(tenant, role, fixed.pop("name", f"{tenant}-{role}"), **fixed)
    return (await table.app.tokens.create(credential, None)).secret


async def calls_as(agent: Agent, client_name: str, tool: str) -> dict[str, Any]:
    """The result of a tool for a client that calls itself so."""
    meta = modern_meta(client_name)
    params = {"name": tool, "arguments": {}, "_meta": meta}
    sent = {"Accept": "application/json", "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": tool}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = await agent.client.post("/mcp", json=message, headers=sent)
    result: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return result


async def status_and_code(agent: Agent, tool: str = "read_notes", **headers: str) -> tuple[int, str]:
    response = await agent.posts("tools/call", {"name": tool, "arguments": {}}, **headers)
    message = response.json()
    if "error" in message:
        return response.status_code, message["error"]["data"]["code"]
    body = message["result"]["structuredContent"]
    return response.status_code, body.get("code") or body.get("error", {}).get("code") or "SUCCESS"


@pytest.mark.parametrize(
    "authorization",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer nobody", "acme-secret", "Bearer acme-secret x", "bearer\t"],
)
async def test_without_a_valid_credential_every_answer_is_the_same_401(
    company: Table, authorization: str | None
) -> None:
    stranger = company.agent(**({} if authorization is None else {"Authorization": authorization}))
    reference = await company.agent().client.get("/sessions")

    over_rest = await stranger.client.get("/sessions")
    over_mcp = await stranger.posts("tools/list", {})

    assert over_rest.status_code == over_mcp.status_code == 401
    assert over_rest.content == reference.content
    assert over_rest.headers["www-authenticate"].startswith("Bearer")
    assert over_mcp.json()["error"]["data"]["code"] == "UNAUTHORIZED"
    assert over_mcp.json()["id"] == 1


async def test_revoked_and_expired_tokens_get_the_same_401(company: Table) -> None:
    issued = await company.app.tokens.create(Credential("acme", Role.OWNER, "boss"), None)
    brief = await company.app.tokens.create(Credential("acme", Role.OWNER, "brief"), MINUTE)
    assert (await company.agent(token=issued.secret).client.get("/sessions")).status_code == 200
    assert (await company.agent(token=brief.secret).client.get("/sessions")).status_code == 200

    await company.app.tokens.revoke(issued.token_id)
    company.clock.ahead = 2 * MINUTE

    revoked = await company.agent(token=issued.secret).client.get("/sessions")
    expired = await company.agent(token=brief.secret).client.get("/sessions")
    unknown = await company.agent(token="nobody").client.get("/sessions")
    assert revoked.status_code == expired.status_code == 401
    assert revoked.content == expired.content == unknown.content


async def test_health_and_ready_are_open_and_say_nothing_but_their_status(company: Table) -> None:
    for path in ("/health", "/ready"):
        response = await company.agent().client.get(path)
        assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_an_orchestrator_acts_in_any_session_of_its_tenant_and_speaks_for_agents(company: Table) -> None:
    boss = company.agent(token="acme-secret")
    await boss.calls("create_session", session_id="sess_acme")

    speaking = company.agent("analyst", "sess_acme", "acme-secret")
    await speaking.adds_note("as the analyst")
    silent = company.agent(None, "sess_acme", "acme-secret")
    await silent.adds_note("as itself")

    assert [note["author"] for note in await silent.reads_notes()] == ["analyst", "acme"]


async def test_with_auth_on_the_client_cannot_name_itself(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    reader = await token(company, "acme", Role.READER, name="auditor")

    created = await company.agent(token="acme-secret").calls("create_session")
    outcome = await company.agent("mallory", "sess_acme", reader).posts("tools/list", {})

    assert created["created_by"] == "acme"
    assert (outcome.status_code, outcome.json()["error"]["data"]["code"]) == (403, "IDENTITY_MISMATCH")


async def test_a_header_never_overrides_what_a_token_fixes(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    secret = await token(
        company, "acme", Role.AGENT, agent="scout", agent_type="explorer", session_id="sess_acme", name="scout"
    )

    assert await status_and_code(company.agent(token=secret)) == (200, "SUCCESS")
    assert await status_and_code(company.agent("scout", "sess_acme", secret)) == (200, "SUCCESS")
    assert await status_and_code(company.agent("other", None, secret)) == (403, "IDENTITY_MISMATCH")
    assert await status_and_code(company.agent(None, None, secret, **{"X-Agent-Type": "other"})) == (
        403,
        "IDENTITY_MISMATCH",
    )
    assert await status_and_code(company.agent(None, "sess_other", secret)) == (403, "SESSION_MISMATCH")
    assert await status_and_code(company.agent(None, "!", secret)) == (403, "SESSION_MISMATCH")


async def test_an_agent_token_is_held_in_its_one_session(company: Table) -> None:
    boss = company.agent(token="acme-secret")
    await boss.calls("create_session", session_id="sess_acme")
    await boss.calls("create_session", session_id="sess_next")
    secret = await token(company, "acme", Role.AGENT, agent="scout", session_id="sess_acme")
    scout = company.agent(token=secret)

    assert (await scout.calls("get_session"))["session"]["session_id"] == "sess_acme"
    assert (await scout.tries("get_session", session_id="sess_next"))["code"] == "SESSION_MISMATCH"
    assert (await scout.tries("get_session", session_id="sess_nowhere"))["code"] == "SESSION_MISMATCH"
    for tool in ("create_session", "list_sessions", "close_session"):
        assert (await scout.tries(tool))["code"] == "FORBIDDEN"
    assert (await scout.tries("join_session", session_id="sess_acme"))["code"] == "FORBIDDEN"


@pytest.mark.parametrize(
    ("role", "allowed", "refused"),
    [
        (Role.READER, ["read_notes", "get_session", "read_events"], ["add_note", "close_session"]),
        (Role.HUMAN, ["read_notes", "get_session"], ["add_note", "close_session"]),
        (Role.OWNER, ["read_notes", "add_note", "close_session"], []),
        (Role.ORCHESTRATOR, ["read_notes", "add_note", "close_session"], []),
    ],
)
async def test_a_role_may_do_what_it_may_and_lists_only_that(
    company: Table, role: Role, allowed: list[str], refused: list[str]
) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    agent = company.agent(None, "sess_acme", await token(company, "acme", role))

    listed = (await agent.posts("tools/list", {})).json()["result"]["tools"]
    names = {tool["name"] for tool in listed}

    assert set(allowed) <= names
    assert not names & set(refused)
    for tool in refused:
        arguments = {"content": "x"} if tool == "add_note" else {}
        envelope = await agent.tries(tool, **arguments)
        assert (envelope.get("code") or envelope["error"]["code"]) == "FORBIDDEN"
    for tool in allowed:
        await agent.calls(tool, **({"content": "x"} if tool == "add_note" else {}))


async def test_the_checks_come_in_their_order(company: Table) -> None:
    """401, then mismatch, format, existence, expiry, role, arguments."""
    boss = company.agent(token="acme-secret")
    await boss.calls("create_session", session_id="sess_acme")
    reader = await token(company, "acme", Role.READER)

    assert await status_and_code(company.agent(None, "!", "wrong")) == (401, "UNAUTHORIZED")
    assert await status_and_code(company.agent(None, "!", "acme-secret")) == (400, "INVALID_SESSION_ID")
    named = await company.agent(None, "!", "acme-secret").posts("tools/call", {"name": "read_notes", "arguments": {}})
    assert named.json()["error"]["message"].startswith("X-Session-ID: must have")
    assert await status_and_code(company.agent(None, "sess_nope", "acme-secret")) == (404, "SESSION_NOT_FOUND")
    assert await status_and_code(company.agent(None, "sess_acme", reader), "add_note") == (200, "FORBIDDEN")
    assert await status_and_code(company.agent(None, "sess_acme", "acme-secret"), "add_note") == (
        200,
        "INVALID_ARGUMENT",
    )
    company.clock.ahead = DAY + MINUTE
    assert await status_and_code(company.agent(None, "sess_acme", reader), "add_note") == (410, "SESSION_EXPIRED")


@pytest.mark.parametrize("body", ["{", '{"content": 7}'], ids=["unreadable", "wrong"])
async def test_over_rest_arguments_are_looked_at_last_as_well(company: Table, body: str) -> None:
    boss = company.agent(token="acme-secret").client
    reader = company.agent(token=await token(company, "acme", Role.READER)).client
    await boss.post("/sessions", json={"session_id": "sess_acme"})

    async def refused(client: Any, session: str) -> tuple[int, str]:
        answer = await client.post(f"/sessions/{session}/notes", content=body)
        return answer.status_code, answer.json()["error"]["code"]

    assert await refused(boss, "sess_nope") == (404, "SESSION_NOT_FOUND")
    assert await refused(reader, "sess_acme") == (403, "FORBIDDEN")
    assert await refused(boss, "sess_acme") == (400, "INVALID_ARGUMENT")
    closing = await boss.post("/sessions/sess_nope/close", content=body)
    assert (closing.status_code, closing.json()["error"]["code"]) == (404, "SESSION_NOT_FOUND")
    company.clock.ahead = DAY + MINUTE
    assert await refused(reader, "sess_acme") == (410, "SESSION_EXPIRED")


async def test_in_strict_mode_a_session_scoped_call_without_a_session_is_a_400(company: Table) -> None:
    boss = company.agent(token="acme-secret")

    assert await status_and_code(boss) == (400, "MISSING_SESSION_ID")
    assert await status_and_code(boss, "get_session") == (400, "MISSING_SESSION_ID")
    assert await status_and_code(boss, "list_sessions") == (200, "SUCCESS")
    assert (await boss.posts("tools/list", {})).status_code == 200


async def test_in_strict_mode_a_session_id_that_is_no_text_is_not_a_missing_one(company: Table) -> None:
    refused = await company.agent(token="acme-secret").tries("add_message", session_id=7, content="x")

    assert (refused["code"], refused["details"]["errors"][0]["path"]) == ("INVALID_ARGUMENT", "session_id")


async def test_in_auto_mode_no_session_is_made_for_a_session_id_that_is_no_text(table: Table) -> None:
    program = table.agent("program")

    refused = await program.tries("add_message", session_id=7, content="x")
    listed = await program.calls("list_sessions")

    assert (refused["code"], refused["details"]["errors"][0]["path"]) == ("INVALID_ARGUMENT", "session_id")
    assert listed["sessions"] == []


async def test_discovery_is_let_through_so_that_clients_can_show_the_cause(company: Table) -> None:
    agent = company.agent(None, "sess_nope", "acme-secret")

    assert (await agent.posts("server/discover", {})).status_code == 200
    assert (await agent.posts("tools/list", {})).status_code == 404


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("x" * 101, 400, "INVALID_ARGUMENT"),
        ("tab\tinside", 400, "INVALID_ARGUMENT"),
        ("human:boss", 403, "FORBIDDEN"),
    ],
)
async def test_a_name_that_cannot_be_an_agents_is_refused(table: Table, name: str, status: int, code: str) -> None:
    assert await status_and_code(table.agent(name), "list_sessions") == (status, code)


async def test_no_machine_passes_for_a_person_by_its_header(company: Table) -> None:
    plain = await company.agent("human:owner", token="acme-secret").client.get("/sessions")

    answers = {}
    for name in FORGED_NAMES:
        client = company.agent(token="acme-secret").client
        answers[name] = await client.get("/sessions", headers={b"X-Caller-Agent": name.encode()})

    assert plain.status_code == 403
    assert {name: answer.text for name, answer in answers.items() if answer.content != plain.content} == {}
    assert {answer.status_code for answer in answers.values()} == {403}


async def test_no_machine_passes_for_a_person_by_its_type(table: Table) -> None:
    client = table.agent("ada").client

    answers = [
        await client.get("/sessions", headers={b"X-Agent-Type": name.encode()}) for name in FORGED_NAMES if name.strip()
    ]

    assert {answer.status_code for answer in answers} == {403}


async def test_no_token_passes_for_a_person_by_its_name(company: Table) -> None:
    owner = company.agent(token=await token(company, "acme", Role.OWNER)).client

    refused = [
        await owner.post("/tokens", json={"role": "orchestrator", field: name})
        for field in ("name", "agent", "agent_type")
        for name in FORGED_NAMES
    ]

    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in refused} == {(400, "INVALID_ARGUMENT")}


async def test_a_token_that_is_called_a_person_does_not_count_for_a_machine(store: object, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps({"secret-1": "human:joe", "secret-2": "hum\u0430n:joe"}))
    file.chmod(0o600)

    async with open_table(store, tmp_path, auth_token_file=str(file)) as table:
        answers = [await table.agent(token=f"secret-{n}").client.get("/sessions") for n in (1, 2)]

    assert [(answer.status_code, answer.json()["error"]["code"]) for answer in answers] == [(403, "FORBIDDEN")] * 2


async def test_a_client_that_declares_itself_a_person_is_nobody(table: Table) -> None:
    for name in (*FORGED_NAMES, *INVISIBLE):
        created = await calls_as(table.agent(), name, "create_session")

        assert re.fullmatch("unknown-[0-9a-f]{4}", created["created_by"])


@pytest.mark.parametrize("header", ["X-Caller-Agent", "X-Agent-Type"])
async def test_what_nobody_sees_is_in_no_name(table: Table, header: str) -> None:
    client = table.agent().client

    answers = [await client.get("/sessions", headers={header.encode(): name.encode()}) for name in INVISIBLE]

    assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(400, "INVALID_ARGUMENT")}


async def test_two_credentials_in_one_request_are_a_mistake(company: Table) -> None:
    twice = [(b"Authorization", b"Bearer acme-secret"), (b"authorization", b"Bearer rival-secret")]
    client = company.agent().client

    rest = await client.get("/sessions", headers=twice)
    mcp = await client.post("/mcp", json={"jsonrpc": "2.0", "id": 7, "method": "ping"}, headers=twice)

    assert (rest.status_code, rest.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert (mcp.status_code, mcp.json()["error"]["data"]["code"], mcp.json()["id"]) == (400, "INVALID_ARGUMENT", 7)


async def test_with_auth_off_a_client_goes_by_the_name_it_declares(table: Table) -> None:
    created = await table.agent().calls("create_session")

    assert created["created_by"] == "test-client"


async def test_humans_read_what_has_expired_over_rest_and_nobody_else_does(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    await company.agent("a", "sess_acme", "acme-secret").adds_note("kept")
    human = await token(company, "acme", Role.HUMAN, name="ana")
    company.clock.ahead = DAY + MINUTE

    seen = await company.agent(token=human).client.get("/sessions/sess_acme/notes")
    shown = await company.agent(token=human).client.get("/sessions/sess_acme")
    written = await company.agent(token=human).client.post("/sessions/sess_acme/extend", json={"ttl": "1h"})
    orchestrator = await company.agent(token="acme-secret").client.get("/sessions/sess_acme/notes")
    over_mcp = await status_and_code(company.agent(None, "sess_acme", human))

    assert [note["content"] for note in seen.json()["notes"]] == ["kept"]
    assert shown.json()["session"]["status"] == "expired"
    assert (written.status_code, orchestrator.status_code) == (410, 410)
    assert over_mcp == (410, "SESSION_EXPIRED")


async def test_metrics_need_the_owner_or_the_scrape_token(store: object, tmp_path: object) -> None:
    options = {"auth_tokens": "acme:acme-secret", "enable_metrics": "true", "scrape_token": "scrape-me"}
    async with open_table(store, tmp_path, **options) as table:  # type: ignore[arg-type]  # fixtures as given
        owner = await token(table, "acme", Role.OWNER)
        statuses = {
            secret: (await table.agent(token=secret).client.get("/metrics")).status_code
            for secret in ("scrape-me", owner, "acme-secret", "wrong")
        }

        assert statuses == {"scrape-me": 200, owner: 200, "acme-secret": 403, "wrong": 401}
        assert (await table.agent(token="scrape-me").client.get("/sessions")).status_code == 401


async def test_a_wrong_host_or_origin_is_refused_before_anything_else(company: Table) -> None:
    for headers in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}, {"Origin": "null"}):
        response = await company.agent().client.get("/health", headers=headers)
        assert (response.status_code, response.json()["error"]["code"]) == (403, "FORBIDDEN")


async def test_switching_auth_on_gives_the_default_tenants_data_to_the_first_tenant_once(
    store: object, tmp_path: object
) -> None:
    async with open_table(store, tmp_path) as table:  # type: ignore[arg-type]  # fixtures as given
        await table.agent("a", await table.session("sess_one")).adds_note("from before, about coffee")

    for _ in range(2):
        async with open_table(store, tmp_path, auth_tokens="acme:acme-secret,rival:rival-secret") as table:  # type: ignore[arg-type]
            acme = table.agent(None, "sess_one", "acme-secret")
            rival = table.agent(None, "sess_one", "rival-secret")
            async with asyncio.timeout(60):
                # The terms of the index name their tenant: they are made anew in the background.
                while (page := await acme.calls("read_notes", query="coffee")).get("indexing"):
                    pass
            assert [note["content"] for note in page["notes"]] == ["from before, about coffee"]
            with pytest.raises(Refused, match="SESSION_NOT_FOUND"):
                await rival.reads_notes()


async def test_the_store_remembers_that_auth_is_on(store: object, tmp_path: object) -> None:
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret"):  # type: ignore[arg-type]  # fixtures as given
        pass

    async with open_table(store, tmp_path) as table:  # type: ignore[arg-type]  # fixtures as given
        assert (await table.agent().client.get("/sessions")).status_code == 401
