"""Signing in to the console and out again: who counts, for how long, and which pages may speak for them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.logins import csrf_token
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, HOUR, MINUTE, SECOND
from tests.browser import bearer, client_of, signed_in
from tests.sse import listens
from tests.stores import Store
from tests.table import ADDRESS, Table, open_table

pytestmark = pytest.mark.slow

OWNER = Credential("acme", Role.OWNER, "boss")
PUBLIC, PUBLIC_HOST = "https://table.example.org", "table.example.org"
FOREIGN = ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765", "http://localhost:8765"]


@pytest.fixture
async def measured(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(store, tmp_path, enable_metrics="true", server_name="oak") as opened:
        yield opened


@pytest.fixture
async def proxied(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    """TLS ends on another machine, whose X-Forwarded-Proto is not believed: requests come over http."""
    async with open_table(store, tmp_path, auth_tokens="acme:acme-secret", public_url=PUBLIC) as opened:
        yield opened


def code_of(response: Any) -> tuple[int, str]:
    body = response.json()
    assert body["ok"] is False
    return response.status_code, body["error"]["code"]


async def test_a_page_learns_who_its_reader_is_and_what_the_server_offers(measured: Table) -> None:
    async with signed_in(measured.http) as browser:
        response = await browser.get("/me")

    me = response.json()
    assert response.headers["cache-control"] == "no-store"
    assert me.pop("version")
    assert me.pop("login_expires_at").endswith("Z")
    assert me == {
        "ok": True,
        "name": "owner",
        "agent": "human:owner",
        "role": "owner",
        "tenant": "default",
        "auth": "off",
        "csrf": csrf_token(browser.cookie),
        "server_name": "oak",
        "mcp_url": f"{ADDRESS}/mcp",
        "features": {"gateway": False, "search": "keyword", "metrics": True},
        "notices": [],
    }


async def test_the_bearer_of_a_token_learns_the_same_but_gets_no_csrf_token(company: Table) -> None:
    secret = await bearer(company.app, Role.HUMAN, name="eva")

    me = (await company.agent(token=secret).client.get("/me")).json()

    assert (me["name"], me["agent"], me["role"], me["tenant"]) == ("eva", "human:eva", "human", "acme")
    assert (me["auth"], me["csrf"], me["login_expires_at"]) == ("tokens", None, None)


async def test_nobody_in_particular_is_told_nothing(table: Table, company: Table) -> None:
    for http in (table.http, company.http):
        async with client_of(http) as client:
            assert code_of(await client.get("/me")) == (401, "UNAUTHORIZED")
        async with client_of(http, Cookie=f"{http.authenticator.cookie_name}=login_forged") as client:
            assert code_of(await client.get("/me")) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_page_from_elsewhere_cannot_make_changes_with_the_cookie(table: Table, origin: str) -> None:
    async with signed_in(table.http) as browser:
        response = await browser.post("/sessions", {"session_id": "sess_forged"}, Origin=origin)
        sessions = (await browser.get("/sessions")).json()["sessions"]

    assert code_of(response) == (403, "FORBIDDEN")
    assert sessions == []


@pytest.mark.parametrize("wrong", [{"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, {"Origin": ""}])
async def test_a_change_needs_the_origin_and_the_csrf_token(table: Table, wrong: dict[str, str]) -> None:
    async with signed_in(table.http) as browser:
        sent = {name: text for name, text in {**browser.signed, **wrong}.items() if text}
        response = await browser.client.post("/sessions", json={"session_id": "sess_forged"}, headers=sent)
        allowed = await browser.post("/sessions", {"session_id": "sess_wanted"})

    assert code_of(response) == (403, "FORBIDDEN")
    assert allowed.status_code == 201


async def test_the_csrf_token_of_one_login_is_of_no_use_to_another(table: Table) -> None:
    async with signed_in(table.http) as one, signed_in(table.http) as other:
        response = await one.client.post("/sessions", json={}, headers=other.signed)

    assert code_of(response) == (403, "FORBIDDEN")


async def test_a_page_signs_out_and_its_cookie_does_not_count_any_more(table: Table) -> None:
    async with signed_in(table.http) as browser:
        response = await browser.post("/logout", Accept="application/json")
        after = await browser.get("/me")
        home = await browser.get("/")

    assert (response.status_code, response.json()) == (200, {"ok": True})
    assert "Max-Age=0" in response.headers["set-cookie"]
    assert code_of(after) == (401, "UNAUTHORIZED")
    assert home.status_code == 401


async def test_the_form_of_the_rendered_page_signs_out_as_well(table: Table) -> None:
    async with signed_in(table.http) as browser:
        form = {"csrf": csrf_token(browser.cookie)}
        response = await browser.client.post("/logout", data=form, headers={"Origin": ADDRESS})
        after = await browser.get("/me")

    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert code_of(after) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    "wrong", [{"X-CSRF-Token": "0" * 64}, {"X-CSRF-Token": ""}, *({"Origin": origin} for origin in FOREIGN)]
)
async def test_nobody_else_can_sign_a_person_out(table: Table, wrong: dict[str, str]) -> None:
    async with signed_in(table.http) as browser:
        response = await browser.post("/logout", **wrong)
        after = await browser.get("/me")

    assert code_of(response) == (403, "FORBIDDEN")
    assert "set-cookie" not in response.headers
    assert after.status_code == 200


async def test_signing_out_without_a_login_is_told_so(table: Table) -> None:
    async with client_of(table.http) as client:
        by_page = await client.post("/logout", headers={"Accept": "application/json"})
        by_form = await client.post("/logout")

    assert code_of(by_page) == (401, "UNAUTHORIZED")
    assert by_form.status_code == 303


@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_page_from_elsewhere_cannot_sign_a_browser_in(company: Table, origin: str) -> None:
    secret = await bearer(company.app, Role.OWNER)

    async with client_of(company.http, Origin=origin) as client:
        response = await client.post("/login", data={"token": secret})

    assert response.status_code == 403
    assert "set-cookie" not in response.headers


async def test_a_person_signs_in_with_a_token_and_gets_a_cookie_that_no_script_reads(company: Table) -> None:
    secret = await bearer(company.app, Role.HUMAN, name="eva")

    async with client_of(company.http, Origin=ADDRESS) as client:
        response = await client.post("/login", data={"token": secret})
        me = (await client.get("/me")).json()

    cookie = response.headers["set-cookie"]
    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert (me["name"], me["role"]) == ("eva", "human")


async def test_at_the_public_address_a_person_signs_in_and_makes_changes(proxied: Table) -> None:
    secret = await bearer(proxied.app, Role.OWNER)

    async with client_of(proxied.http, Host=PUBLIC_HOST, Origin=PUBLIC) as client:
        signing_in = await client.post("/login", data={"token": secret})
        cookie, *marks = signing_in.headers.get("set-cookie", "").split("; ")
        sent = {"Cookie": cookie, "X-CSRF-Token": csrf_token(cookie.partition("=")[2])}
        changed = await client.post("/sessions", json={"session_id": "sess_wanted"}, headers=sent)

    assert (signing_in.status_code, changed.status_code) == (303, 201)
    assert "Secure" in marks


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (PUBLIC_HOST, f"http://{PUBLIC_HOST}"),
        (PUBLIC_HOST, f"{PUBLIC}:8443"),
        ("127.0.0.1:8765", PUBLIC),
        ("127.0.0.1:8765", "https://127.0.0.1:8765"),
    ],
)
async def test_the_public_address_speaks_for_no_other(proxied: Table, host: str, origin: str) -> None:
    secret = await bearer(proxied.app, Role.OWNER)
    named = {"Host": host, "Origin": origin, "X-Forwarded-Host": PUBLIC_HOST}

    async with client_of(proxied.http, **named) as client:
        response = await client.post("/login", data={"token": secret})

    assert response.status_code == 403
    assert "set-cookie" not in response.headers


async def test_a_login_ends_with_its_time(table: Table) -> None:
    async with signed_in(table.http) as browser:
        table.clock.ahead = 7 * DAY - HOUR
        before = await browser.get("/sessions")
        table.clock.ahead = 7 * DAY
        after = await browser.get("/sessions")
        home = await browser.get("/")

    assert before.status_code == 200
    assert code_of(after) == (401, "UNAUTHORIZED")
    assert home.status_code == 401


async def test_a_login_ends_when_the_token_that_made_it_is_revoked(company: Table) -> None:
    issued = await company.app.tokens.create(OWNER, None)
    credential = await company.app.verifier.verify(issued.secret)

    async with signed_in(company.http, credential) as browser:
        before = await browser.get("/sessions")
        await company.app.tokens.revoke(issued.token_id)
        after = await browser.get("/sessions")
    assert credential is not None
    late = await company.app.logins.log_in(credential)

    assert before.status_code == 200
    assert code_of(after) == (401, "UNAUTHORIZED")
    assert await company.app.logins.find(late) is None


async def test_a_login_never_outlives_the_token_that_made_it(company: Table) -> None:
    issued = await company.app.tokens.create(OWNER, HOUR)
    credential = await company.app.verifier.verify(issued.secret)

    async with signed_in(company.http, credential) as browser:
        me = (await browser.get("/me")).json()
        tokens = (await browser.get("/tokens")).json()["tokens"]
        company.clock.ahead = HOUR
        after = await browser.get("/me")

    assert me["login_expires_at"] == tokens[0]["expires_at"]
    assert code_of(after) == (401, "UNAUTHORIZED")


@pytest.mark.in_process("sets how often the server gives a sign of life")
@pytest.mark.parametrize("end", ["signed out", "expired", "revoked"])
async def test_an_open_stream_ends_with_the_login(company: Table, end: str) -> None:
    issued = await company.app.tokens.create(OWNER, None)
    credential = await company.app.verifier.verify(issued.secret)
    company.http.events.heartbeat = 0.2

    async with signed_in(company.http, credential) as browser:
        cookie = f"{company.http.authenticator.cookie_name}={browser.cookie}"
        async with listens(company.http, "/events", cookie=cookie) as stream:
            await stream.begins()
            if end == "signed out":
                await browser.post("/logout", Accept="application/json")
            elif end == "revoked":
                await company.app.tokens.revoke(issued.token_id)
            else:
                company.clock.ahead = 8 * DAY
            me = await stream.rest()

    assert [(kind, data["reason"]) for kind, data in me] == [("end", "unauthorized")]


async def tries(browser: Any, secret: str) -> int:
    response = await browser.post("/login", data={"token": secret}, headers={"Origin": ADDRESS})
    assert response.status_code != 429 or int(response.headers["retry-after"]) > 0
    return int(response.status_code)


@pytest.mark.in_process("each server counts failed logins for itself")
async def test_who_guesses_tokens_is_slowed_down_and_locks_nobody_out(company: Table) -> None:
    secret = await bearer(company.app, Role.OWNER, name="boss")

    async with client_of(company.http) as browser:
        wrong = [await tries(browser, f"wrong-{n}") for n in range(15)]
        right = await tries(browser, secret)
        still = await tries(browser, "wrong")
        company.clock.ahead += MINUTE
        later = await tries(browser, "wrong")

    assert wrong == [401] * 10 + [429] * 5
    assert (right, still, later) == (303, 429, 401)


async def test_looking_at_the_page_to_sign_in_counts_as_no_attempt(company: Table) -> None:
    secret = await bearer(company.app, Role.OWNER, name="boss")

    async with client_of(company.http) as browser:
        looked = [(await browser.get("/login?link=made-up")).status_code for _ in range(30)]
        wrong = await tries(browser, "wrong")
        right = await tries(browser, secret)

    assert (set(looked), wrong, right) == ({401}, 401, 303)


async def test_a_link_works_after_any_number_of_wrong_ones(table: Table) -> None:
    async with client_of(table.http) as browser:
        wrong = {(await browser.get(f"/login?link=link_{n}")).status_code for n in range(30)}
        right = await browser.get(f"/login?link={await table.app.logins.new_link_secret()}")

    assert (wrong, right.status_code) == ({401}, 303)


async def test_one_address_slows_down_no_other(company: Table) -> None:
    throttle = company.app.logins.throttle
    codes = [throttle.refusal("10.0.0.1", f"wrong-{n}").code for n in range(11)]

    other = throttle.refusal("10.0.0.2", "wrong").code
    neighbours = [throttle.refusal(f"2001:db8::{n}", f"guess-{n}").code for n in range(1, 12)]

    assert codes == ["UNAUTHORIZED"] * 10 + ["RATE_LIMITED"]
    assert other == "UNAUTHORIZED"
    assert neighbours[-1] == "RATE_LIMITED"


async def test_who_is_slowed_down_is_told_until_when(company: Table) -> None:
    throttle = company.app.logins.throttle
    for number in range(10):
        throttle.refusal("a name, not an address", f"wrong-{number}")
        company.clock.ahead += 3 * SECOND

    refused = throttle.refusal("a name, not an address", "wrong")
    company.clock.ahead += int(refused.details["retry_after"]) * SECOND

    assert 10 <= refused.details["retry_after"] <= 31
    assert throttle.refusal("a name, not an address", "wrong").code == "UNAUTHORIZED"


async def test_one_credential_is_slowed_down_from_all_addresses_together(company: Table) -> None:
    throttle = company.app.logins.throttle

    codes = [throttle.refusal(f"10.0.0.{n}", "the same").code for n in range(11)]

    assert codes == ["UNAUTHORIZED"] * 10 + ["RATE_LIMITED"]
