"""People sign in to the console at the company's identity provider, and nobody else does."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from longtable.kernel.clock import HOUR, MINUTE, to_iso
from tests.browser import audited
from tests.sign_in.conftest import options_for
from tests.sign_in.provider import CONSOLE, IdentityProvider
from tests.stores import Store
from tests.table import ADDRESS, Table, open_table

START, CALLBACK = "/login/oidc", f"{ADDRESS}/login/oidc/callback"
TRY_AGAIN = "the answer of the identity provider does not count here"


class SigningInBrowser:
    def __init__(self, table: Table, provider: IdentityProvider) -> None:
        self.client: httpx2.AsyncClient = table.agent().client
        self._provider = provider

    async def leaves(self, then: str | None = None) -> str:
        """The address at the provider that it is sent to."""
        response = await self.client.get(START, params={} if then is None else {"then": then})
        assert response.status_code == 303, response.text
        return str(response.headers["location"])

    async def comes_back(self, then: str | None = None) -> str:
        return await self._provider.leads_back(await self.leaves(then), CALLBACK)

    async def signs_in(self, then: str | None = None) -> httpx2.Response:
        return await self.client.get(await self.comes_back(then))

    async def me(self) -> dict[str, Any]:
        answer: dict[str, Any] = (await self.client.get("/me")).json()
        return answer


@pytest.fixture
def browser(company: Table, provider: IdentityProvider) -> SigningInBrowser:
    return SigningInBrowser(company, provider)


async def test_the_sign_in_page_offers_the_provider(browser: SigningInBrowser, issuer: str) -> None:
    page = await browser.client.get("/")

    assert page.status_code == 401
    assert f'href="{START}">Sign in with {issuer.removeprefix("http://")}' in page.text
    assert "Token of the role human or owner" in page.text


async def test_a_person_signs_in_by_code_and_pkce(browser: SigningInBrowser, company: Table) -> None:
    query = parse_qs(urlsplit(await browser.leaves()).query)
    page = await browser.signs_in()
    me = await browser.me()
    out = await browser.client.post("/logout", headers={"X-CSRF-Token": me["csrf"], "Origin": ADDRESS})

    assert (query["response_type"], query["code_challenge_method"]) == (["code"], ["S256"])
    assert (query["redirect_uri"], query["scope"]) == ([CALLBACK], ["openid profile email"])
    assert len({query[name][0] for name in ("state", "nonce", "code_challenge")}) == 3
    assert page.status_code == 200
    assert "You are signed in" in page.text
    assert (me["role"], me["tenant"], me["agent"], me["name"]) == ("human", "acme", "human:ada", "ada")
    assert (out.status_code, (await browser.client.get("/me")).status_code) == (303, 401)
    (record,) = await audited(company.app, "acme", "sign_in")
    assert (record["agent_id"], record["outcome"], record["surface"]) == ("human:ada", "SUCCESS", "console")


async def test_a_login_ends_after_its_time(browser: SigningInBrowser, company: Table) -> None:
    before = company.clock()
    await browser.signs_in()
    me = await browser.me()
    company.clock.ahead = 12 * HOUR + MINUTE

    assert to_iso(before + 12 * HOUR) <= me["login_expires_at"] <= to_iso(before + 12 * HOUR + MINUTE)
    assert (await browser.client.get("/me")).status_code == 401


@pytest.mark.parametrize(
    ("groups", "role", "tenant"),
    [
        (["admins"], "owner", "acme"),
        (["staff", "admins"], "owner", "acme"),
        ("staff", "human", "acme"),
        (["guests"], "human", "visitors"),
    ],
)
async def test_groups_say_role_and_tenant(
    browser: SigningInBrowser, provider: IdentityProvider, groups: Any, role: str, tenant: str
) -> None:
    await provider.control(claims={"preferred_username": "Zoë", "groups": groups})

    await browser.signs_in()

    me = await browser.me()
    assert (me["role"], me["tenant"], me["agent"]) == (role, tenant, "human:Zoë")


NO_PEOPLE: list[dict[str, Any]] = [
    {"preferred_username": "eve", "groups": ["others"]},
    {"preferred_username": "eve", "groups": []},
    {"preferred_username": "eve", "groups": {"admins": True}},
    {"preferred_username": "eve"},
    {"groups": ["admins"]},
    {"preferred_username": "human:ada", "groups": ["staff"]},
    {"preferred_username": "hum\u0430n:ada", "groups": ["staff"]},
    {"preferred_username": "a\u202eda", "groups": ["staff"]},
    {"preferred_username": "x" * 95, "groups": ["staff"]},
    {"preferred_username": ["ada"], "groups": ["staff"]},
]


async def test_who_is_in_no_group_or_has_no_name_does_not_come_in(
    browser: SigningInBrowser, provider: IdentityProvider, company: Table
) -> None:
    for claims in NO_PEOPLE:
        await provider.control(claims=claims)

        page = await browser.signs_in()

        assert (page.status_code, "Your account" in page.text) == (403, True), claims
        assert (await browser.client.get("/me")).status_code == 401
    records = await audited(company.app, "acme", "sign_in")
    assert [(one["agent_id"], one["outcome"]) for one in records] == [("unknown", "FORBIDDEN")] * len(NO_PEOPLE)


async def test_an_answer_counts_once(browser: SigningInBrowser) -> None:
    back = await browser.comes_back()
    cookies = dict(browser.client.cookies)

    first = await browser.client.get(back)
    without_flow = await browser.client.get(back)
    with_flow = await browser.client.get(
        back, headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    )

    assert [first.status_code, without_flow.status_code, with_flow.status_code] == [200, 401, 401]


async def test_another_browser_cannot_finish_what_one_began(
    browser: SigningInBrowser, company: Table, provider: IdentityProvider
) -> None:
    back = await browser.comes_back()
    other = SigningInBrowser(company, provider)
    await other.leaves()

    stolen = await other.client.get(back)
    finished = await browser.client.get(back)

    assert (stolen.status_code, finished.status_code) == (401, 200)
    assert TRY_AGAIN in stolen.text


async def test_a_forged_answer_signs_nobody_in(browser: SigningInBrowser, company: Table) -> None:
    forgeries = [{name: [value]} for name in ("state", "code", "iss") for value in ("x", "")]
    forgeries += [{name: []} for name in ("state", "code", "iss")]
    for forged in [*forgeries, {"code": ["x", "y"]}, {"state": ["\u00e9"]}]:
        back = urlsplit(await browser.comes_back())
        company.clock.ahead += MINUTE

        page = await browser.client.get(back.path, params={**parse_qs(back.query), **forged})

        assert (page.status_code, TRY_AGAIN in page.text) == (401, True), forged
        assert (await browser.client.get("/me")).status_code == 401


TAMPERED: list[dict[str, Any]] = [
    {"nonce": "another"},
    {"nonce": None},
    {"aud": "editor"},
    {"aud": ["console", "editor"]},
    {"azp": "editor"},
    {"iss": "https://evil.example"},
    {"exp": 1_000_000_000},
    {"iat": 4_000_000_000},
]


async def test_an_id_token_that_is_not_for_this_sign_in_does_not_count(
    browser: SigningInBrowser, provider: IdentityProvider
) -> None:
    for tampered in TAMPERED:
        await provider.control(tamper=tampered)

        page = await browser.signs_in()

        assert (page.status_code, TRY_AGAIN in page.text) == (401, True), tampered


async def test_who_is_refused_at_the_provider_is_not_signed_in(
    browser: SigningInBrowser, provider: IdentityProvider
) -> None:
    await provider.control(deny=True)

    page = await browser.signs_in()

    assert page.status_code == 401


async def test_whoever_signs_in_arrives_where_the_address_leads(browser: SigningInBrowser) -> None:
    sign_in = await browser.client.get("/sessions/sess_acme?tab=plan", headers={"Accept": "text/html"})

    page = await browser.signs_in(then="/sessions/sess_acme?tab=plan")

    assert 'href="/login/oidc?then=%2Fsessions%2Fsess_acme%3Ftab%3Dplan"' in sign_in.text
    assert 'content="0; url=/sessions/sess_acme?tab=plan"' in page.text


@pytest.mark.parametrize(
    "away", ["https://evil.example/", "//evil.example", "/\\evil.example", "evil", "/ x", "\u00e9"]
)
async def test_nobody_is_sent_anywhere_else(browser: SigningInBrowser, away: str) -> None:
    begun = await browser.client.get(START, params={"next": away, "redirect_uri": away, "then": away})
    page = await browser.signs_in(then=away)

    assert "evil" not in begun.headers["location"]
    assert 'content="0; url=/"' in page.text
    assert "location" not in page.headers


async def test_failed_sign_ins_are_throttled_and_a_right_one_still_works(browser: SigningInBrowser) -> None:
    forged = [await browser.client.get(CALLBACK, params={"state": f"s{number}", "code": "c"}) for number in range(12)]
    right = await browser.signs_in()

    assert [answer.status_code for answer in forged] == [401] * 10 + [429] * 2
    assert "retry-after" in forged[-1].headers
    assert right.status_code == 200


async def test_an_access_token_of_the_same_person_is_not_the_person(
    browser: SigningInBrowser, company: Table, provider: IdentityProvider
) -> None:
    """Nor does an ID token open anything but the console."""
    id_token = await provider.mints(aud="console", sub="ada", groups=["admins"], nonce="n", scope="longtable:conduct")

    as_bearer = await company.agent(token=id_token).client.get("/me")
    pasted = await browser.client.post("/login", data={"token": id_token})

    assert (as_bearer.status_code, pasted.status_code) == (401, 401)


async def test_tokens_of_the_store_and_people_of_a_provider_go_together(
    store: Store, tmp_path: Path, issuer: str, provider: IdentityProvider
) -> None:
    """Without access tokens; the address of the request is the one to come back to."""
    own = {"auth": "tokens", "oidc_issuer": issuer, "oidc_groups": "*=human", **CONSOLE}
    async with open_table(store, tmp_path, **own) as table:
        visitor = SigningInBrowser(table, provider)
        await visitor.signs_in()
        me = await visitor.me()

    assert (me["role"], me["tenant"]) == ("human", "default")


async def test_a_provider_that_is_away_is_named_as_the_cause(store: Store, tmp_path: Path) -> None:
    options = {**options_for("http://127.0.0.1:9"), "jwt_issuer": "http://127.0.0.1:9"}
    async with open_table(store, tmp_path, **options) as table:
        page = await table.agent().client.get(START)
        token = await table.agent(token="a.b.c").client.get("/me")

    assert (page.status_code, token.status_code) == (502, 401)
    assert "The identity provider cannot be used at the moment" in page.text
