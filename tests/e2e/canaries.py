"""A server with a canary for every secret that it can be given, and all places in which one could turn up."""

import asyncio
import json
import re
import secrets
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.e2e.servers import ROOT, Options, Processes, Server, children_of
from tests.stores import Store
from tests.table import Agent

SESSION = "canaries"
COMMANDS = (
    ("config", "--json"),
    ("status", "--json"),
    ("doctor", "--json"),
    ("token", "list", "--json"),
    ("upstreams", "list", "--json"),
    ("sessions", "list", "--json"),
    ("decisions", "list", "--json"),
    ("audit", "export"),
    ("audit", "verify"),
)


def canary(name: str) -> str:
    return f"canary{name}{secrets.token_hex(12)}"


@dataclass
class Canaries:
    """`planted` by what they are; `open` is one in a place that everybody may read, to show that the search finds."""

    folder: Path
    planted: dict[str, str] = field(default_factory=dict)
    open: str = field(default_factory=lambda: canary("open"))
    places: dict[str, str] = field(default_factory=dict)

    def plant(self, name: str) -> str:
        return self.planted.setdefault(name, canary(name))

    def options(self, store: Store, given: Options) -> dict[str, str]:
        if "@" in store.address:
            self.planted["database"] = store.address.partition("@")[0].rpartition(":")[2]
        return {
            **given,
            "auth_tokens": f"acme:{self.plant('token')},rival:{self.plant('rival')}",
            "scrape_token": self.plant("scrape"),
            "upstream_token_key": self.plant("key"),
            "gateway_config": str(self.gateway_file()),
            "gateway_listing": "full",
            "enable_metrics": "true",
            "log_level": "debug",
            "call_rate": "0",
        }

    def gateway_file(self) -> Path:
        shop = {
            "command": sys.executable,
            "args": ["-m", "tests.gateway.slice.shop", str(self.folder / "journal")],
            "cwd": str(ROOT),
            "env": {"SHOP_API_KEY": self.plant("environment"), "DATABASE_PASSWORD": self.plant("password")},
        }
        # Nobody listens there: what fails is told in words, and in the log.
        away = {
            "url": "http://127.0.0.1:9/mcp",
            "headers": {"Authorization": f"Bearer {self.plant('bearer')}", "X-Api-Key": self.plant("header")},
        }
        path = self.folder / "gateway.json"
        path.write_text(json.dumps({"mcpServers": {"shop": shop, "away": away}}))
        path.chmod(0o600)
        return path

    def keep(self, name: str, text: str | bytes) -> None:
        self.places[name] = text if isinstance(text, str) else text.decode("utf-8", "replace")

    def found(self) -> list[str]:
        return [f"{name} in {place}" for name, value in self.planted.items() for place in self.holding(value)]

    def holding(self, value: str) -> Iterator[str]:
        yield from (place for place, text in self.places.items() if value in text)


async def used(canaries: Canaries, server: Server, owner: str, agent: str) -> None:
    """Everybody does what could show one: right and wrong credentials, upstreams, and faults."""
    boss = server.agent("ada", Authorization=f"Bearer {canaries.planted['token']}")
    created = await boss.calls("create_session", session_id=SESSION, purpose=canaries.open)
    assert created["session_id"] == SESSION
    people = server.agent(Authorization=f"Bearer {owner}").client
    entry = {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Token": canaries.plant("added")}}
    canaries.keep("POST /upstreams", (await people.post("/upstreams", json={"name": "more", "entry": entry})).text)
    await _call_upstreams(canaries, boss)
    for number, wrong in enumerate(_wrong_credentials(canaries, server.address)):
        answer = await people.request("GET", **wrong)
        canaries.keep(f"wrong credential {number}", answer.text + json.dumps(dict(answer.headers)))
    worker = server.agent(Authorization=f"Bearer {agent}")
    canaries.keep("agent", json.dumps(await worker.tries("read_notes")))
    for client in (boss.client, people, worker.client):
        await client.aclose()


async def _call_upstreams(canaries: Canaries, boss: Agent) -> None:
    for tool, inputs in (
        ("mindscape_tool_shop_list_posts", {}),
        ("mindscape_tool_shop_get_failure", {}),
        ("mindscape_run_shop_delete_post", {"post": {"id": 1}}),
        ("mindscape_tool_away_anything", {}),
    ):
        response = await boss.posts("tools/call", {"name": tool, "arguments": {"inputs": inputs}})
        canaries.keep(tool, response.text + json.dumps(dict(response.headers)))


def _wrong_credentials(canaries: Canaries, address: str) -> Iterator[dict[str, Any]]:
    url = f"{address}/sessions"
    for way in ("Bearer ", "Basic ", ""):
        yield {"url": url, "headers": {"Authorization": way + canaries.plant(f"wrong{way.strip()}")}}
    yield {"url": url, "headers": {"Cookie": f"longtable={canaries.plant('cookie')}"}}
    yield {"url": url, "headers": {"Mcp-Session-Id": canaries.plant("connection")}}
    yield {"url": f"{address}/login?token={canaries.plant('login')}"}
    yield {"url": f"{address}/shared/sh_{canaries.plant('share')}"}
    yield {"url": url, "headers": {"Proxy-Authorization": f"Basic {canaries.plant('proxy')}"}}


async def gathered(canaries: Canaries, processes: Processes, server: Server, options: Options, owner: str) -> None:
    """Everything that a server shows, writes or leaves behind."""
    async with httpx2.AsyncClient(
        base_url=server.address, headers={"Authorization": f"Bearer {owner}"}, timeout=60
    ) as people:
        document = (await people.get("/openapi.json")).json()
        paths = [path for path, each in document["paths"].items() if "get" in each and "events" not in path]
        for path in [*paths, "/metrics", "/status", "/me", "/audit/export", f"/sessions/{SESSION}/export"]:
            filled = re.sub(r"\{\w+\}", "shop", path.replace("{session_id}", SESSION))
            answer = await people.get(filled)
            canaries.keep(f"GET {filled}", answer.text + json.dumps(dict(answer.headers)))
    for pid in (server.pid, *children_of(server.pid)):
        for each in (pid, *children_of(pid)):
            canaries.keep(f"command of {each}", _command(each))
    backup = canaries.folder / "backup"
    for words in (*COMMANDS, ("export", str(canaries.folder / "exported")), ("backup", str(backup))):
        done = await asyncio.to_thread(processes.run, *words, options=options)
        canaries.keep(" ".join(words), done.stdout + done.stderr)
    server.stop()
    canaries.keep("log", "\n".join(server.lines))
    _keep_files(canaries, options)


def _command(pid: int) -> bytes:
    path = Path(f"/proc/{pid}/cmdline")
    return path.read_bytes() if path.exists() else b""


def _keep_files(canaries: Canaries, options: Options) -> None:
    """The store and what lies beside it, exports and backups; not the file in which the operator wrote them."""
    for folder in (Path(options["data_dir"]), canaries.folder):
        for path in folder.rglob("*"):
            if path.is_file() and path.name not in ("gateway.json", "journal"):
                canaries.keep(f"file {path.name}", path.read_bytes())
