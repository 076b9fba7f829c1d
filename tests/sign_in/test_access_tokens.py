"""The server as a resource server: clients learn where to sign in, and only tokens for this server count, for what
their scopes allow. None of them makes a person."""

import time
from typing import Any

import httpx2
import pytest

from tests.sign_in.conftest import RESOURCE, options_for
from tests.sign_in.provider import IdentityProvider
from tests.stores import Store
from tests.table import ADDRESS, Agent, Refused, Table, open_table

METADATA = "/.well-known/oauth-protected-resource"
READ, WORK, CONDUCT = "longtable:read", "longtable:work", "longtable:conduct"
ALL = f"{READ} {WORK} {CONDUCT}"


async def bearer(
    company: Table, provider: IdentityProvider, scope: str | None, session: str | None = None, **claims: Any
) -> Agent:
    given = {"aud": RESOURCE, "sub": "ada", "client_id": "editor", "scope": scope, **claims}
    return company.agent(session=session, token=await provider.mints(**given))


def challenge(answer: httpx2.Response) -> dict[str, str]:
    scheme, _, rest = answer.headers["www-authenticate"].partition(" ")
    assert scheme == "Bearer"
    return {name: value.strip('"') for name, _, value in (part.partition("=") for part in rest.split(", "))}


async def test_anybody_is_told_where_to_sign_in(company: Table, issuer: str) -> None:
    stranger = company.agent(Origin="https://inspector.example").client

    answers = [await stranger.get(path) for path in (METADATA, f"{METADATA}/mcp")]
    preflight = await stranger.options(METADATA)

    for answer in answers:
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == "*"
        described = answer.json()
        assert described["resource"] == RESOURCE
        assert described["authorization_servers"] == [issuer]
        assert described["scopes_supported"] == ALL.split()
    assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, "*")


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/.well-known/oauth-authorization-server/mcp",
        "/.well-known/oauth-protected-resource/sessions",
        "/mcp/.well-known/openid-configuration",
        "/.well-known/",
        "/.well-known/../sessions",
    ],
)
async def test_nothing_else_is_there_to_be_found(company: Table, path: str) -> None:
    answer = await company.agent().client.get(path)

    assert answer.status_code in (404, 401)
    assert answer.status_code == 404 or answer.request.url.path == "/sessions"


async def test_no_client_is_registered_here(company: Table) -> None:
    assert (await company.agent().client.post("/register", json={})).status_code == 404


async def test_without_access_tokens_there_is_nowhere_to_sign_in(store: Store, tmp_path: Any) -> None:
    async with open_table(store, tmp_path, auth="tokens", public_url=ADDRESS) as table:
        stranger = table.agent().client
        found = await stranger.get(METADATA)
        refused = await stranger.get("/sessions")

    assert found.status_code == 404
    assert refused.headers["www-authenticate"] == 'Bearer realm="longtable"'


async def test_a_refusal_says_where_to_sign_in_and_what_to_ask_for(company: Table) -> None:
    nobody = await company.agent().posts("tools/list", {})
    forged = await company.agent(token="a.b.c").posts("tools/list", {})

    expected = {"resource_metadata": f"{ADDRESS}{METADATA}/mcp", "scope": READ}
    assert (nobody.status_code, challenge(nobody)) == (401, expected)
    assert (forged.status_code, challenge(forged)) == (401, {**expected, "error": "invalid_token"})
    assert nobody.json()["error"]["data"] == forged.json()["error"]["data"]


async def test_a_token_of_a_program_counts_for_what_it_was_given(company: Table, provider: IdentityProvider) -> None:
    token = await provider.gives_robot(RESOURCE, ALL)
    robot = company.agent(token=token)

    created = await robot.calls("create_session", purpose="by a robot")

    me = (await robot.client.get("/me")).json()
    assert created["created_by"] == "robot"
    assert (me["role"], me["tenant"], me["name"]) == ("orchestrator", "acme", "robot")


async def test_a_wrong_token_is_refused_whatever_is_wrong_with_it(company: Table, provider: IdentityProvider) -> None:
    right: dict[str, Any] = {"aud": RESOURCE, "sub": "ada", "client_id": "editor", "scope": ALL}
    now = int(time.time())
    wrong: dict[str, dict[str, Any]] = {
        "for another server": {"aud": "https://other.example/mcp"},
        "for the console": {"aud": "console"},
        "for a path of this server": {"aud": ADDRESS},
        "of another issuer": {"iss": "https://evil.example"},
        "expired": {"exp": now - 60},
        "not yet valid": {"nbf": now + 600},
        "without any scope of ours": {"scope": "openid profile"},
        "without scopes": {"scope": None},
        "of a person": {"role": "human"},
        "of an owner": {"role": ["owner"], "scope": ALL},
    }

    answers = {
        flaw: await company.agent(token=await provider.mints(**{**right, **changed})).client.get("/sessions")
        for flaw, changed in wrong.items()
    }
    another = await company.agent(token=await provider.gives_robot("https://other.example/mcp", ALL)).client.get("/me")

    assert {flaw: answer.status_code for flaw, answer in answers.items() if answer.status_code != 401} == {}
    assert len({answer.content for answer in answers.values()}) == 1
    assert another.status_code == 401
    assert (await company.agent(token=await provider.mints(**right)).client.get("/sessions")).status_code == 200


@pytest.mark.parametrize("claimed", [{"role": ["human", "orchestrator"]}, {"roles": "owner"}, {"groups": ["admins"]}])
async def test_no_claim_makes_a_person_of_software(
    company: Table, provider: IdentityProvider, claimed: dict[str, Any]
) -> None:
    """The groups are those that make people owners at the console."""
    program = await bearer(company, provider, ALL, **claimed)

    me = (await program.client.get("/me")).json()
    decided = await program.client.post("/decisions/dec_1/approve")
    tokens = await program.client.get("/tokens")

    assert me["role"] == "orchestrator"
    assert not me["agent"].startswith("human:")
    assert (decided.status_code, tokens.status_code) == (403, 403)


async def test_scopes_are_roles(company: Table, provider: IdentityProvider) -> None:
    roles = {}
    for scope in (READ, WORK, f"{WORK} {READ}", CONDUCT):
        program = await bearer(company, provider, scope)
        roles[scope] = (await program.client.get("/me")).json()["role"]
    in_a_list = await bearer(company, provider, None, scp=[READ, WORK])

    assert roles == {READ: "reader", WORK: "agent", f"{WORK} {READ}": "agent", CONDUCT: "orchestrator"}
    assert (await in_a_list.client.get("/me")).json()["role"] == "agent"


async def test_too_little_scope_is_refused_before_the_call_runs(company: Table, provider: IdentityProvider) -> None:
    boss = await bearer(company, provider, CONDUCT)
    await boss.calls("create_session", session_id="sess_acme")
    reader = await bearer(company, provider, READ, "sess_acme")
    call = {"name": "add_note", "arguments": {"content": "too early"}}

    refused = await reader.posts("tools/call", call)
    conducting = await reader.posts("tools/call", {"name": "create_session", "arguments": {}})
    over_rest = await reader.client.post("/sessions/sess_acme/notes", json={"content": "too early"})
    for_people = await reader.client.get("/tokens")
    worker = await bearer(company, provider, f"{READ} {WORK}", "sess_acme")
    written = await worker.calls("add_note", content="now")

    metadata = f"{ADDRESS}{METADATA}/mcp"
    told = {"resource_metadata": metadata, "scope": f"{READ} {WORK}", "error": "insufficient_scope"}
    assert (refused.status_code, challenge(refused)) == (403, told)
    assert refused.json()["error"]["data"]["code"] == "FORBIDDEN"
    assert challenge(conducting)["scope"] == ALL
    assert (over_rest.status_code, challenge(over_rest)) == (403, told)
    assert (for_people.status_code, "www-authenticate" in for_people.headers) == (403, False)
    assert [note["content"] for note in await reader.reads_notes()] == ["now"]
    assert written["note"]["id"]


async def test_too_little_scope_is_refused_over_the_legacy_transport_as_well(
    company: Table, provider: IdentityProvider
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "add_note", "arguments": {}}}
    place = f"/messages?session_id={'0' * 32}"
    reader, worker = await bearer(company, provider, READ), await bearer(company, provider, f"{READ} {WORK}")

    refused = await reader.client.post(place, json=message)
    listing = await reader.client.post(place, json={**message, "method": "tools/list", "params": {}})
    enough = await worker.client.post(place, json=message)

    assert (refused.status_code, challenge(refused)["error"]) == (403, "insufficient_scope")
    assert challenge(refused)["scope"] == f"{READ} {WORK}"
    # There is no such stream, which is what the others are told.
    assert (listing.status_code, enough.status_code) == (404, 404)


async def test_more_scope_is_not_offered_where_it_would_not_help(
    store: Store, tmp_path: Any, issuer: str, provider: IdentityProvider
) -> None:
    options = {**options_for(issuer), "jwt_groups": "builders=agent,visitors=reader@guests"}
    async with open_table(store, tmp_path, **options) as table:
        visitor = await bearer(table, provider, CONDUCT, groups=["visitors"])
        me = (await visitor.client.get("/me")).json()
        answer = await visitor.posts("tools/call", {"name": "create_session", "arguments": {}})
        builder = await bearer(table, provider, READ, groups=["visitors", "builders"])
        offered = await builder.posts("tools/call", {"name": "scratch_create", "arguments": {}})
        beyond = await builder.posts("tools/call", {"name": "create_session", "arguments": {}})
        stranger = await bearer(table, provider, CONDUCT, groups=["others"])
        unknown = (await stranger.client.get("/me")).status_code

    assert (me["role"], me["tenant"]) == ("reader", "guests")
    assert answer.json()["result"]["structuredContent"]["code"] == "FORBIDDEN"
    assert (offered.status_code, challenge(offered)["scope"]) == (403, f"{READ} {WORK}")
    assert (beyond.status_code, beyond.json()["result"]["structuredContent"]["code"]) == (200, "FORBIDDEN")
    assert unknown == 401


async def test_claims_may_be_nested_and_named_by_an_address(
    store: Store, tmp_path: Any, issuer: str, provider: IdentityProvider
) -> None:
    options = {name: value for name, value in options_for(issuer).items() if name != "jwt_tenant"}
    named = {"jwt_claim_tenant": "https://acme.example/org.id", "jwt_claim_role": "realm_access.roles"}
    async with open_table(store, tmp_path, **options, **named) as table:
        by_address: dict[str, Any] = {
            "https://acme.example/org.id": "umbrella",
            "realm_access": {"roles": ["x", "orchestrator"]},
        }
        program = await bearer(table, provider, CONDUCT, **by_address)
        me = (await program.client.get("/me")).json()
        inside: dict[str, Any] = {"https://acme": {"example/org": {"id": "inner"}}}
        nested = await bearer(table, provider, CONDUCT, **inside)
        inner = (await nested.client.get("/me")).json()
        none = await bearer(table, provider, CONDUCT)
        nobody = (await none.client.get("/me")).status_code

    assert (me["tenant"], me["role"], inner["tenant"], nobody) == ("umbrella", "orchestrator", "inner", 401)


async def test_a_worker_finds_its_session_by_itself(company: Table, provider: IdentityProvider) -> None:
    boss = await bearer(company, provider, CONDUCT)
    await boss.calls("create_session", session_id="sess_acme", purpose="Find me")
    worker = await bearer(company, provider, WORK)

    listed = (await worker.calls("list_sessions"))["sessions"]
    offered = {tool["name"] for tool in (await worker.posts("tools/list", {})).json()["result"]["tools"]}
    with pytest.raises(Refused, match="MISSING_SESSION_ID"):
        await worker.calls("add_note", content="nowhere")
    placed = await bearer(company, provider, WORK, "sess_acme")
    await placed.calls("add_note", content="here")
    held = {tool["name"] for tool in (await placed.posts("tools/list", {})).json()["result"]["tools"]}

    assert [session["purpose"] for session in listed] == ["Find me"]
    assert {"list_sessions", "join_session", "add_note"} <= offered
    assert "create_session" not in offered
    assert not {"list_sessions", "join_session"} & held
    (note,) = await placed.reads_notes()
    assert note["author"] == "ada via editor"


async def test_a_connection_belongs_to_one_program_of_one_person(company: Table, provider: IdentityProvider) -> None:
    async def answers(connection: str | None, **claims: Any) -> httpx2.Response:
        given = {"aud": RESOURCE, "sub": "ada", "client_id": "editor", "scope": "longtable:work", **claims}
        headers = {"MCP-Protocol-Version": "2025-11-25", "Accept": "application/json, text/event-stream"}
        opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "e", "version": "1"}}
        call: dict[str, Any] = {"method": "tools/list", "params": {}}
        if connection is None:
            call = {"method": "initialize", "params": opening}
        else:
            headers["Mcp-Session-Id"] = connection
        client = company.agent(token=await provider.mints(**given)).client
        return await client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, **call}, headers=headers)

    opened = await answers(None)
    connection = opened.headers["mcp-session-id"]

    assert (await answers(connection, scope="longtable:read")).status_code == 200
    assert (await answers(connection, exp=4_000_000_000)).status_code == 200
    assert (await answers(connection, sub="bob")).status_code == 404
    assert (await answers(connection, client_id="other")).status_code == 404
