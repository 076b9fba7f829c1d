"""The official client signs in by itself, in both revisions of the protocol, and asks for more when it needs it. The
official inspector signs in, too."""

import asyncio
import json
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from tests.conformance.node import installed_tools, node
from tests.e2e.servers import Server, processes_in
from tests.sign_in.conftest import free_port, served
from tests.sign_in.provider import IdentityProvider, fresh
from tests.spec.test_resources import BOTH_REVISIONS

CALLBACK = "http://127.0.0.1:33418/callback"


class MemoryTokenStorage(TokenStorage):
    """What the client keeps."""

    def __init__(self) -> None:
        self.token: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class PersonAtBrowser:
    """Opens what the client asks for, and brings back what the provider answers."""

    def __init__(self, provider: IdentityProvider) -> None:
        self._provider = provider
        self.asked: list[dict[str, list[str]]] = []
        self._back = ""

    async def opens(self, address: str) -> None:
        self.asked.append(parse_qs(urlsplit(address).query))
        self._back = await self._provider.leads_back(address, CALLBACK)

    async def returns(self) -> AuthorizationCodeResult:
        query = parse_qs(urlsplit(self._back).query)
        return AuthorizationCodeResult(code=query["code"][0], state=query["state"][0], iss=query.get("iss", [None])[0])


@asynccontextmanager
async def editor(
    server: Server, person: PersonAtBrowser, memory: MemoryTokenStorage, mode: str, **headers: str
) -> AsyncIterator[Client]:
    """A client that a person has told nothing but the address."""
    metadata = OAuthClientMetadata.model_validate(
        {
            "client_name": "editor",
            "redirect_uris": [CALLBACK],
            "grant_types": ["authorization_code", "refresh_token"],
            "application_type": "native",
            "token_endpoint_auth_method": "none",
        }
    )
    resource = f"{server.address}/mcp"
    auth = OAuthClientProvider(resource, metadata, memory, person.opens, person.returns)
    async with (
        httpx2.AsyncClient(headers=headers, auth=auth, trust_env=False, timeout=30) as http,
        Client(streamable_http_client(resource, http_client=http), mode=mode) as client,
    ):
        yield client


async def result(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    outcome = await client.call_tool(tool, arguments)
    assert not outcome.is_error, outcome
    content: dict[str, Any] = outcome.structured_content
    return content


@pytest.fixture(scope="module")
def server(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """As a company runs it."""
    with processes_in(tmp_path_factory.mktemp("work")) as processes:
        yield served(processes, issuer, tmp_path_factory.mktemp("data"))


@pytest.fixture
async def session(server: Server, provider: IdentityProvider) -> str:
    token = await provider.gives_robot(f"{server.address}/mcp", "longtable:conduct")
    boss = server.agent(Authorization=f"Bearer {token}")
    async with boss.client:
        return str((await boss.calls("create_session"))["session_id"])


@BOTH_REVISIONS
async def test_the_official_client_signs_in_and_asks_for_more_when_it_needs_it(
    server: Server, provider: IdentityProvider, session: str, mode: str
) -> None:
    person, memory = PersonAtBrowser(provider), MemoryTokenStorage()
    in_session = {} if mode == "legacy" else {"X-Session-ID": session}

    async with editor(server, person, memory, mode, **in_session) as client:
        read = (await result(client, "get_session", session_id=session))["session"]
        if mode == "legacy":
            await result(client, "join_session", session_id=session)
        note = (await result(client, "add_note", content="from my editor"))["note"]
        await result(client, "add_note", content="and again")
        conducted = await result(client, "create_session", purpose="with more scope")

    assert memory.client is not None
    scopes = [asked["scope"][0].split() for asked in person.asked]
    assert [scope[-1] if scope[-1] != "offline_access" else scope[-2] for scope in scopes] == [
        "longtable:read",
        "longtable:work",
        "longtable:conduct",
    ]
    assert {asked["resource"][0] for asked in person.asked} == {f"{server.address}/mcp"}
    assert {asked["code_challenge_method"][0] for asked in person.asked} == {"S256"}
    assert read["session_id"] == session
    assert note["author"] == conducted["created_by"] == f"ada via {memory.client.client_id}"


async def test_who_is_not_given_more_is_told_so(server: Server, provider: IdentityProvider, session: str) -> None:
    """The person at the provider lets the program read, and no more."""
    person = PersonAtBrowser(provider)
    await provider.control(scopes=["longtable:read"])

    async with editor(server, person, MemoryTokenStorage(), "auto", **{"X-Session-ID": session}) as client:
        await result(client, "read_notes")
        with pytest.raises(Exception, match="longtable:work"):
            await client.call_tool("add_note", {"content": "not yet"})
        assert (await result(client, "read_notes"))["notes"] == []


AT_THE_PROVIDER = re.compile(r"(http://127\.0\.0\.1:\d+/auth\?\S+)")


def test_the_inspector_signs_in_and_lists_what_it_may_use(server: Server, issuer: str, tmp_path: Path) -> None:
    callback = f"http://127.0.0.1:{free_port()}/oauth/callback"
    words = ["--transport", "http", "--callback-url", callback, "--method", "tools/list"]

    with inspector(tmp_path, "--cli", f"{server.address}/mcp", *words) as process:
        address = shown_address(process)
        back = asyncio.run(led_back(issuer, address, callback))
        httpx2.get(back, trust_env=False)
        listed, problems = process.communicate(timeout=60)

    assert process.returncode == 0, problems
    names = {tool["name"] for tool in json.loads(listed)["tools"]}
    assert {"read_notes", "list_sessions"} <= names


@contextmanager
def inspector(home: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """The program, which believes that it can open a browser."""
    packages = installed_tools()
    if packages is None:
        pytest.skip("the inspector is not installed: run `make node-tools`")
    package = packages / "@modelcontextprotocol" / "inspector"
    script = package / json.loads((package / "package.json").read_text("utf-8"))["bin"]["mcp-inspector"]
    own = {"HOME": str(home), "MCP_CATALOG_PATH": str(home / "catalog.json"), "MCP_AUTO_OPEN_ENABLED": "true"}
    pipe, command = subprocess.PIPE, [node(), str(script), *words]
    environment = {**os.environ, **own, "NO_COLOR": "1", "BROWSER": "true", "PATH": str(home)}
    with subprocess.Popen(command, cwd=home, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def shown_address(process: "subprocess.Popen[str]") -> str:
    assert process.stderr is not None
    shown = ""
    while not (found := AT_THE_PROVIDER.search(shown)):
        line = process.stderr.readline()
        assert line, shown
        shown += line
    return found[1]


async def led_back(issuer: str, address: str, callback: str) -> str:
    async with fresh(issuer) as provider:
        return await provider.leads_back(address, callback)
