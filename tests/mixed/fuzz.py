"""Rubbish for every door: arguments of the wrong kind, frames that are not JSON-RPC, headers, cursors and paths that
nobody would send. Whatever comes, the answer is one of ours, and soon."""

import json
import random
import string
import time
from dataclasses import dataclass, field
from typing import Any, Final

import httpx2

from longtable.toolkit.tool import Route, Tool
from tests.mixed.crowd import SECRETS, WORDS, Mixed
from tests.mixed.operations import Dice
from tests.table import MODERN, modern_meta

SLOW: Final = 1.0
RUBBISH_TEXTS: Final = (
    *("", " ", "\0", "\ud800", "\u202e", "é" * 300, "x" * 70_000, "\n\r\t", "😀" * 50, "null", "-1", "1e999"),
    *("' OR 1=1 --", '"; DROP TABLE notes; --', "%s%n", "../../etc/passwd", "file:///etc/passwd", "${jndi:ldap://x}"),
    *("a AND (b OR", '"unclosed', "NEAR(a b", "*", "a*", "^a", "{x}:y", "<script>", "\\", "n1", "t1", "q1", "human:me"),
)
RUBBISH_NUMBERS: Final = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**30, 1.5, -0.0, 1e308, float("nan"), float("inf"))


@dataclass
class Fuzz:
    """What went wrong, if anything."""

    mixed: Mixed
    chance: random.Random
    cases: int = 0
    wrong: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)

    async def run(self, cases: int) -> None:
        tools: list[Tool[Any]] = list(self.mixed.table.app.dispatcher.tools.values())
        for _ in range(cases):
            match self.chance.random():
                case few if few < 0.15:
                    await self._frame()
                case few if few < 0.25:
                    await self._headers()
                case few if few < 0.5:
                    await self._route(self.chance.choice([tool for tool in tools if tool.routes]))
                case _:
                    await self._arguments(self.chance.choice(tools))

    def rubbish(self, depth: int = 0) -> Any:
        match self.chance.randrange(6 if depth < 3 else 3):
            case 0:
                return self.chance.choice((None, True, False, *RUBBISH_NUMBERS))
            case 1 | 2:
                return self.chance.choice(RUBBISH_TEXTS)
            case 3:
                return [self.rubbish(depth + 1) for _ in range(self.chance.randrange(4))]
            case 4:
                return {str(self.rubbish(3)): self.rubbish(depth + 1) for _ in range(self.chance.randrange(4))}
            case _:
                return self._deep()

    def _deep(self) -> Any:
        value: Any = "x"
        for _ in range(self.chance.choice((10, 63, 64, 65, 200))):
            value = [value] if self.chance.random() < 0.5 else {"a": value}
        return value

    def _mixed_arguments(self, tool: Tool[Any]) -> dict[str, Any]:
        """Mostly right, with something wrong in it."""
        tenant = self.chance.choice(list(WORDS))
        dice = Dice(self.chance, self.mixed.pool, tuple(WORDS.values()))
        arguments = dice.arguments(self.mixed.schemas[tool.name], SECRETS[tenant])
        for name in self.chance.sample(sorted(arguments), min(len(arguments), self.chance.randrange(3))):
            arguments[name] = self.rubbish()
        if self.chance.random() < 0.1:
            arguments[self.chance.choice(("zzz", "__proto__", "idempotency_key", "max_chars"))] = self.rubbish()
        return arguments

    async def _arguments(self, tool: Tool[Any]) -> None:
        whole = self.chance.random() < 0.1
        arguments = self.rubbish() if whole else self._mixed_arguments(tool)
        await self._post(_frame("tools/call", {"name": tool.name, "arguments": arguments}), tool.name)

    async def _frame(self) -> None:
        message = self.chance.choice(
            [
                self.rubbish(),
                {"jsonrpc": "2.0", "id": self.rubbish(), "method": self.rubbish(), "params": self.rubbish()},
                {"jsonrpc": self.rubbish(), "id": 1, "method": "tools/call"},
                [self.rubbish() for _ in range(3)],
            ]
        )
        text = _text(message)
        if self.chance.random() < 0.5:
            text = self._cut(text)
        await self._post(text, "tools/call")

    def _cut(self, text: bytes) -> bytes:
        at = self.chance.randrange(len(text) + 1)
        return text[:at] + self.chance.randbytes(self.chance.randrange(4)) + text[at + self.chance.randrange(3) :]

    async def _headers(self) -> None:
        names = ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Session-Id", "X-Session-ID", "X-Caller-Agent")
        more = ("Last-Event-ID", "Accept", "Content-Type", "Idempotency-Key", "traceparent", "Authorization", "Origin")
        printable = string.printable[:95]
        given = {
            name: "".join(self.chance.choices(printable, k=self.chance.choice((0, 1, 20, 300))))
            for name in self.chance.sample((*names, *more), 2)
        }
        await self._post(_frame("tools/call", {"name": "read_notes", "arguments": {}}), "read_notes", given)

    async def _route(self, tool: Tool[Any]) -> None:
        route: Route = self.chance.choice(tool.routes)
        arguments = self._mixed_arguments(tool)
        path = route.path
        for name in ("session_id", *arguments):
            value = arguments.pop(name, "sess_one")
            path = path.replace(f"{{{name}}}", httpx2.URL("/", params={"v": _query(value)}).query.decode()[2:])
        client = self.mixed.owners[self.chance.choice(list(WORDS))]
        if route.method in ("GET", "DELETE"):
            params = {name: _query(value) for name, value in arguments.items()}
            await self._send(client, route.method, path, tool.name, params=params)
        else:
            content = _text(arguments if self.chance.random() < 0.9 else self.rubbish())
            await self._send(client, route.method, path, tool.name, content=content)

    async def _post(self, content: bytes, name: str, headers: dict[str, str] | None = None) -> None:
        tenant = self.chance.choice(list(WORDS))
        agent = self.mixed.agents[tenant, "ada", "sess_one"]
        sent = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
            **(headers or {}),
        }
        await self._send(agent.client, "POST", "/mcp", name, content=content, headers=sent)

    async def _send(self, client: httpx2.AsyncClient, method: str, path: str, what: str, **more: Any) -> None:
        self.cases += 1
        began = time.thread_time()
        try:
            response = await client.request(method, path, **more)
        except (httpx2.InvalidURL, UnicodeEncodeError):
            # The client itself refuses to send it.
            return
        if time.thread_time() - began > SLOW:
            self.slow.append(f"{what}: {time.thread_time() - began:.1f} s for {str(more)[:300]}")
        if not _is_ours(response):
            self.wrong.append(
                f"{method} {path[:80]} {what}: {response.status_code} {response.text[:200]} {str(more)[:300]}"
            )


def _is_ours(response: httpx2.Response) -> bool:
    """A success, or a refusal in the form that is promised."""
    if response.status_code == 500 or "INTERNAL_ERROR" in response.text:
        return False
    if response.status_code < 400:
        return True
    if "json" not in response.headers.get("content-type", ""):
        return False
    error = response.json().get("error")
    return isinstance(error, dict) and ("code" in error)


def _frame(method: str, params: dict[str, Any]) -> bytes:
    meta = modern_meta("fuzz")
    return _text({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}})


def _text(value: Any) -> bytes:
    return json.dumps(value).encode()


def _query(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()[:2_000]
