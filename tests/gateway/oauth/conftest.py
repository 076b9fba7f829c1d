"""A real authorization server, a server that wants its tokens, and a gateway in front of it."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from longtable.kernel.caller import Role
from tests.conformance.node import ROOT, node
from tests.gateway.slice.gateway import GatewayServer
from tests.stores import Store, anyio_backend, login, postgres, store
from tests.table import ADDRESS, open_table

__all__ = ["anyio_backend", "login", "postgres", "store"]

TOOLS = ROOT / ".tools" / "gateway"
TOOL = "mindscape_tool_vault_get_owner"
AUTH_ON = {"auth_tokens": "acme:acme-secret,rival:rival-secret"}


@dataclass
class AuthorizationServer:
    issuer: str
    client: httpx2.AsyncClient = field(default_factory=lambda: httpx2.AsyncClient(trust_env=False))

    async def control(self, **changed: Any) -> dict[str, Any]:
        """Changes how it behaves, and tells what it has seen."""
        seen: dict[str, Any] = (await self.client.post(f"{self.issuer}/control", content=json.dumps(changed))).json()
        return seen

    async def consent(self, address: str) -> str:
        """What a browser does there: the address that it is sent back to."""
        async with httpx2.AsyncClient(trust_env=False) as browser:
            for _ in range(10):
                response = await browser.get(address)
                assert response.status_code in (302, 303), response.text
                address = str(response.request.url.join(response.headers["location"]))
                if address.startswith(ADDRESS):
                    return address
        raise AssertionError("it did not lead back")


def _served(command: list[str]) -> Iterator[str]:
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the server did not start"
            yield address
        finally:
            process.kill()


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    if not (TOOLS / "node_modules" / "oidc-provider").exists():
        pytest.skip("the authorization server is not installed: run `make node-tools`")
    yield from _served([node(), "tests/gateway/oauth/authorization_server.mjs", str(TOOLS)])


@pytest.fixture(scope="session")
def vault(issuer: str) -> Iterator[str]:
    """The address of the server that wants tokens."""
    yield from _served([sys.executable, "-m", "tests.gateway.oauth.protected_server", issuer])


@pytest.fixture
async def authorization(issuer: str) -> AsyncIterator[AuthorizationServer]:
    server = AuthorizationServer(issuer)
    await server.control(deny=False, access=3600, refresh=86_400, account="ada", pkce=True)
    yield server
    await server.client.aclose()


@dataclass
class OAuthGateway(GatewayServer):
    """A gateway with one upstream, `vault`."""

    async def owner(self, tenant: str = "default") -> httpx2.AsyncClient:
        if self.table.app.auth == "off":
            return await self.signed_in()
        return await self.person(tenant, Role.OWNER)

    async def signed_in(self) -> httpx2.AsyncClient:
        """An owner in the console of a server without auth."""
        client = self.table.agent().client
        await client.get("/login", params={"link": await self.table.app.logins.new_link_secret()})
        me = (await client.get("/me")).json()
        client.headers.update({"X-CSRF-Token": me["csrf"], "Origin": ADDRESS})
        return client

    async def connects(self, authorization: AuthorizationServer, tenant: str = "default") -> httpx2.Response:
        """The whole way of an owner's browser; the page at its end."""
        owner = await self.owner(tenant)
        back = await authorization.consent(await self.is_sent_to(owner))
        return await owner.get(back)

    async def is_sent_to(self, owner: httpx2.AsyncClient) -> str:
        begun = await owner.post("/upstreams/vault/connect")
        assert begun.status_code == 200, begun.text
        response = await owner.get(begun.json()["link"])
        assert response.status_code == 303, response.text
        return str(response.headers["location"])

    async def vault(self, tenant: str = "default") -> dict[str, Any]:
        """The upstream as `GET /upstreams` shows it."""
        listed = (await (await self.owner(tenant)).get("/upstreams")).json()["upstreams"]
        (found,) = [each for each in listed if each["name"] == "vault"]
        shown: dict[str, Any] = found
        return shown


@asynccontextmanager
async def opened(
    store: Store, tmp_path: Path, address: str, options: dict[str, str] | None = None, **oauth: Any
) -> AsyncIterator[OAuthGateway]:
    path = tmp_path / "gateway.json"
    entry = {"url": address, "oauth": oauth}
    path.write_text(json.dumps({"mcpServers": {"vault": entry}}))
    path.chmod(0o600)
    given = {"gateway_config": str(path), **(options or {})}
    async with open_table(store, tmp_path, **given) as table:
        yield OAuthGateway(table, tmp_path / "journal")


@pytest.fixture
async def gateway(store: Store, tmp_path: Path, vault: str) -> AsyncIterator[OAuthGateway]:
    async with opened(store, tmp_path, vault) as result:
        yield result
