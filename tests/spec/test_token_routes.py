"""Tokens over REST: in the owner's hands, of the owner's tenant, and the secret in nobody else's."""

import asyncio
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.storage.database import SYSTEM
from tests.browser import audited, bearer, signed_in
from tests.table import Table

pytestmark = pytest.mark.slow

AGENT = {"role": "agent", "agent": "ada", "agent_type": "writer", "session_id": "sess_one", "expires_in": "24h"}


async def owner_of(table: Table, tenant: str = "acme") -> Any:
    return table.agent(token=await bearer(table.app, Role.OWNER, tenant)).client


def code_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


async def test_an_owner_makes_a_token_that_its_bearer_can_use_at_once(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")

    made = await (await owner_of(company)).post("/tokens", json=AGENT)

    body = made.json()
    token = body["token"]
    assert (made.status_code, body["ok"], "note" in body) == (201, True, False)
    assert {name: token[name] for name in ("name", "tenant", "role", "agent", "agent_type", "session_id")} == {
        "name": "ada",
        "tenant": "acme",
        "role": "agent",
        "agent": "ada",
        "agent_type": "writer",
        "session_id": "sess_one",
    }
    assert token["status"] == "active"
    assert token["expires_at"] > token["created_at"]
    await company.agent(token=body["secret"]).adds_note("mine")


async def test_the_list_has_every_token_of_the_tenant_and_no_secret(company: Table) -> None:
    client = await owner_of(company)
    secret = (await client.post("/tokens", json={"role": "reader", "name": "guest"})).json()["secret"]

    response = await client.get("/tokens")

    listed = response.json()
    assert (listed["ok"], listed["count"]) == (True, 2)
    assert [token["name"] for token in listed["tokens"]] == ["acme-owner", "guest"]
    assert secret not in response.text


async def test_a_revoked_token_does_not_count_any_more(company: Table) -> None:
    client = await owner_of(company)
    made = (await client.post("/tokens", json={"role": "reader"})).json()
    token_id = made["token"]["token_id"]
    reader = company.agent(token=made["secret"]).client
    before = await reader.get("/sessions")

    revoked = await client.delete(f"/tokens/{token_id}")

    assert before.status_code == 200
    assert revoked.json() == {"ok": True, "token_id": token_id, "status": "revoked"}
    assert code_of(await reader.get("/sessions")) == (401, "UNAUTHORIZED")
    assert (await client.get("/tokens")).json()["tokens"][-1]["status"] == "revoked"


async def test_a_revocation_that_is_repeated_with_its_key_counts_once(company: Table) -> None:
    client = await owner_of(company)
    made = [(await client.post("/tokens", json={"role": "reader"})).json()["token"]["token_id"] for _ in range(2)]
    key = {"Idempotency-Key": "k1"}

    answers = await asyncio.gather(*(client.delete(f"/tokens/{made[0]}", headers=key) for _ in range(20)))
    recorded = await audited(company.app, "acme", "revoke_token")
    other = await client.delete(f"/tokens/{made[1]}", headers=key)

    assert {(answer.status_code, answer.json()["status"]) for answer in answers} == {(200, "revoked")}
    assert [record["object"] for record in recorded] == [f"token:{made[0]}"]
    assert code_of(other) == (409, "IDEMPOTENCY_MISMATCH")


async def test_there_are_no_tokens_but_those_of_the_own_tenant(company: Table) -> None:
    acme, rival = await owner_of(company), await owner_of(company, "rival")
    (theirs,) = (await rival.get("/tokens")).json()["tokens"]

    refused = await acme.delete(f"/tokens/{theirs['token_id']}")
    unknown = await acme.delete("/tokens/token_000000000000")

    assert theirs["token_id"] not in (await acme.get("/tokens")).text
    assert code_of(refused) == code_of(unknown) == (404, "NOT_FOUND")
    assert refused.text.replace(theirs["token_id"], "") == unknown.text.replace("token_000000000000", "")
    assert (await rival.get("/tokens")).json()["tokens"][0]["status"] == "active"


@pytest.mark.parametrize("role", [Role.HUMAN, Role.ORCHESTRATOR, Role.READER])
async def test_nobody_but_the_owner_has_anything_to_do_with_tokens(company: Table, role: Role) -> None:
    client = company.agent(token=await bearer(company.app, role)).client

    answers = [
        await client.get("/tokens"),
        await client.post("/tokens", json={"role": "owner"}),
        await client.delete("/tokens/token_000000000000"),
    ]

    assert [code_of(answer) for answer in answers] == [(403, "FORBIDDEN")] * 3


async def test_agents_are_not_offered_any_of_it(company: Table) -> None:
    agent = company.agent(token=await bearer(company.app, Role.OWNER))
    listed = (await agent.posts("tools/list", {})).json()["result"]["tools"]

    assert not {"list_tokens", "create_token", "revoke_token"} & {tool["name"] for tool in listed}
    for tool, arguments in (("list_tokens", {}), ("create_token", {"role": "owner"})):
        assert (await agent.tries(tool, **arguments))["error"]["code"] == "NOT_FOUND"


async def test_with_auth_off_a_person_makes_tokens_and_is_told_that_nobody_is_asked_for_them(table: Table) -> None:
    async with signed_in(table.http) as browser:
        made = await browser.post("/tokens", {"role": "owner", "name": "you"})

    assert made.status_code == 201
    assert "Auth is off" in made.json()["note"]
    assert made.json()["token"]["tenant"] == "default"


async def test_with_auth_off_who_has_not_signed_in_makes_none(table: Table) -> None:
    made = await table.agent("ada").client.post("/tokens", json={"role": "owner"})

    assert code_of(made) == (403, "FORBIDDEN")
    assert await table.app.tokens.list(None) == []


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"role": "local"}, "role"),
        ({}, "role"),
        ({"role": "agent", "session_id": "sess_one"}, "agent"),
        ({"role": "agent", "agent": "ada"}, "session_id"),
        ({"role": "reader", "name": "human:eva"}, "name"),
        ({"role": "reader", "name": "x" * 101}, "name"),
        ({"role": "reader", "expires_in": "soon"}, "expires_in"),
        ({"role": "reader", "expires_in": "0h"}, "expires_in"),
        ({"role": "reader", "tenant": "rival"}, "tenant"),
        ({"role": "reader", "idempotency_key": "once"}, "idempotency_key"),
    ],
)
async def test_what_no_token_can_be_is_refused(company: Table, wrong: dict[str, str], path: str) -> None:
    refused = await (await owner_of(company)).post("/tokens", json=wrong)

    assert code_of(refused) == (400, "INVALID_ARGUMENT")
    assert refused.json()["error"]["details"]["errors"][0]["path"] == path
    assert len(await company.app.tokens.list("acme")) == 1


async def test_a_key_to_repeat_the_call_is_refused_as_the_secret_is_not_kept(company: Table) -> None:
    client = await owner_of(company)

    refused = await client.post("/tokens", json={"role": "reader"}, headers={"Idempotency-Key": "once"})

    assert code_of(refused) == (400, "INVALID_ARGUMENT")


async def test_what_is_done_with_tokens_is_audited_under_the_name_of_who_did_it(company: Table) -> None:
    credential = Credential("acme", Role.OWNER, "boss")

    async with signed_in(company.http, credential) as browser:
        made = (await browser.post("/tokens", {"role": "reader"})).json()["token"]["token_id"]
        await browser.delete(f"/tokens/{made}")
        await browser.get("/tokens")

    found = [
        (record["event_type"], record["agent_id"], record["surface"], record["object"])
        for operation in ("create_token", "revoke_token", "list_tokens")
        for record in await audited(company.app, "acme", operation)
    ]
    assert found == [
        ("token_created", "human:boss", "console", f"token:{made}"),
        ("token_revoked", "human:boss", "console", f"token:{made}"),
        ("tokens_listed", "human:boss", "console", None),
    ]


async def test_the_secret_is_written_down_nowhere(company: Table, capfd: pytest.CaptureFixture[str]) -> None:
    secret = (await (await owner_of(company)).post("/tokens", json={"role": "reader"})).json()["secret"]
    await company.app.ledger.flush()

    async def everything(tx: Any) -> str:
        tables = ("tokens", "audit", "events", "idempotency", "facts", "logins")
        return str([[dict(row) for row in await tx.all(f"SELECT * FROM {table}")] for table in tables])

    assert secret not in await company.app.database.read(SYSTEM, everything)
    assert secret not in "".join(capfd.readouterr())


async def test_tokens_made_at_the_same_moment_are_all_kept_and_all_revoked(company: Table) -> None:
    client = await owner_of(company)

    made = await asyncio.gather(*(client.post("/tokens", json={"role": "reader"}) for _ in range(20)))
    ids = {answer.json()["token"]["token_id"] for answer in made}
    await asyncio.gather(*(client.delete(f"/tokens/{token_id}") for token_id in ids))

    listed = (await client.get("/tokens")).json()["tokens"]
    assert len({answer.json()["secret"] for answer in made}) == 20
    assert {token["token_id"] for token in listed if token["status"] == "revoked"} == ids
