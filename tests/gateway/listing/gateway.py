"""A table with a gateway to a server that changes its tools, in one way, with a word about it or without."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.toolkit.dispatch import Invocation
from longtable.upstreams.mcp_upstream import McpUpstream
from tests.gateway.hostile.entries import hostile_json
from tests.stores import Store
from tests.table import Agent, Table, open_table

PERSON = Caller("default", Role.OWNER, "human:ada", "human", Surface.CONSOLE)
PULL = "mindscape_tool_shop_get_pull"
READ = "mindscape_tool_shop_read_note"
CHANGED = "notifications/tools/list_changed"


@dataclass
class ChangingGateway:
    table: Table

    def agent(self, name: str = "alice") -> Agent:
        return self.table.agent(name)

    async def pulls(self, name: str = PULL, **arguments: Any) -> None:
        """Somebody makes the server change its tools."""
        result = (await self.agent("dan").posts("tools/call", {"name": name, "arguments": arguments})).json()
        assert not result["result"]["isError"], result

    async def decides(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Something that only people may do."""
        body = (await self.table.app.dispatcher.call(Invocation(name, arguments, PERSON, CurrentSession()))).body
        assert body["ok"], body
        return body

    def pid_of(self, upstream: str) -> int:
        found = self.table.app.slices.gateway.dependencies.upstreams.find("default", upstream)
        assert found is not None
        assert isinstance(found.upstream, McpUpstream)
        assert found.upstream.child_pid is not None
        return found.upstream.child_pid

    async def is_quarantined(self) -> bool:
        return bool(await self.events("gateway/tool_quarantined"))

    async def events(self, kind: str) -> list[dict[str, Any]]:
        found = await self.agent("watcher").calls("read_events", kinds=[kind], after=0)
        events: list[dict[str, Any]] = found["events"]
        return events


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """What was listed a moment ago is believed for a moment."""
    for _ in range(500):
        if await holds():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen in time")


async def names(asks: Any) -> list[str]:
    """Of the tools of the shop, by whatever client asks."""
    result = await asks("tools/list", {})
    tools = (result if isinstance(result, dict) else result.json())["result"]["tools"]
    return [tool["name"] for tool in tools if "_shop_" in tool["name"]]


@asynccontextmanager
async def opened(
    store: Store, folder: Path, change: str = "description", tells: bool = True, **more: Any
) -> AsyncIterator[ChangingGateway]:
    shop = hostile_json("rug_pull", change, 0, "tell" if tells else "silent")
    path = folder / "gateway.json"
    path.write_text(json.dumps({"mcpServers": {"shop": shop}, **more}))
    path.chmod(0o600)
    async with open_table(store, folder, gateway_config=str(path), enable_semantic_search="false") as table:
        yield ChangingGateway(table)
