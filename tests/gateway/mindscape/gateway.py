"""A gateway in front of the reference backend, and the callers who come to it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longtable.app import App, open_app
from longtable.gateway.call_dependencies import WorkspaceResolver
from longtable.gateway.executions import Executions
from longtable.gateway.model import CallResult
from longtable.gateway.service import Gateway
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller, Role, Surface
from longtable.settings.load import load
from longtable.toolkit.dispatch import Invocation
from longtable.upstreams.mindscape import MindscapeUpstream
from tests.table import Timepiece

PERSON = Caller("default", Role.HUMAN, "human:ada", "human", Surface.CONSOLE)


@dataclass
class BackendGateway:
    app: App

    @property
    def gateway(self) -> Gateway:
        return self.app.slices.gateway

    @property
    def upstream(self) -> MindscapeUpstream:
        instance = self.gateway.dependencies.upstreams.find("default", "mindscape")
        assert instance is not None
        assert isinstance(instance.upstream, MindscapeUpstream)
        return instance.upstream

    @property
    def workspaces(self) -> WorkspaceResolver:
        return self.gateway.dependencies.own_workspaces["mindscape"]

    @property
    def executions(self) -> Executions:
        return self.gateway.dependencies.executions

    async def calls(self, caller: Caller, name: str, **arguments: Any) -> CallResult:
        """A tool of the backend. Raises what the gateway refuses it with."""
        return await self.gateway.call(caller, name, arguments)

    async def uses(self, caller: Caller, name: str, **arguments: Any) -> dict[str, Any]:
        """One of the gateway's own tools; the whole envelope."""
        outcome = await self.app.dispatcher.call(Invocation(name, arguments, caller, CurrentSession()))
        return outcome.body

    async def listed(self, caller: Caller) -> dict[str, dict[str, Any]]:
        return {tool["name"]: tool for tool in (await self.gateway.listed(caller)).tools}

    async def person_says(self, decision_id: str, approve: bool = True, reason: str | None = None) -> None:
        tool = "approve_decision" if approve else "deny_decision"
        body = await self.uses(PERSON, tool, decision_id=decision_id, reason=reason)
        assert body["ok"], body

    async def settles(self) -> None:
        """What goes on in the background has ended."""
        await self.gateway.dependencies.intents.close()


def local(agent: str = "alice", tenant: str = "default") -> Caller:
    return Caller(tenant, Role.LOCAL, agent, "generic", Surface.STDIO)


def agent(name: str = "alice", tenant: str = "default") -> Caller:
    return Caller(tenant, Role.AGENT, name, "generic", Surface.HTTP)


@asynccontextmanager
async def opened(
    store: Any, tmp_path: Path, url: str, environment: Mapping[str, str] | None = None
) -> AsyncIterator[BackendGateway]:
    place = {"data_dir": str(Path(store.address).parent)} if store.kind == "sqlite" else {"store": store.address}
    flags: dict[str, Any] = {"data_dir": str(tmp_path / "data"), "enable_semantic_search": "false", **place}
    settings = load(flags, {"MINDSCAPE_BASE_URL": url, **(environment or {})}).settings
    async with open_app(settings, "test", Timepiece()) as app:
        yield BackendGateway(app)
