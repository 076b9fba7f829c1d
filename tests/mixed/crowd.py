"""Three tenants with the same names for everything, whose agents, programs and people do whatever there is to do, at
the same time. Everything that anybody is told is searched for words that only another tenant has written."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import httpx2

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.server.addresses import PARTS
from longtable.toolkit.tool import Route, Tool
from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.test_scope import until_listed
from tests.mixed.operations import AGENTS, SESSIONS, Dice, Pool
from tests.mixed.streams import Listeners
from tests.stores import Store
from tests.table import Agent, Table, open_table

WORDS: Final = {"acme": "quokka", "rival": "numbat", "third": "bilby"}
"""In every text of a tenant. Others may search for them, and so be told them again."""
SECRETS: Final = {tenant: f"{word}secret" for tenant, word in WORDS.items()}
"""Also in every text of a tenant. Nobody else ever sends one."""
OPTIONS: Final = {
    "auth_tokens": ",".join(f"{tenant}:{tenant}-secret" for tenant in WORDS),
    "call_rate": "0",
    "enable_metrics": "true",
}
AT_ONCE: Final = 8
KEEP: Final = "mindscape_tool_texts_keep"
"""A tool of another server. It answers with what its tenant has told it."""
_URIS: Final = (
    *(f"longtable://session/{session}/{part}" for session in SESSIONS for part in PARTS),
    *(f"longtable://session/{session}/draft/intro" for session in SESSIONS),
    *(f"longtable://scratchpad/pad{number}" for number in (1, 2, 3)),
)
_PATHS: Final = (
    *(f"/sessions/{session}/export?format={kind}" for session in SESSIONS for kind in ("json", "md")),
    *("/audit/export", "/me", "/now", "/usage?by=agent", "/usage?by=session", "/usage?by=day", "/status"),
)


_ENDING: Final = ("close_session", "scratch_delete", "scratch_namespace_delete", "delete_memory", "revoke_token")
"""Done rarely, or there would soon be nothing left to see."""


@dataclass
class Mixed:
    """What was done and seen."""

    table: Table
    owners: dict[str, httpx2.AsyncClient]
    agents: dict[tuple[str, str, str | None], Agent]
    schemas: dict[str, dict[str, Any]]
    tokens: dict[str, str]
    """Of owners."""
    has_another_server: bool = False
    pool: Pool = field(default_factory=Pool)
    done: "Counter[str]" = field(default_factory=Counter)
    succeeded: "Counter[str]" = field(default_factory=Counter)
    leaks: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    own: "Counter[str]" = field(default_factory=Counter)
    """How many results and parts of streams held a secret of their reader."""

    async def run(self, operations: int, seed: int) -> None:
        shares = [operations // AT_ONCE] * AT_ONCE
        agents = {tenant: f"{tenant}-secret" for tenant in WORDS}
        listeners = Listeners(self.table, self.tokens, agents, self._hear)
        await self._create_sessions()
        listeners.begin(random.Random(seed))
        try:
            await asyncio.gather(
                *(self._run(share, random.Random(f"{seed} {n}"), listeners) for n, share in enumerate(shares))
            )
        finally:
            await listeners.end()

    async def write_all(self, seed: int) -> None:
        """Every tool that writes, by every tenant."""
        chance = random.Random(seed)
        for tool in self.table.app.dispatcher.tools.values():
            for tenant in WORDS if tool.writes else ():
                await self._use(tool, tenant, chance)

    async def _run(self, operations: int, chance: random.Random, listeners: Listeners) -> None:
        tools: list[Tool[Any]] = list(self.table.app.dispatcher.tools.values())
        for number in range(operations):
            tenant = chance.choice(list(WORDS))
            if number % 250 == 0:
                await self._create_sessions()
            match chance.random():
                case few if few < 0.015:
                    await listeners.listens(tenant, chance)
                case few if few < 0.03 and self.has_another_server:
                    await self._use_another_server(tenant, chance)
                case few if few < 0.06:
                    await self._read_resource(tenant, chance)
                case few if few < 0.11:
                    path = chance.choice(_PATHS)
                    self._see(tenant, path, await self.owners[tenant].get(path))
                case _:
                    tool = chance.choice(tools)
                    if tool.name not in _ENDING or chance.random() < 0.03:
                        await self._use(tool, tenant, chance)

    async def _create_sessions(self) -> None:
        """Where they are not there already."""
        for tenant in WORDS:
            for session in SESSIONS:
                params = {"name": "create_session", "arguments": {"session_id": session, "purpose": SECRETS[tenant]}}
                await self._agent(tenant, "ada", None).posts("tools/call", params)

    async def _use(self, tool: Tool[Any], tenant: str, chance: random.Random) -> None:
        dice = Dice(chance, self.pool, tuple(WORDS.values()))
        arguments = dice.arguments(self.schemas[tool.name], f"{WORDS[tenant]} {SECRETS[tenant]}")
        if tool.routes and (not tool.over_mcp or chance.random() < 0.3):
            response = await self._over_rest(tool, chance.choice(tool.routes), tenant, arguments, chance)
        else:
            session = chance.choice((*SESSIONS, None))
            agent = self._agent(tenant, chance.choice(AGENTS), session)
            response = await agent.posts("tools/call", {"name": tool.name, "arguments": arguments})
        self._see(tenant, tool.name, response)

    async def _use_another_server(self, tenant: str, chance: random.Random) -> None:
        agent = self._agent(tenant, chance.choice(AGENTS), chance.choice(SESSIONS))
        said = {"name": KEEP, "arguments": {"text": f"{WORDS[tenant]} {SECRETS[tenant]}"}}
        self._see(tenant, KEEP, await agent.posts("tools/call", said))

    async def _over_rest(
        self, tool: Tool[Any], route: Route, tenant: str, arguments: dict[str, Any], chance: random.Random
    ) -> httpx2.Response:
        given = {"session_id": chance.choice(SESSIONS), "token_id": "token_none", **arguments}
        path = route.path
        for name in list(given):
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", str(given.pop(name)))
        body = {name: value for name, value in given.items() if name in arguments}
        for_owners = "orchestrator" not in tool.roles or chance.random() < 0.3
        client = self.owners[tenant] if for_owners else self._agent(tenant, "ada", None).client
        if route.method in ("GET", "DELETE"):
            return await client.request(route.method, path.replace("{", "%7B"), params=_plain(body))
        return await client.request(route.method, path.replace("{", "%7B"), json=body)

    async def _read_resource(self, tenant: str, chance: random.Random) -> None:
        uri = chance.choice(_URIS)
        agent = self._agent(tenant, chance.choice(AGENTS), None)
        self._see(tenant, "resources/read", await agent.posts("resources/read", {"uri": uri}, **{"Mcp-Name": uri}))

    def _agent(self, tenant: str, name: str, session: str | None) -> Agent:
        return self.agents[tenant, name, session]

    def _hear(self, tenant: str, what: str, text: str) -> None:
        self.done[what] += 1
        for other, secret in SECRETS.items():
            if secret in text and other != tenant:
                self.leaks.append(f"{tenant} was told {secret} by {what}: {text[:300]}")
        self.own[what] += SECRETS[tenant] in text

    def _see(self, tenant: str, what: str, response: httpx2.Response) -> None:
        text = response.text + json.dumps(dict(response.headers))
        self._hear(tenant, what, text)
        if response.status_code == 500 or "INTERNAL_ERROR" in text:
            self.faults.append(f"{what}: {response.status_code} {text[:300]}")
        self._learn(what, response)

    def _learn(self, what: str, response: httpx2.Response) -> None:
        if "application/json" not in response.headers.get("content-type", ""):
            return
        body = response.json()
        found = body.get("result", {}).get("structuredContent", body) if "jsonrpc" in body else body
        self.succeeded[what] += bool(found.get("ok", found.get("success", False)))
        self.pool.learn(found)


def _plain(body: dict[str, Any]) -> dict[str, Any]:
    """As values of a query."""
    return {name: json.dumps(value) if isinstance(value, dict) else value for name, value in body.items()}


@asynccontextmanager
async def mixed_table(store: Store, folder: Path, **options: str) -> AsyncIterator[Mixed]:
    async with open_table(store, folder, **OPTIONS, **options) as table:
        tokens = {}
        for tenant in WORDS:
            issued = await table.app.tokens.create(Credential(tenant, Role.OWNER, f"{tenant}-owner"), None)
            tokens[tenant] = issued.secret
        owners = {tenant: table.agent(token=token).client for tenant, token in tokens.items()}
        agents = {
            (tenant, name, session): table.agent(name, session, f"{tenant}-secret")
            for tenant in WORDS
            for name in AGENTS
            for session in (*SESSIONS, None)
        }
        schemas = {tool.name: tool.input_schema() for tool in table.app.dispatcher.tools.values()}
        yield Mixed(table, owners, agents, schemas, tokens)


@asynccontextmanager
async def mixed_table_and_server(
    store: Store, folder: Path, scope: str = "tenant", **options: str
) -> AsyncIterator[Mixed]:
    """The same, with another server behind the gateway, of which each tenant has a process; or all have one."""
    given = {"gateway_config": str(_gateway_file(folder, scope)), "gateway_listing": "full"}
    async with mixed_table(store, folder, **given, **options) as mixed:
        await asyncio.gather(*(until_listed(mixed.agents[tenant, "ada", None], KEEP) for tenant in WORDS))
        yield replace(mixed, has_another_server=True)


def _gateway_file(folder: Path, scope: str) -> Path:
    entry = {**hostile_json("calm", scope=scope), "args": ["-m", "tests.mixed.kept_texts"]}
    rules = [{"match": "texts.*", "layer": "tool"}]
    path = folder / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"texts": entry}, "rules": rules, "rate_limits": {"tool": "100000/s"}}))
    path.chmod(0o600)
    return path
