"""What becomes of the tokens: they are renewed, revoked, and nowhere to be seen."""

import asyncio
from pathlib import Path

import pytest

from longtable.gateway.token_cipher import KEY_FILE
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR
from tests.gateway.oauth.conftest import AUTH_ON, TOOL, AuthorizationServer, OAuthGateway, opened
from tests.gateway.slice.gateway import use
from tests.stores import Store

pytestmark = [pytest.mark.node]


@pytest.fixture
async def connected(gateway: OAuthGateway, authorization: AuthorizationServer) -> OAuthGateway:
    page = await gateway.connects(authorization)
    assert page.status_code == 200, page.text
    assert (await use(gateway.agent(), TOOL)).code == "SUCCESS"
    return gateway


async def test_a_token_is_renewed_before_it_expires(
    connected: OAuthGateway, authorization: AuthorizationServer
) -> None:
    before = (await authorization.control())["refreshes"]
    connected.table.clock.ahead += HOUR

    response = await use(connected.agent(), TOOL)

    assert response.code == "SUCCESS"
    assert (await authorization.control())["refreshes"] == before + 1


async def test_a_token_that_the_upstream_refuses_is_renewed_once(
    connected: OAuthGateway, authorization: AuthorizationServer
) -> None:
    before = (await authorization.control(destroy=["access"]))["refreshes"]

    responses = await asyncio.gather(*(use(connected.agent(), TOOL) for _ in range(20)))

    assert {each.code for each in responses} == {"SUCCESS"}
    assert (await authorization.control())["refreshes"] == before + 1


async def test_two_servers_of_one_store_renew_a_token_once(
    connected: OAuthGateway, authorization: AuthorizationServer, store: Store, tmp_path: Path, vault: str
) -> None:
    async with opened(store, tmp_path, vault) as other:
        assert (await use(other.agent(), TOOL)).code == "SUCCESS"
        before = (await authorization.control(destroy=["access"]))["refreshes"]

        agents = [server.agent() for server in (connected, other) for _ in range(5)]
        responses = await asyncio.gather(*(use(agent, TOOL) for agent in agents))

    assert {each.code for each in responses} == {"SUCCESS"}
    assert (await authorization.control())["refreshes"] == before + 1


async def test_when_it_cannot_be_renewed_an_owner_connects_again(
    connected: OAuthGateway, authorization: AuthorizationServer
) -> None:
    await authorization.control(destroy=["access", "refresh"])

    response = await use(connected.agent(), TOOL)
    shown = (await connected.vault())["authorization"]
    await connected.connects(authorization)

    assert response.code == "UPSTREAM_ERROR"
    assert "vault needs authorization" in response.message
    assert (shown["state"], shown["problem"]) == (
        "needs authorization",
        "Its authorization server refused: invalid_grant.",
    )
    assert (await use(connected.agent(), TOOL)).code == "SUCCESS"


async def test_a_disconnected_upstream_has_its_tokens_revoked(
    connected: OAuthGateway, authorization: AuthorizationServer
) -> None:
    before = (await authorization.control())["revocations"]

    owner = await connected.owner()
    done = (await owner.post("/upstreams/vault/disconnect")).json()
    response = await use(connected.agent(), TOOL)
    again = await owner.post("/upstreams/vault/disconnect")

    assert done["revoked"] is True
    assert (await authorization.control())["revocations"] == before + 2
    assert "vault needs authorization" in response.message
    assert (await connected.vault())["authorization"] == {"state": "needs authorization"}
    assert again.status_code == 404


async def test_a_removed_upstream_leaves_no_tokens_to_one_of_the_same_name(
    gateway: OAuthGateway, authorization: AuthorizationServer, vault: str
) -> None:
    owner, expected = await gateway.owner(), {"name": "tracker", "entry": {"url": vault, "oauth": {}}}
    await owner.post("/upstreams", json=expected)
    begun = await owner.get((await owner.post("/upstreams/tracker/connect")).json()["link"])
    await owner.get(await authorization.consent(begun.headers["location"]))
    before = (await owner.get("/upstreams/tracker")).json()["upstream"]["authorization"]["state"]
    revoked = (await authorization.control())["revocations"]

    await owner.delete("/upstreams/tracker")
    again = (await owner.post("/upstreams", json=expected)).json()["upstream"]["authorization"]

    assert (before, again) == ("connected", {"state": "needs authorization"})
    assert (await authorization.control())["revocations"] == revoked + 2


async def test_a_restarted_server_is_still_connected(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer
) -> None:
    async with opened(store, tmp_path, vault) as gateway:
        await gateway.connects(authorization)

    async with opened(store, tmp_path, vault) as gateway:
        assert (await gateway.vault())["authorization"]["state"] == "connected"
        assert (await use(gateway.agent(), TOOL)).code == "SUCCESS"


async def test_without_its_key_it_has_to_be_connected_again(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer
) -> None:
    async with opened(store, tmp_path, vault) as gateway:
        await gateway.connects(authorization)
    (key,) = _files(tmp_path, KEY_FILE)
    assert key.stat().st_mode & 0o777 == 0o600
    key.unlink()

    async with opened(store, tmp_path, vault) as gateway:
        lost = await gateway.vault()
        response = await use(gateway.agent(), TOOL)
        await gateway.connects(authorization)

        assert lost["authorization"]["state"] == "needs authorization"
        assert "The key with which its tokens were encrypted is gone." in lost["authorization"]["problem"]
        assert "vault needs authorization" in response.message
        assert (await use(gateway.agent(), TOOL)).code == "SUCCESS"


async def test_the_key_can_be_an_option(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"upstream_token_key": "k" * 40}
    async with opened(store, tmp_path, vault, options) as gateway:
        await gateway.connects(authorization)

    assert not _files(tmp_path, KEY_FILE)
    async with opened(store, tmp_path, vault, options) as gateway:
        assert (await use(gateway.agent(), TOOL)).code == "SUCCESS"


async def test_no_token_is_shown_logged_or_stored_in_the_clear(
    store: Store, tmp_path: Path, vault: str, authorization: AuthorizationServer, capfd: pytest.CaptureFixture[str]
) -> None:
    async with opened(store, tmp_path, vault, {**AUTH_ON, "log_level": "debug"}) as gateway:
        page = await gateway.connects(authorization, "acme")
        response = await use(gateway.agent(token="acme-secret"), TOOL)
        await authorization.control(destroy=["access"])
        told_again = await use(gateway.agent(token="acme-secret"), TOOL)
        owner = await gateway.person("acme", Role.OWNER)
        shown = {path: (await owner.get(path)).text for path in ("/upstreams", "/audit", "/calls")}
        await owner.post("/upstreams/vault/disconnect")
        secrets = [each for each in (await authorization.control())["secrets"] if each]

    assert (response.code, told_again.code) == ("SUCCESS", "SUCCESS")
    logged = capfd.readouterr()
    seen = {
        "page": page.text,
        "tool": str(response.result) + str(told_again.result),
        "log": logged.out + logged.err,
    } | shown
    leaks = [name for name, text in seen.items() for secret in secrets if secret in text]
    for path in _files(tmp_path, "*"):
        data = path.read_bytes()
        leaks += [path.name for secret in secrets if secret.encode() in data]
    assert len(secrets) >= 4
    assert leaks == []


def _files(folder: Path, pattern: str) -> list[Path]:
    return [path for path in folder.rglob(pattern) if path.is_file()]
