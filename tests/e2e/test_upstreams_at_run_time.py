"""Upstreams come and go by REST, at the terminal and in the file while agents work: no call of another one fails."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.e2e.program import Program
from tests.e2e.servers import Processes, Server
from tests.gateway.hostile.entries import hostile_json
from tests.table import Agent

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

STEADY = "mindscape_tool_steady_echo"
GUEST = "mindscape_tool_guest_echo"
RULES = [{"match": "*.*", "layer": "tool"}]
CALM = hostile_json("calm")


@dataclass
class CallsMeanwhile:
    """What agents do meanwhile at an upstream that stays."""

    done: int = 0
    failures: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class GatewayProcess:
    program: Program
    server: Server
    file: Path
    token: str

    def owner(self) -> httpx2.AsyncClient:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx2.AsyncClient(base_url=self.server.address, headers=headers, timeout=60)

    def agent(self, name: str = "alice") -> Agent:
        return self.server.agent(name, Authorization="Bearer acme-secret")

    def writes(self, **servers: Any) -> None:
        new = self.file.with_suffix(".new")
        document = {"mcpServers": {"steady": CALM, **servers}, "rules": RULES, "rate_limits": {"tool": "100000/m"}}
        new.write_text(json.dumps(document))
        os.replace(new, self.file)

    async def does(self, *words: str) -> dict[str, Any]:
        return await asyncio.to_thread(self.program.does, "upstreams", *words, "--tenant", "acme")

    async def until(self, code: str) -> None:
        """Within five seconds, at both workers and for good."""
        agents = [self.agent() for _ in range(4)]
        async with asyncio.timeout(10):
            while True:
                codes = {await _code(agent, GUEST) for agent in agents}
                if codes == {code}:
                    break
                await asyncio.sleep(0.05)
        for agent in agents:
            await agent.client.aclose()


async def _code(agent: Agent, tool: str) -> str:
    answer = await agent.tries(tool, inputs={"text": "hello"})
    error = answer.get("error")
    return str(error["code"]) if error else "SUCCESS"


@pytest.fixture
def place(processes: Processes, embedded: dict[str, str], tmp_path: Path) -> GatewayProcess:
    program = Program(Path(embedded["data_dir"]))
    token = program.does("token", "create", "--tenant", "acme", "--role", "owner", "--name", "ada")["secret"]
    made = GatewayProcess(program, None, tmp_path / "gateway.json", token)  # type: ignore[arg-type]  # it is started below
    made.writes()
    options = {"gateway_config": str(made.file), "enable_semantic_search": "false", "workers": "2"}
    made.server = processes.serve({**embedded, **options, "auth_tokens": "acme:acme-secret"})
    return made


@asynccontextmanager
async def under_load(place: GatewayProcess) -> AsyncIterator[CallsMeanwhile]:
    load, stop = CallsMeanwhile(), asyncio.Event()

    async def works(name: str) -> None:
        agent = place.agent(name)
        while not stop.is_set():
            answer = await agent.tries(STEADY, inputs={"text": name})
            if answer.get("ok") is False:
                load.failures.append(answer)
            load.done += 1
        await agent.client.aclose()

    tasks = [asyncio.create_task(works(f"worker{number}")) for number in range(4)]
    try:
        yield load
    finally:
        stop.set()
        await asyncio.gather(*tasks)


async def test_no_call_of_another_upstream_fails_while_upstreams_come_and_go(
    place: GatewayProcess, tmp_path: Path
) -> None:
    async with under_load(place) as load, place.owner() as owner:
        body = {"name": "guest", "entry": CALM, "accept": True}
        assert (await owner.post("/upstreams", json=body)).status_code == 201
        await place.until("SUCCESS")
        await owner.patch("/upstreams/guest", json={"enabled": False})
        await place.until("NOT_FOUND")
        await owner.patch("/upstreams/guest", json={"enabled": True, "entry": {**CALM, "timeout": 20}})
        await place.until("SUCCESS")
        await owner.delete("/upstreams/guest")
        await place.until("NOT_FOUND")

        configuration = tmp_path / "mcp.json"
        configuration.write_text(json.dumps({"mcpServers": {"guest": CALM}}))
        await place.does("import", str(configuration), "--yes", "--accept")
        await place.until("SUCCESS")
        await place.does("disable", "guest")
        await place.until("NOT_FOUND")
        await place.does("enable", "guest")
        await place.until("SUCCESS")
        await place.does("remove", "guest")
        await place.until("NOT_FOUND")

        place.writes(guest=CALM)
        await place.until("SUCCESS")
        place.writes(guest={**CALM, "deny": ["echo"]})
        await place.until("NOT_FOUND")
        place.writes()
        await place.until("NOT_FOUND")

    assert load.failures == []
    assert load.done > 50
