"""A gateway to a server that changes its tools behind the gateway's back, and can be stopped in the middle."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, CallResponse, GatewayServer, opened, use
from tests.stores import Store

READ, DELETE = "mindscape_tool_shift_read_note", "mindscape_run_shift_delete_note"
REPORT = "mindscape_tool_shift_get_report"


@dataclass
class ShiftingServer:
    gateway: GatewayServer
    folder: Path

    async def use(self, tool: str, tenant: str = "acme", **more: Any) -> CallResponse:
        return await use(self.gateway.agent("alice", token=f"{tenant}-secret"), tool, **more)

    def change(self, **fields: Any) -> None:
        """What differs from the original tools; nothing takes an earlier change back."""
        written = self.folder / "change.new"
        written.write_text(json.dumps(fields))
        written.replace(self.folder / "change.json")

    def ran(self) -> list[str]:
        return self._lines("ran")

    @property
    def lists(self) -> int:
        return len(self._lines("lists"))

    def _lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []


@asynccontextmanager
async def shifting(
    store: Store, tmp_path: Path, promise: str = "promises", tools: int = 3, rules: Sequence[Any] = (), **entry: Any
) -> AsyncIterator[ShiftingServer]:
    folder = tmp_path / "shifting"
    folder.mkdir(exist_ok=True)
    servers = {"shift": hostile_json("shifting", tools, promise, folder, **entry)}
    rates = {"tool": "100000/s"}
    async with opened(store, tmp_path, AUTH_ON, servers=servers, rules=list(rules), rate_limits=rates) as gateway:
        yield ShiftingServer(gateway, folder)
