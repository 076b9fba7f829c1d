"""A real identity provider for tests, and what a person's browser does there."""

import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from tests.conformance.node import ROOT, node

TOOLS = ROOT / ".tools" / "gateway"
AS_IT_BEGINS: dict[str, Any] = {
    "deny": False,
    "account": "ada",
    "claims": {"preferred_username": "ada", "groups": ["staff"]},
    "extra": {},
    "scopes": ["longtable:read", "longtable:work", "longtable:conduct"],
    "tamper": None,
    "access": 3600,
}
CONSOLE = {"oidc_client_id": "console", "oidc_client_secret": "console-secret-that-is-long"}
ROBOT = ("robot", "robot-secret-that-is-long")


@contextmanager
def started_provider() -> Iterator[str]:
    """Its address, while it runs."""
    if not (TOOLS / "node_modules" / "oidc-provider").exists():
        pytest.skip("the identity provider is not installed: run `make node-tools`")
    command = [node(), "tests/sign_in/identity_provider.mjs", str(TOOLS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address, "the provider did not start"
            yield address
        finally:
            process.kill()


@dataclass
class IdentityProvider:
    issuer: str
    client: httpx2.AsyncClient = field(default_factory=lambda: httpx2.AsyncClient(trust_env=False))

    async def control(self, **changed: Any) -> dict[str, Any]:
        """Changes how it behaves, and tells what it has seen."""
        seen: dict[str, Any] = (await self.client.post(f"{self.issuer}/control", content=json.dumps(changed))).json()
        return seen

    async def mints(self, **claims: Any) -> str:
        """A token that the provider has signed, whatever it says."""
        return (await self.client.post(f"{self.issuer}/mint", content=json.dumps(claims))).text

    async def gives_robot(self, resource: str, scope: str) -> str:
        """An access token that no person had a part in."""
        form = {"grant_type": "client_credentials", "resource": resource, "scope": scope}
        answer = await self.client.post(f"{self.issuer}/token", data=form, auth=ROBOT)
        assert answer.status_code == 200, answer.text
        token: str = answer.json()["access_token"]
        return token

    async def leads_back(self, address: str, to: str) -> str:
        """What a browser does at the provider: the address that it is sent back to, which begins with `to`."""
        async with httpx2.AsyncClient(trust_env=False) as browser:
            for _ in range(10):
                response = await browser.get(address)
                assert response.status_code in (302, 303), response.text
                address = str(response.request.url.join(response.headers["location"]))
                if address.startswith(to):
                    return address
        raise AssertionError("it did not lead back")


@asynccontextmanager
async def fresh(issuer: str) -> AsyncIterator[IdentityProvider]:
    """As it was when it began."""
    provider = IdentityProvider(issuer)
    await provider.control(**AS_IT_BEGINS)
    yield provider
    await provider.client.aclose()
