"""An owner connects an upstream that wants authorization, and nobody else does."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.gateway.oauth.conftest import AUTH_ON, TOOL, AuthorizationServer, OAuthGateway, opened
from tests.gateway.slice.gateway import names, use
from tests.stores import Store
from tests.table import ADDRESS

pytestmark = [pytest.mark.node]


async def test_an_owner_connects_an_upstream_and_its_tools_are_used(
    gateway: OAuthGateway, authorization: AuthorizationServer
) -> None:
    before = await gateway.vault()

    page = await gateway.connects(authorization)

    assert before["authorization"] == {"state": "needs authorization"}
    assert "vault is connected" in page.text
    shown = (await gateway.vault())["authorization"]
    assert (shown["state"], shown["issuer"], shown["connected_by"]) == (
        "connected",
        authorization.issuer,
        "human:owner",
    )
    assert TOOL in await names(gateway.agent())
    assert "ada by" in str((await use(gateway.agent(), TOOL)).result)


async def test_an_upstream_without_authorization_says_who_can_give_it(gateway: OAuthGateway) -> None:
    response = await use(gateway.agent(), TOOL)

    assert "vault needs authorization. An owner connects it in the console" in response.message
    assert "401" not in response.message


async def test_the_request_names_the_resource_and_its_code_is_bound_to_us(
    gateway: OAuthGateway, authorization: AuthorizationServer, vault: str
) -> None:
    query = parse_qs(urlsplit(await gateway.is_sent_to(await gateway.owner())).query)

    assert query["code_challenge_method"] == ["S256"]
    assert len(query["code_challenge"][0]) == 43
    assert query["resource"] == [vault]
    assert query["redirect_uri"] == [f"{ADDRESS}/oauth/callback"]
    assert "tools" in query["scope"][0].split()


async def test_a_server_without_pkce_is_not_connected(
    gateway: OAuthGateway, authorization: AuthorizationServer
) -> None:
    await authorization.control(pkce=False)
    owner = await gateway.owner()

    response = await owner.get((await owner.post("/upstreams/vault/connect")).json()["link"])

    assert response.status_code == 502
    assert "does not support PKCE" in response.text


async def test_a_client_is_registered_once(gateway: OAuthGateway, authorization: AuthorizationServer) -> None:
    before = (await authorization.control())["registrations"]

    await gateway.connects(authorization)
    await gateway.connects(authorization)

    assert (await authorization.control())["registrations"] == before + 1


async def test_a_client_that_was_registered_before_is_used(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer
) -> None:
    before = (await authorization.control())["registrations"]
    known: dict[str, Any] = {"client_id": "known-client", "client_secret": "known-client-secret", "scopes": ["tools"]}

    async with opened(store, tmp_path, vault, **known) as gateway:
        await gateway.connects(authorization)

        assert "ada by known-client" in str((await use(gateway.agent(), TOOL)).result)
    assert (await authorization.control())["registrations"] == before


async def test_a_state_counts_once(gateway: OAuthGateway, authorization: AuthorizationServer) -> None:
    owner = await gateway.owner()
    back = await authorization.consent(await gateway.is_sent_to(owner))
    cookies = dict(owner.cookies)

    first = await owner.get(back)
    again = await owner.get(back, headers={"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())})

    assert (first.status_code, again.status_code) == (200, 404)
    assert (await gateway.vault())["authorization"]["state"] == "connected"


async def test_a_wrong_state_connects_nothing(gateway: OAuthGateway, authorization: AuthorizationServer) -> None:
    owner = await gateway.owner()
    back = await authorization.consent(await gateway.is_sent_to(owner))
    state = parse_qs(urlsplit(back).query)["state"][0]

    response = await owner.get(back.replace(state, "x" * len(state)))

    assert response.status_code == 404
    assert (await gateway.vault())["authorization"]["state"] == "needs authorization"


async def test_another_browser_cannot_finish_what_one_began(
    gateway: OAuthGateway, authorization: AuthorizationServer
) -> None:
    owner, other = await gateway.owner(), gateway.table.agent().client
    back = await authorization.consent(await gateway.is_sent_to(owner))

    refused = await other.get(back)
    finished = await owner.get(back)

    assert (refused.status_code, finished.status_code) == (403, 200)


async def test_a_link_of_the_console_is_for_the_owner_who_made_it(gateway: OAuthGateway) -> None:
    owner, other = await gateway.owner(), gateway.table.agent().client
    link = (await owner.post("/upstreams/vault/connect")).json()["link"]

    refused = await other.get(link)
    opened_first = await owner.get(link)
    opened_again = await owner.get(link)

    assert (refused.status_code, opened_first.status_code, opened_again.status_code) == (403, 303, 409)


async def test_a_person_who_says_no_leaves_it_unconnected(
    gateway: OAuthGateway, authorization: AuthorizationServer
) -> None:
    await authorization.control(deny=True)

    page = await gateway.connects(authorization)

    assert page.status_code == 502
    assert "the authorization was not given" in page.text
    assert (await gateway.vault())["authorization"]["state"] == "needs authorization"


async def test_the_response_of_another_authorization_server_is_refused(
    gateway: OAuthGateway, authorization: AuthorizationServer
) -> None:
    owner = await gateway.owner()
    back = await authorization.consent(await gateway.is_sent_to(owner))
    assert "iss=" in back

    mixed_up = await owner.get(back.split("&iss=")[0] + "&iss=https%3A%2F%2Fevil.example")

    assert "not from the authorization server that was asked" in mixed_up.text
    assert (await gateway.vault())["authorization"]["state"] == "needs authorization"


async def test_only_owners_connect(store: Store, tmp_path: Path, vault: str) -> None:
    async with opened(store, tmp_path, vault, AUTH_ON) as gateway:
        refused = await (await gateway.person("acme")).post("/upstreams/vault/connect")

    assert refused.status_code == 403


async def test_an_upstream_without_oauth_cannot_be_connected(gateway: OAuthGateway) -> None:
    response = await (await gateway.owner()).post("/upstreams/none/connect")

    assert response.status_code == 404


async def test_two_tenants_have_tokens_of_their_own(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer
) -> None:
    async with opened(store, tmp_path, vault, AUTH_ON) as gateway:
        await gateway.connects(authorization, "acme")
        alone = (await gateway.vault("rival"))["authorization"]["state"]
        await authorization.control(account="bob")
        await gateway.connects(authorization, "rival")

        acme = await use(gateway.agent(token="acme-secret"), TOOL)
        rival = await use(gateway.agent(token="rival-secret"), TOOL)

    assert alone == "needs authorization"
    assert "ada by" in str(acme.result)
    assert "bob by" in str(rival.result)
