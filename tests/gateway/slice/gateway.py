"""A table with a gateway to servers of the test's own, and those who come to it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from mcp.shared.inbound import encode_header_value

from longtable.identity.model import Credential
from longtable.kernel.caller import Caller, Role, Surface
from tests.gateway.hostile.entries import hostile_json
from tests.stores import Store
from tests.table import Agent, Table, open_table

DELETE = "mindscape_run_shop_delete_post"
LIST = "mindscape_tool_shop_list_posts"
GET = "mindscape_tool_shop_get_post"
TOKENS = "acme:acme-secret,rival:rival-secret"
PERSON = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
ALICE = Caller("default", Role.LOCAL, "alice", "generic", Surface.STDIO)
AUTH_ON = {"auth_tokens": TOKENS}


@dataclass
class CallResponse:
    """What a call brought back."""

    result: dict[str, Any]

    @property
    def code(self) -> str:
        """SUCCESS, or that of a refusal or of a failure of ours; FAILED where the tool itself says so."""
        body = self.result.get("structuredContent") or {}
        if not self.result.get("isError"):
            return "SUCCESS"
        code: str = body["error"]["code"] if body.get("ok") is False else "FAILED"
        return code

    @property
    def details(self) -> dict[str, Any]:
        details: dict[str, Any] = self.result["structuredContent"]["error"]["details"]
        return details

    @property
    def message(self) -> str:
        return str(self.result["structuredContent"]["error"]["error"])

    @property
    def meta(self) -> dict[str, Any]:
        meta: dict[str, Any] = self.result["_meta"]
        return meta

    @property
    def structured(self) -> dict[str, Any]:
        structured: dict[str, Any] = self.result["structuredContent"]
        return structured


@dataclass
class GatewayServer:
    table: Table
    journal: Path
    tokens: dict[tuple[str, Role], str] = field(default_factory=dict)

    def agent(self, name: str = "alice", session: str | None = None, token: str | None = None) -> Agent:
        return self.table.agent(name, session, token)

    async def person(self, tenant: str = "acme", role: Role = Role.HUMAN) -> httpx2.AsyncClient:
        """Somebody at a browser or a script of theirs: REST with a token of a person."""
        return self.table.agent(token=await self.token(tenant, role)).client

    async def token(self, tenant: str, role: Role, **fixed: Any) -> str:
        """A token of the store, as the command line makes them."""
        if fixed:
            return (await self.table.app.tokens.create(Credential(tenant, role, "one", **fixed), None)).secret
        if (tenant, role) not in self.tokens:
            expected = Credential(tenant, role, f"{tenant}-{role}")
            self.tokens[tenant, role] = (await self.table.app.tokens.create(expected, None)).secret
        return self.tokens[tenant, role]

    def ran(self, tool: str | None = None) -> list[dict[str, Any]]:
        """The calls that have reached the shop."""
        if not self.journal.exists():
            return []
        every = [json.loads(line) for line in self.journal.read_text().splitlines()]
        return [each["arguments"] for each in every if tool in (None, each["tool"])]


async def use(agent: Agent, tool: str, arguments: dict[str, Any] | None = None, /, **more: Any) -> CallResponse:
    params = {"name": tool, "arguments": {**(arguments or {}), **more}}
    response = await agent.posts("tools/call", params, **{"Mcp-Name": encode_header_value(tool)})
    return CallResponse(response.json()["result"])


async def names(agent: Agent) -> dict[str, dict[str, Any]]:
    """The tools of others that are listed."""
    listed = (await agent.posts("tools/list", {})).json()["result"]["tools"]
    return {tool["name"]: tool for tool in listed if "upstream" in tool.get("_meta", {})}


async def approve(person: httpx2.AsyncClient, refused: CallResponse, **more: Any) -> dict[str, Any]:
    response = await person.post(f"/decisions/{refused.details['confirmation_id']}/approve", json=more)
    body: dict[str, Any] = response.json()
    return body


async def deny(person: httpx2.AsyncClient, refused: CallResponse, reason: str | None = None) -> dict[str, Any]:
    said = {} if reason is None else {"reason": reason}
    body: dict[str, Any] = (
        await person.post(f"/decisions/{refused.details['confirmation_id']}/deny", json=said)
    ).json()
    return body


def gateway_file(tmp_path: Path, **more: Any) -> Path:
    """The shop, and what else is given; `shop` are more keys of its entry, `servers` more entries."""
    shop = hostile_json("calm", **more.pop("shop", {}))
    shop["args"] = ["-m", "tests.gateway.slice.shop", str(tmp_path / "journal")]
    document = {"mcpServers": {"shop": shop, **more.pop("servers", {})}, **more}
    path = tmp_path / "gateway.json"
    path.write_text(json.dumps(document))
    path.chmod(0o600)
    return path


@asynccontextmanager
async def opened(
    store: Store, tmp_path: Path, options: dict[str, str] | None = None, **more: Any
) -> AsyncIterator[GatewayServer]:
    """A table whose gateway has the shop; `more` as for `gateway_file`."""
    path = gateway_file(tmp_path, **more)
    given = {"gateway_config": str(path), "gateway_listing": "full", "enable_semantic_search": "false"}
    given |= options or {}
    async with open_table(store, tmp_path, **given) as table:
        yield GatewayServer(table, tmp_path / "journal")
