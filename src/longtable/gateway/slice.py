"""Builds the gateway from its parts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from longtable.gateway import authorization_store, decision_store, intent_store, limits, run_store
from longtable.gateway.added_upstreams import AddedUpstreams, UpstreamRules
from longtable.gateway.authorization_tools import AuthorizationTools
from longtable.gateway.authorizations import Authorizations
from longtable.gateway.builtins import Builtins
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.call_details import CallDetails
from longtable.gateway.claims import KeyClaims, forget_old_claims
from longtable.gateway.decisions import DecisionLimits, Decisions
from longtable.gateway.executions import Executions
from longtable.gateway.forwarding import forwarding
from longtable.gateway.gateway_file import CurrentFile, FileWatch, built_in_names, load_file, own_addresses
from longtable.gateway.input_check import check_inputs_with
from longtable.gateway.intents import Intents
from longtable.gateway.limits import Limits
from longtable.gateway.pins import Pins
from longtable.gateway.playbook_file import UPSTREAM, load_playbooks
from longtable.gateway.playbooks import Playbooks, PlaybookSource
from longtable.gateway.policies import Policies
from longtable.gateway.registry import Registry
from longtable.gateway.service import Gateway
from longtable.gateway.session_instances import SessionInstances
from longtable.gateway.step_calls import GatewayStepCaller
from longtable.gateway.token_cipher import TokenCipher
from longtable.gateway.tools import GatewayTools
from longtable.gateway.upstream_follower import UpstreamFollower
from longtable.gateway.upstream_list import UpstreamViews
from longtable.gateway.upstream_tools import UpstreamAdministration
from longtable.gateway.workspaces import BackendWorkspaces, SessionCheck, SessionWorkspaces
from longtable.governance.names import ToolNames
from longtable.holds.service import Holds
from longtable.kernel.clock import DAY, HOUR, MINUTE
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.jobs import MinuteJob, PeriodicJob
from longtable.settings.options import Settings
from longtable.settings.provides import listing_of
from longtable.storage.database import SYSTEM, Transaction
from longtable.toolkit.tool import Tool, tools_of
from longtable.upstreams.build import EntryUpstreams
from longtable.upstreams.config import GatewayFile
from longtable.upstreams.directory import UpstreamDirectory
from longtable.upstreams.entries import HttpEntry
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
    feed: Feed
    holds: Holds
    host: UpstreamHost | None = None
    serves: bool = False
    """False for a command that ends with its work: it follows nothing."""


@dataclass(frozen=True, slots=True)
class GatewaySlice:
    gateway: Gateway
    tools: list[Tool[Any]]
    minute_jobs: list[MinuteJob]
    periodic_jobs: list[PeriodicJob]
    closers: list[Callable[[], Awaitable[None]]]
    file: FileWatch


def join_gateway(dependencies: GatewayDependencies) -> GatewaySlice:
    file, settings, ledger = dependencies.file, dependencies.settings, dependencies.ledger
    backend = _backend(dependencies)
    playbooks = PlaybookSource(load_playbooks(file.playbooks) if file is not None and file.playbooks else [])
    pins = Pins(ledger)
    cipher = TokenCipher(settings.data_dir, settings.upstream_token_key)
    authorizations = Authorizations(ledger, cipher, file.allowed_hosts if file else frozenset())
    factory = EntryUpstreams(
        host=dependencies.host,
        background=ledger.background,
        folder=settings.data_dir / "upstreams",
        authorize=authorizations.tokens,
    )
    directory = _directory(dependencies, factory, playbooks, backend)
    authorizations.find_entry = partial(_oauth_entry, directory)
    current = CurrentFile(file, built_in_names(settings, file))
    added = _added_upstreams(dependencies, directory, current, cipher)
    calls = _call_dependencies(dependencies, directory, backend, pins)
    if playbooks.by_remote:
        calls.playbooks = Playbooks(ledger, playbooks, GatewayStepCaller(calls))
    gateway = Gateway(calls, added, listing_of(settings, file), authorizations)
    take_over = partial(_take_over, factory, gateway)
    watch = FileWatch(current, partial(load_file, settings), take_over)
    watch.apply_current()
    views = UpstreamViews(directory, added, current, backend.backend if backend else None)
    return GatewaySlice(
        gateway=gateway,
        tools=tools_of(
            Builtins(calls, backend),
            calls.decisions,
            GatewayTools(gateway, pins),
            UpstreamAdministration(gateway, pins, added, views),
            AuthorizationTools(authorizations),
        ),
        minute_jobs=[forget_old_calls, calls.details.forget_old],
        periodic_jobs=[_end_unused_upstreams(calls)],
        closers=[*_following(dependencies, added, watch), gateway.close],
        file=watch,
    )


def _end_unused_upstreams(calls: CallDependencies) -> PeriodicJob:
    """Each process knows its own upstreams alone."""
    end = partial(SessionInstances(calls.upstreams).end_unused_upstreams, calls.ledger)
    return PeriodicJob("end_unused_upstreams", MINUTE, end, in_each_process=True)


def _added_upstreams(
    dependencies: GatewayDependencies, directory: UpstreamDirectory, current: CurrentFile, cipher: TokenCipher
) -> AddedUpstreams:
    settings = dependencies.settings
    rules = UpstreamRules(
        own_addresses(settings), current.fixed_names, current.allowed_hosts, settings.upstream_commands == "operator"
    )
    return AddedUpstreams(dependencies.ledger, directory, rules, cipher)


def _take_over(factory: EntryUpstreams, gateway: Gateway, file: GatewayFile) -> None:
    """Takes over a gateway file that was read again. Its prefix, listing and playbooks take effect at the next
    start."""
    factory.allowed_hosts = gateway.authorizations.allowed_hosts = file.allowed_hosts
    gateway.dependencies.policies.set_file(file.rules, file.rate_limits)
    gateway.dependencies.upstreams.set_file_entries([*file.mcp, *file.openapi])
    gateway.added.forget()


def _following(
    dependencies: GatewayDependencies, added: AddedUpstreams, watch: FileWatch
) -> list[Callable[[], Awaitable[None]]]:
    """What keeps a process that serves up to date, as functions that stop it."""
    if not dependencies.serves:
        return []
    background = dependencies.ledger.background
    follower = UpstreamFollower(dependencies.feed, background, added)
    added.on_rows = follower.follow
    watching = [background.start("gateway_file", watch.run).stop] if dependencies.file is not None else []
    return [follower.close, *watching]


async def forget_old_calls(ledger: Ledger) -> None:
    """Periodic job: deletes old decisions, intents, runs and the like. The audit log keeps what must be kept of
    them."""
    now = ledger.clock()

    async def body(tx: Transaction) -> None:
        await decision_store.forget(tx, now - _KEPT_FOR)
        await intent_store.forget(tx, now - _KEPT_FOR)
        await run_store.forget(tx, now - _KEPT_FOR)
        await run_store.settle_lost(tx, UPSTREAM, now)
        await limits.forget_full(tx, now - 48 * HOUR)
        await forget_old_claims(tx, now)
        await authorization_store.forget_flows(tx, now)

    await ledger.database.write(SYSTEM, body)


def _oauth_entry(upstreams: UpstreamDirectory, tenant: str, name: str) -> HttpEntry | None:
    instance = upstreams.find(tenant, name)
    entry = None if instance is None else instance.entry
    return entry if isinstance(entry, HttpEntry) and entry.oauth is not None else None


def _backend(dependencies: GatewayDependencies) -> MindscapeUpstream | None:
    file = dependencies.file
    backend = Backend.of(dependencies.settings, file.allowed_hosts if file else frozenset())
    return None if backend is None else MindscapeUpstream(backend, background=dependencies.ledger.background)


def _directory(
    dependencies: GatewayDependencies,
    factory: EntryUpstreams,
    playbooks: PlaybookSource,
    backend: MindscapeUpstream | None,
) -> UpstreamDirectory:
    fixed: list[Upstream] = [playbooks] if playbooks.by_remote else []
    return UpstreamDirectory(
        [*fixed, backend] if backend is not None else fixed, factory=factory, background=dependencies.ledger.background
    )


def _call_dependencies(
    dependencies: GatewayDependencies,
    upstreams: UpstreamDirectory,
    backend: MindscapeUpstream | None,
    pins: Pins,
) -> CallDependencies:
    file, settings, ledger = dependencies.file, dependencies.settings, dependencies.ledger
    names = ToolNames((file.prefix if file else None) or settings.gateway_prefix, settings.gateway_name_length)
    own_workspaces = {} if backend is None else {backend.name: BackendWorkspaces.of(settings, backend, ledger)}
    return CallDependencies(
        ledger=ledger,
        registry=Registry(upstreams, pins, names, ledger.clock),
        names=names,
        policies=Policies(ledger),
        decisions=Decisions(
            ledger,
            dependencies.waits,
            dependencies.holds,
            dependencies.standing_approvals,
            DecisionLimits(settings.max_waiting_decisions, settings.denial_pause),
        ),
        limits=Limits(ledger.database, ledger.clock),
        intents=Intents(ledger, forwarding(backend.forward, ledger.clock) if backend else None),
        workspaces=SessionWorkspaces(dependencies.sessions),
        own_workspaces=own_workspaces,
        upstreams=upstreams,
        check_inputs=check_inputs_with(dependencies.validation),
        executions=Executions(ledger, dependencies.waits, {backend.name: backend.poll} if backend else {}),
        claims=KeyClaims(ledger),
        details=CallDetails(ledger, settings.gateway_calls_kept),
    )
