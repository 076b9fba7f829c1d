"""Joins the parts of the gateway: the sources of tools, the policy over them, and what people decide."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from longtable.gateway import decision_store, intent_store, limits, run_store
from longtable.gateway.builtin_tools import builtin_tools
from longtable.gateway.builtins import BuiltinDependencies
from longtable.gateway.call_dependencies import CallDependencies, WorkspaceResolver
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
from longtable.gateway.step_calls import GatewayStepCaller
from longtable.gateway.tools import GatewayTools, gateway_tools
from longtable.gateway.upstream_facts import upstream_facts
from longtable.gateway.workspaces import BackendWorkspaces, SessionCheck, SessionWorkspaces
from longtable.governance.names import ToolNames
from longtable.kernel.clock import DAY, HOUR
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.jobs import MinuteJob
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
    """`standing_approvals` lets a person allow repetitions of a call; `host` runs the programs of upstreams."""

    settings: Settings
    ledger: Ledger
    waits: Waits
    sessions: SessionCheck
    validation: Validation
    standing_approvals: bool
    file: GatewayFile | None
    host: UpstreamHost | None = None


@dataclass(frozen=True, slots=True)
class GatewaySlice:
    gateway: Gateway
    tools: list[Tool[Any]]
    minute_jobs: list[MinuteJob]
    closers: list[Callable[[], Awaitable[None]]]


@dataclass(frozen=True, slots=True)
class _Sources:
    """Where the tools come from, where their calls take place, and whom to tell what for."""

    upstreams: dict[str, Upstream]
    playbook_source: PlaybookSource
    backend: MindscapeUpstream | None = None
    own_place: WorkspaceResolver | None = None
    forward: Forward | None = None

    @property
    def polls(self) -> Mapping[str, Poll]:
        return {} if self.backend is None else {self.backend.name: self.backend.poll}


def join_gateway(dependencies: GatewayDependencies) -> GatewaySlice:
    sources, ledger = _sources(dependencies), dependencies.ledger
    pins = Pins(ledger)
    calls = _call_dependencies(dependencies, sources, pins)
    if sources.playbook_source.by_remote:
        calls.playbooks = Playbooks(ledger, sources.playbook_source, GatewayStepCaller(calls))
    file, settings = dependencies.file, dependencies.settings
    facts = upstream_facts(file, sources.backend.backend if sources.backend else None)
    gateway = Gateway(calls, (file.listing if file else None) or settings.gateway_listing)
    return GatewaySlice(
        gateway=gateway,
        tools=[
            *builtin_tools(BuiltinDependencies(calls, calls.executions, sources.backend, sources.own_place)),
            *decision_tools(DecisionTools(calls.decisions)),
            *gateway_tools(GatewayTools(gateway, pins, facts)),
        ],
        minute_jobs=[forget_old_calls],
        closers=[gateway.close],
    )


async def forget_old_calls(ledger: Ledger) -> None:
    """Every minute: what was decided, wanted and run long ago is in the audit log, as far as it must be."""
    now = ledger.clock()

    async def body(tx: Transaction) -> None:
        await decision_store.forget(tx, now - _KEPT_FOR)
        await intent_store.forget(tx, now - _KEPT_FOR)
        await run_store.forget(tx, now - _KEPT_FOR)
        await run_store.settle_lost(tx, UPSTREAM, now)
        await limits.forget_full(tx, now - 48 * HOUR)

    await ledger.database.write(SYSTEM, body)


def _sources(dependencies: GatewayDependencies) -> _Sources:
    file, settings = dependencies.file, dependencies.settings
    background = dependencies.ledger.background
    upstreams: dict[str, Upstream] = {}
    if file is not None:
        upstreams.update(build_fleet(file, host=dependencies.host, background=background).upstreams)
    playbook_source = PlaybookSource(load_playbooks(file.playbooks) if file is not None and file.playbooks else [])
    if playbook_source.by_remote:
        upstreams[UPSTREAM] = playbook_source
    where = Backend.of(settings, frozenset() if file is None else file.allowed_hosts)
    if where is None:
        return _Sources(upstreams, playbook_source)
    backend = MindscapeUpstream(where, background=background)
    upstreams[backend.name] = backend
    workspaces = BackendWorkspaces.of(settings, backend, dependencies.ledger)
    return _Sources(
        upstreams, playbook_source, backend, workspaces, forwarding(backend.forward, dependencies.ledger.clock)
    )


def _call_dependencies(dependencies: GatewayDependencies, sources: _Sources, pins: Pins) -> CallDependencies:
    file, settings, ledger = dependencies.file, dependencies.settings, dependencies.ledger
    backend, place = sources.backend, sources.own_place
    names = ToolNames((file.prefix if file else None) or settings.gateway_prefix, settings.gateway_name_length)
    return CallDependencies(
        ledger=ledger,
        registry=Registry(lambda: sources.upstreams, pins, names, ledger.clock),
        policies=Policies(ledger, file.rules if file else (), file.rate_limits if file else Rates()),
        decisions=Decisions(ledger, dependencies.waits, dependencies.standing_approvals),
        limits=Limits(ledger.database, ledger.clock),
        intents=Intents(ledger, sources.forward),
        workspaces=SessionWorkspaces(dependencies.sessions),
        own_workspaces={backend.name: place} if backend is not None and place is not None else {},
        upstreams=lambda: sources.upstreams,
        check_inputs=check_inputs_with(dependencies.validation),
        executions=Executions(ledger, dependencies.waits, sources.polls),
    )
