"""A whole server in a test, and the people and agents who talk to it: real requests, real answers, no sockets."""

import itertools
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from longtable.app import App, open_app
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import system_clock
from longtable.kernel.logs import logger
from longtable.log.ledger import LogHooks
from longtable.log.wakeups import Wakeups
from longtable.server.http import HttpApp
from longtable.settings.load import load
from longtable.storage.sqlite import SqliteDatabase
from tests.walls.recorder import check_new_statements, watch

ADDRESS = "http://127.0.0.1:8765"
MODERN = "2026-07-28"
TRANSPORT = os.environ.get("LONGTABLE_TEST_DOOR", "memory")
"""How tests reach a table: in memory, or over HTTP through a balancer in front of several servers (`balancer`)."""

# The HTTP client looks for it at every request, in every folder of the path, though nobody here runs trio.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]  # says that there is no such module
# The log keeps the stream of its first line. That must not be one which a test has in its place for a while.
_ = logger._structlog
watch()


def modern_meta(client_name: str = "test-client") -> dict[str, Any]:
    """What a client of the current revision says of itself with every request."""
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": client_name, "version": "1"},
    }


class Refused(Exception):
    """A tool said no."""

    def __init__(self, code: str, message: str, details: dict[str, Any]) -> None:
        super().__init__(f"[{code}] {message}")
        self.code = code
        self.details = details


class Timepiece:
    """A clock that runs, and can be set forward; in all processes at once that share the memory."""

    def __init__(self, memory: "memoryview | bytearray | None" = None) -> None:
        self._memory = bytearray(8) if memory is None else memory

    @property
    def ahead(self) -> int:
        return int.from_bytes(self._memory[:8], "little", signed=True)

    @ahead.setter
    def ahead(self, value: int) -> None:
        self._memory[:8] = value.to_bytes(8, "little", signed=True)

    def __call__(self) -> int:
        return system_clock() + self.ahead


@dataclass
class Agent:
    """Talks to the table over HTTP, as one caller."""

    client: httpx2.AsyncClient
    ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def calls(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool. Raises Refused with the code of a failure."""
        body = await self.tries(tool, **arguments)
        if body.get("ok", body.get("success")):
            return body
        problem = body["error"] if isinstance(body["error"], dict) else body
        raise Refused(problem["code"], problem["error"], problem["details"])

    async def tries(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The envelope of a tool, whatever it tells."""
        response = await self.posts("tools/call", {"name": tool, "arguments": arguments})
        message = response.json()
        if "error" in message:
            raise Refused(message["error"]["data"]["code"], message["error"]["message"], {})
        result: dict[str, Any] = message["result"]["structuredContent"]
        return result

    async def posts(self, method: str, params: dict[str, Any], **headers: str) -> httpx2.Response:
        """One JSON-RPC request of the current protocol revision."""
        meta = {**modern_meta(), **params.get("_meta", {})}
        message = {"jsonrpc": "2.0", "id": next(self.ids), "method": method, "params": {**params, "_meta": meta}}
        sent = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": method,
            **({"Mcp-Name": params["name"]} if "name" in params else {}),
            **headers,
        }
        return await self.client.post(
            "/mcp", content=json.dumps(message), headers={"Content-Type": "application/json", **sent}
        )

    async def adds_note(self, content: str, **more: Any) -> str:
        result = await self.calls("add_note", content=content, **more)
        note_id: str = result["note"]["id"]
        return note_id

    async def reads_notes(self, **arguments: Any) -> list[dict[str, Any]]:
        notes: list[dict[str, Any]] = (await self.calls("read_notes", **arguments))["notes"]
        return notes


@dataclass
class Table:
    """An open application and its HTTP server."""

    app: App
    http: HttpApp
    clock: Timepiece
    clients: list[httpx2.AsyncClient] = field(default_factory=list)

    def agent(
        self, name: str | None = None, session: str | None = None, token: str | None = None, **headers: str
    ) -> Agent:
        given = {"X-Caller-Agent": name, "X-Session-ID": session, "Authorization": token and f"Bearer {token}"}
        sent = {key: value for key, value in {**given, **headers}.items() if value is not None}
        client = httpx2.AsyncClient(
            transport=httpx2.ASGITransport(self.http, raise_app_exceptions=True), base_url=ADDRESS, headers=sent
        )
        self.clients.append(client)
        return Agent(client)

    async def bearer(self, role: Role, name: str = "eva", tenant: str = "acme") -> Agent:
        """Whoever shows a new token of this role."""
        issued = await self.app.tokens.create(Credential(tenant, role, name), None)
        return self.agent(token=issued.secret)

    async def session(self, session_id: str = "sess_one", **more: Any) -> str:
        """Creates a session and answers its id."""
        created = await self.agent("orchestrator").calls("create_session", session_id=session_id, **more)
        return str(created["session_id"])


async def person(table: Table, role: Role = Role.HUMAN, tenant: str = "acme") -> httpx2.AsyncClient:
    return (await table.bearer(role, tenant=tenant)).client


_prepared: list[bytes] = []


async def _prepare(path: Path) -> None:
    """An embedded store as it is after its first start: made once, then copied, as most tests begin with one."""
    if path.exists():  # noqa: ASYNC240
        return
    if not _prepared:
        with tempfile.TemporaryDirectory() as folder:
            template = Path(folder) / "longtable.db"
            await (await SqliteDatabase.open(template, LogHooks(Wakeups()))).close()
            _prepared.append(template.read_bytes())
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(_prepared[0])  # noqa: ASYNC240


@asynccontextmanager
async def open_table(store: Any, tmp_path: Path, **options: str) -> AsyncIterator[Table]:
    """A table on a store. `options` are those of the command line. Unless they say otherwise there is no search by
    meaning, as a model takes a second to load, and no waiting for the disk: no test in here cuts the power. In the end
    the statements that were run are checked: none may reach beyond its tenant."""
    place = {"data_dir": str(Path(store.address).parent)} if store.kind == "sqlite" else {"store": store.address}
    quiet = {"log_level": "error", "enable_semantic_search": "false", "durability": "fast"}
    flags: dict[str, Any] = {"data_dir": str(tmp_path / "data"), **quiet, **place, **options}
    if store.kind == "sqlite":
        await _prepare(Path(store.address))
    async with _opened(flags) as table:
        try:
            yield table
        finally:
            for client in table.clients:
                await client.aclose()
    check_new_statements()


@asynccontextmanager
async def _opened(flags: dict[str, Any]) -> AsyncIterator[Table]:
    if TRANSPORT == "balancer":
        from tests.balanced.transport import balanced

        async with balanced(flags) as table:
            yield table
        return
    clock = Timepiece()
    async with open_app(load(flags, {}).settings, "test", clock) as app:
        http = HttpApp(app)
        async with http.running():
            yield Table(app, http, clock)
