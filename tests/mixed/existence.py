"""Ids of another tenant, and ids that never were: whoever asks must not be able to tell them apart."""

import itertools
import json
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.toolkit.tool import Route, Tool
from tests.gateway.slice.gateway import DELETE, LIST, use
from tests.mixed.operations import Dice, Pool
from tests.table import Agent, Table

THEIRS: Final = "sess_theirs"
OURS: Final = "sess_ours"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)")
_MADE: Final = re.compile(r"(lt|sh)_[\w-]{20,}|[0-9a-f]{8,}|\d+")
"""In what a call has made: secrets, ids and numbers of its own."""
_CREATING: Final = ("create_session", "scratch_create", "set_memory", "scratch_namespace_create")
"""Tried last: afterwards the name is our own, too."""
_CHANGING: Final = {"date", "mcp-session-id", "x-request-id"}


@dataclass
class Existence:
    """The rival has one of everything; `ids` by the names of the arguments in which they are given."""

    table: Table
    owner: httpx2.AsyncClient
    agent: Agent
    ids: dict[str, str]
    compared: int = 0
    refused: int = 0
    different: list[str] = field(default_factory=list)

    async def compare_arguments(self) -> None:
        for tool in sorted(self.table.app.dispatcher.tools.values(), key=lambda tool: tool.name in _CREATING):
            for name in self._id_arguments(tool):
                await self._compare_tool(tool, name)

    async def compare_all(self) -> None:
        for header in ("X-Session-ID", "Mcp-Session-Id"):
            for tool in self.table.app.dispatcher.tools.values():
                await self._compare_header(tool, header)
        for uri in (f"longtable://session/{THEIRS}/notes", f"longtable://scratchpad/{self.ids['scratch_id']}"):
            await self._compare_resource(uri)
        for path in (f"/sessions/{THEIRS}/export", f"/sessions/{THEIRS}/events", f"/shares/{self.ids['share_id']}"):
            foreign, unknown = await self.owner.get(path), await self.owner.get(_changed(path))
            self._see(f"GET {path}", path.split("/")[2], foreign, unknown)
        await self.compare_arguments()

    def _id_arguments(self, tool: Tool[Any]) -> Iterator[str]:
        named = {name for route in tool.routes for name in re.findall(r"\{(\w+)\}", route.path)}
        yield from sorted((named | set(tool.input_schema().get("properties", {}))) & set(self.ids))

    def _arguments(self, tool: Tool[Any]) -> dict[str, Any]:
        return Dice(random.Random(3), Pool(), ("otter",)).arguments(tool.input_schema(), "words")

    async def _compare_tool(self, tool: Tool[Any], name: str) -> None:
        foreign = self.ids[name]
        for route in tool.routes:
            found = [await self._over_rest(tool, route, name, value) for value in _tried(foreign)]
            self._see(f"{route.method} {route.path} {name}", foreign, *found[1:])
        if tool.over_mcp:
            found = [await self._over_mcp(tool, name, value) for value in _tried(foreign)]
            self._see(f"{tool.name} {name}", foreign, *found[1:])

    async def _over_mcp(self, tool: Tool[Any], name: str, value: str) -> httpx2.Response:
        self.agent.ids = itertools.count(1)
        arguments = {**self._arguments(tool), name: value}
        return await self.agent.posts("tools/call", {"name": tool.name, "arguments": arguments})

    async def _over_rest(self, tool: Tool[Any], route: Route, name: str, value: str) -> httpx2.Response:
        given = {"session_id": OURS, **self._arguments(tool), name: value}
        path = route.path
        for each in list(given):
            if f"{{{each}}}" in path:
                path = path.replace(f"{{{each}}}", str(given.pop(each)))
        path = re.sub(r"\{\w+\}", "x1", path)
        if route.method in ("GET", "DELETE"):
            query = {key: json.dumps(each) if isinstance(each, dict) else each for key, each in given.items()}
            return await self.owner.request(route.method, path, params=query)
        return await self.owner.request(route.method, path, json=given)

    async def _compare_header(self, tool: Tool[Any], header: str) -> None:
        if not tool.over_mcp:
            return
        foreign = THEIRS if header == "X-Session-ID" else self.ids["connection"]
        found = []
        for value in _tried(foreign):
            self.agent.ids = itertools.count(1)
            params = {"name": tool.name, "arguments": self._arguments(tool)}
            found.append(await self.agent.posts("tools/call", params, **{header: value}))
        self._see(f"{tool.name} by {header}", foreign, *found[1:])

    async def _compare_resource(self, uri: str) -> None:
        found = []
        for value in (uri, _changed(uri)):
            self.agent.ids = itertools.count(1)
            found.append(await self.agent.posts("resources/read", {"uri": value}, **{"Mcp-Name": value}))
        self._see(uri, uri.split("/")[3], *found)

    def _see(self, what: str, foreign_id: str, foreign: httpx2.Response, unknown: httpx2.Response) -> None:
        self.compared += 1
        self.refused += _is_refused(unknown)
        seen = [_told(foreign, foreign_id), _told(unknown, other_id(foreign_id))]
        if seen[0] != seen[1]:
            self.different.append(f"{what}:\n  {seen[0]}\n  {seen[1]}")


def _tried(foreign: str) -> tuple[str, str, str]:
    """First one that never was, as a call may change what is our own: then another of them is compared."""
    unknown = other_id(foreign)
    return other_id(unknown), foreign, unknown


def _is_refused(response: httpx2.Response) -> bool:
    return response.status_code >= 400 or '"code"' in response.text.replace('"code":"SUCCESS"', "")


def _told(response: httpx2.Response, given: str) -> tuple[int, dict[str, str], str]:
    """What somebody was told, without the id that they gave themselves. What a success made has its own numbers."""
    headers = {name: value.replace(given, "ID") for name, value in response.headers.items() if name not in _CHANGING}
    text = _TIME.sub("TIME", response.text.replace(given, "ID"))
    if not _is_refused(response):
        headers.pop("content-length", None)
        text = _MADE.sub("N", text)
    return response.status_code, headers, text


def other_id(known: str) -> str:
    """An id of the same form and length that nobody has."""
    if len(known) < 6:
        return re.sub(r"\d+", lambda found: str(int(found[0]) + 1), known)
    kept, last = known[:-6], known[-6:]
    return kept + "".join(_next(each) for each in last)


def _changed(path: str) -> str:
    words = path.split("/")
    place = 3 if "://" in path else 2
    words[place] = other_id(words[place])
    return "/".join(words)


def _next(letter: str) -> str:
    for alphabet in (string.digits, "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"):
        if letter in alphabet:
            return alphabet[(alphabet.index(letter) + 1) % len(alphabet)]
    return letter


async def with_a_rival(table: Table) -> Existence:
    """Needs the tokens acme-secret and rival-secret, and the shop behind the gateway."""
    rival, scout = table.agent("spy", THEIRS, "rival-secret"), table.agent("ada", OURS, "acme-secret")
    issued = {
        tenant: await table.app.tokens.create(Credential(tenant, Role.OWNER, f"{tenant}-owner"), None)
        for tenant in ("acme", "rival")
    }
    owner, theirs = (table.agent(token=issued[tenant].secret).client for tenant in ("acme", "rival"))
    await table.agent("spy", token="rival-secret").calls("create_session", session_id=THEIRS, purpose="secret")
    await table.agent("ada", token="acme-secret").calls("create_session", session_id=OURS)
    await rival.adds_note("secret")
    await rival.calls("add_tasks", tasks=[{"description": "secret"}])
    asked = await rival.calls("add_question", question="secret?")
    ids = {"session_id": THEIRS, "token_id": issued["rival"].token_id, "key": "key_theirs"}
    await rival.calls("set_memory", key=ids["key"], value="secret")
    ids |= await _notebooks(rival)
    held = await theirs.post(
        f"/sessions/{THEIRS}/answers", json={"answers": {asked["question"]["id"]: "yes"}, "hold_seconds": 30}
    )
    shared = await theirs.post("/shares", json={"session_id": THEIRS})
    asking = await use(rival, DELETE, inputs={"post": {"id": 1}})
    await use(rival, LIST)
    calls = (await theirs.get("/calls")).json()["calls"]
    trash = (await theirs.get("/trash")).json()
    ids |= {
        "hold_id": held.json()["held"]["hold_id"],
        "share_id": shared.json()["share"]["share_id"],
        "trash_id": trash["trash"][0]["trash_id"],
        **dict.fromkeys(("decision_id", "confirmation_id"), str(asking.details["confirmation_id"])),
        "confirm_token": asking.details["confirm_token"],
        "call_id": calls[0]["call_id"],
        "connection": await _connection(rival),
    }
    return Existence(table, owner, scout, ids)


async def _notebooks(rival: Agent) -> dict[str, str]:
    await rival.calls("scratch_namespace_create", namespace="ns_theirs")
    for name in ("gone_theirs", "pad_theirs"):
        made = await rival.calls("scratch_create", scratch_id=name, metadata={"namespace": "ns_theirs"})
    cell = {"language": "txt", "content": "secret"}
    made = await rival.calls("scratch_append_cell", scratch_id="pad_theirs", cell=cell)
    await rival.calls("scratch_delete", scratch_id="gone_theirs")
    return {
        "scratch_id": "pad_theirs",
        "cell_id": made["scratchpad"]["cells"][0]["cell_id"],
        **dict.fromkeys(("namespace", "old_namespace"), "ns_theirs"),
    }


async def _connection(rival: Agent) -> str:
    asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked}
    headers = {"Accept": "application/json, text/event-stream"}
    return str((await rival.client.post("/mcp", json=message, headers=headers)).headers["mcp-session-id"])
