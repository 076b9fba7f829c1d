"""A table with a gateway to two calm servers and a folder of playbooks: `calm` may be used by everybody, `guarded` only
with a person's word."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.toolkit.dispatch import Invocation
from tests.gateway.hostile.entries import hostile_json
from tests.stores import Store
from tests.table import Agent, Table, open_table

PERSON = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
RULES = [{"match": "calm.*", "layer": "tool"}]


@dataclass
class PlaybookGateway:
    table: Table

    def agent(self, name: str = "alice") -> Agent:
        return self.table.agent(name)

    async def listed(self, agent: Agent) -> dict[str, dict[str, Any]]:
        tools = (await agent.posts("tools/list", {})).json()["result"]["tools"]
        return {tool["name"]: tool for tool in tools if "upstream" in tool.get("_meta", {})}

    async def runs(self, agent: Agent, playbook: str, **arguments: Any) -> dict[str, Any]:
        """The whole result of a call of `mindscape_playbook_<playbook>`."""
        name = f"mindscape_playbook_{playbook}"
        answer = await agent.posts("tools/call", {"name": name, "arguments": arguments})
        result: dict[str, Any] = answer.json()["result"]
        return result

    async def confirmed(self, agent: Agent, playbook: str, **inputs: Any) -> dict[str, Any]:
        """The same once a person has allowed it."""
        required = (await self.runs(agent, playbook, inputs=inputs))["structuredContent"]["error"]
        assert required["code"] == "CONFIRMATION_REQUIRED", required
        await self.person_says(required["details"]["confirmation_id"])
        return await self.runs(agent, playbook, inputs=inputs, confirm_token=required["details"]["confirm_token"])

    async def person_says(self, decision_id: str, approve: bool = True, **more: Any) -> None:
        tool = "approve_decision" if approve else "deny_decision"
        expected = Invocation(tool, {"decision_id": decision_id, **more}, PERSON, CurrentSession())
        body = (await self.table.app.dispatcher.call(expected)).body
        assert body["ok"], body

    async def waits(self, agent: Agent, execution_id: str, seconds: float = 20) -> dict[str, Any]:
        answer = await agent.calls("mindscape_execution_wait", execution_id=execution_id, wait_seconds=seconds)
        result: dict[str, Any] = answer["result"]
        return result

    async def decisions(self) -> list[dict[str, Any]]:
        found = await self.table.app.dispatcher.call(Invocation("list_decisions", {}, PERSON, CurrentSession()))
        decisions: list[dict[str, Any]] = found.body["decisions"]
        return decisions

    async def calls_made(self) -> int:
        """How many calls have reached the server that everybody may use; this one is among them."""
        return int((await self.agent("counter").tries("mindscape_tool_calm_counts"))["tools/call"])


def gateway_file(folder: Path, playbooks: Mapping[str, str], **more: Any) -> Path:
    playbook_folder = folder / "playbooks"
    playbook_folder.mkdir(exist_ok=True)
    for old in playbook_folder.iterdir():
        old.unlink()
    for name, text in playbooks.items():
        (playbook_folder / f"{name}.yaml").write_text(dedent(text))
    servers = {"calm": hostile_json("calm"), "guarded": hostile_json("calm")}
    path = folder / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers, "playbooks": "playbooks", "rules": RULES, **more}))
    path.chmod(0o600)
    return path


@asynccontextmanager
async def opened(
    store: Store, folder: Path, playbooks: Mapping[str, str], **more: Any
) -> AsyncIterator[PlaybookGateway]:
    path = gateway_file(folder, playbooks, **more)
    async with open_table(store, folder, gateway_config=str(path), enable_semantic_search="false") as table:
        yield PlaybookGateway(table)
