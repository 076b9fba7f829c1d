"""Joins the parts of the gateway: the sources of tools, the policy over them, and what people decide."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from longtable.gateway import decision_store, intent_store, limits, run_store
from longtable.gateway.builtin_tools import builtin_tools
from longtable.gateway.builtins import BuiltinParts
from longtable.gateway.calls import CallDependencies, Workspaces
from longtable.gateway.decision_tools import DecisionTools, decision_tools
from longtable.gateway.decisions import Decisions
from longtable.gateway.executions import Executions, Poll
from longtable.gateway.forwarding import forwarding
from longtable.gateway.input_check import check_inputs_with
from longtable.gateway.intents import Forward, Intents
from longtable.gateway.limits import Limits
from longtable.gateway.pins import Pins
from longtable.gateway.playbook_file import UPSTREAM, load_playbooks
from longtable.gateway.playbooks import Playbooks, PlaybookSource
from longtable.gateway.policies import Policies
from longtable.gateway.registry import Registry
from longtable.gateway.service import Gateway
from longtable.gateway.step_calls import GatewaySteps
from longtable.gateway.tools import GatewayTools, gateway_tools
from longtable.gateway.upstream_facts import upstream_facts
from longtable.gateway.workspaces import BackendWorkspaces, SessionCheck, SessionWorkspaces
from longtable.governance.names import ToolNames
from longtable.kernel.clock import DAY, HOUR
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.jobs import Chore
from longtable.settings.options import Settings
from longtable.storage.database import SYSTEM, Transaction
from longtable.toolkit.tool import Tool
from longtable.upstreams.config import GatewayFile, Rates
from longtable.upstreams.fleet import build_fleet
from longtable.upstreams.mindscape import MindscapeUpstream
from longtable.upstreams.mindscape_client import Backend
from longtable.upstreams.port import Upstream, UpstreamHost
from longtable.validation.service import Validation

_KEPT_FOR = 30 * DAY


@dataclass(frozen=True, slots=True)
class GatewayDependencies:
    """What the gateway stands on. `repeats` allows a person to let a call be repeated for a while; `host` may
    run the programs of upstreams already."""

    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: SessionCheck
    validation: Validation
    repeats: bool
    file: GatewayFile | None
    host: UpstreamHost | None = None


@dataclass(frozen=True, slots=True)
class GatewaySlice:
    gateway: Gateway
    tools: list[Tool[Any]]
    chores: list[Chore]
    closers: list[Callable[[], Awaitable[None]]]


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where the tools come from, where their calls take place, and whom to tell what for."""

    upstreams: dict[str, Upstream]
    shelf: PlaybookSource
    backend: MindscapeUpstream | None = None
    own_place: Workspaces | None = None
    forward: Forward | None = None

    @property
    def polls(self) -> Mapping[str, Poll]:
        return {} if self.backend is None else {self.backend.name: self.backend.poll}


def join_gateway(footing: GatewayDependencies) -> GatewaySlice:
    sources, ledger = _sources(footing), footing.ledger
    pins = Pins(ledger)
    desk = _desk(footing, sources, pins)
    if sources.shelf.by_remote:
        desk.playbooks = Playbooks(ledger, sources.shelf, GatewaySteps(desk))
    file, settings = footing.file, footing.settings
    facts = upstream_facts(file, sources.backend.backend if sources.backend else None)
    gateway = Gateway(desk, (file.listing if file else None) or settings.gateway_listing)
    return GatewaySlice(
        gateway=gateway,
        tools=[
            *builtin_tools(BuiltinParts(desk, desk.executions, sources.backend, sources.own_place)),
            *decision_tools(DecisionTools(desk.decisions)),
            *gateway_tools(GatewayTools(gateway, pins, facts)),
        ],
        chores=[forget_old_calls],
        closers=[gateway.close],
    )


async def forget_old_calls(ledger: Ledger) -> None:
    """A chore: what was decided, wanted and run long ago is in the audit log, as far as it must be."""
    now = ledger.clock()

    async def body(tx: Transaction) -> None:
        await decision_store.forget(tx, now - _KEPT_FOR)
        await intent_store.forget(tx, now - _KEPT_FOR)
        await run_store.forget(tx, now - _KEPT_FOR)
        await run_store.settle_lost(tx, UPSTREAM, now)
        await limits.forget_full(tx, now - 48 * HOUR)

    await ledger.database.write(SYSTEM, body)


def _sources(footing: GatewayDependencies) -> _Sources:
    file, settings = footing.file, footing.settings
    background = footing.ledger.background
    upstreams: dict[str, Upstream] = {}
    if file is not None:
        upstreams.update(build_fleet(file, host=footing.host, background=background).upstreams)
    shelf = PlaybookSource(load_playbooks(file.playbooks) if file is not None and file.playbooks else [])
    if shelf.by_remote:
        upstreams[UPSTREAM] = shelf
    where = Backend.of(settings, frozenset() if file is None else file.allowed_hosts)
    if where is None:
        return _Sources(upstreams, shelf)
    backend = MindscapeUpstream(where, background=background)
    upstreams[backend.name] = backend
    workspaces = BackendWorkspaces.of(settings, backend, footing.ledger)
    return _Sources(upstreams, shelf, backend, workspaces, forwarding(backend.forward, footing.ledger.clock))


def _desk(footing: GatewayDependencies, sources: _Sources, pins: Pins) -> CallDependencies:
    file, settings, ledger = footing.file, footing.settings, footing.ledger
    backend, place = sources.backend, sources.own_place
    names = ToolNames((file.prefix if file else None) or settings.gateway_prefix, settings.gateway_name_length)
    return CallDependencies(
        ledger=ledger,
        registry=Registry(lambda: sources.upstreams, pins, names, ledger.clock),
        policies=Policies(ledger, file.rules if file else (), file.rate_limits if file else Rates()),
        decisions=Decisions(ledger, footing.waits, footing.repeats),
        limits=Limits(ledger.database, ledger.clock),
        intents=Intents(ledger, sources.forward),
        workspaces=SessionWorkspaces(footing.sessions),
        own_places={backend.name: place} if backend is not None and place is not None else {},
        upstreams=lambda: sources.upstreams,
        check_inputs=check_inputs_with(footing.validation),
        executions=Executions(ledger, footing.waits, sources.polls),
    )
