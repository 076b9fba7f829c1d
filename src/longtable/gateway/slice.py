"""Builds the gateway from its parts."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from longtable.gateway import decision_store, intent_store, limits, run_store
from longtable.gateway.authorization_tools import AuthorizationTools
from longtable.gateway.authorizations import Authorizations, forget_old_flows
from longtable.gateway.builtins import Builtins
from longtable.gateway.call_dependencies import CallDependencies
from longtable.gateway.claims import KeyClaims, forget_old_claims
from longtable.gateway.decisions import Decisions
from longtable.gateway.executions import Executions
from longtable.gateway.forwarding import forwarding
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
from longtable.gateway.upstream_facts import UpstreamFactSource
from longtable.gateway.workspaces import BackendWorkspaces, SessionCheck, SessionWorkspaces
from longtable.governance.names import ToolNames
from longtable.kernel.clock import DAY, HOUR
from longtable.log.ledger import Ledger
from longtable.log.waits import Waits
from longtable.sessions.jobs import MinuteJob
from longtable.settings.options import Settings
from longtable.settings.provides import listing_of
from longtable.storage.database import SYSTEM, Transaction
from longtable.toolkit.tool import Tool, tools_of
from longtable.upstreams.build import EntryUpstreams
from longtable.upstreams.config import GatewayFile, Rates
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
    host: UpstreamHost | None = None


@dataclass(frozen=True, slots=True)
class GatewaySlice:
    gateway: Gateway
    tools: list[Tool[Any]]
    minute_jobs: list[MinuteJob]
    closers: list[Callable[[], Awaitable[None]]]


def join_gateway(dependencies: GatewayDependencies) -> GatewaySlice:
    file, settings, ledger = dependencies.file, dependencies.settings, dependencies.ledger
    backend = _backend(dependencies)
    playbooks = PlaybookSource(load_playbooks(file.playbooks) if file is not None and file.playbooks else [])
    pins = Pins(ledger)
    cipher = TokenCipher(settings.data_dir, settings.upstream_token_key)
    authorizations = Authorizations(ledger, cipher, file.allowed_hosts if file else frozenset())
    upstreams = _upstreams(dependencies, playbooks, backend, authorizations)
    calls = _call_dependencies(dependencies, upstreams, backend, pins)
    if playbooks.by_remote:
        calls.playbooks = Playbooks(ledger, playbooks, GatewayStepCaller(calls))
    gateway = Gateway(calls, listing_of(settings, file), authorizations)
    facts = UpstreamFactSource(file.rate_limits if file else Rates(), backend.backend if backend else None)
    return GatewaySlice(
        gateway=gateway,
        tools=tools_of(
            Builtins(calls, backend),
            calls.decisions,
            GatewayTools(gateway, pins, facts),
            AuthorizationTools(authorizations),
        ),
        minute_jobs=[forget_old_calls, SessionInstances(calls.upstreams).end_unused_upstreams],
        closers=[gateway.close],
    )


async def forget_old_calls(ledger: Ledger) -> None:
    """A periodic job: deletes what is kept in the audit log, as far as it must be kept."""
    now = ledger.clock()

    async def body(tx: Transaction) -> None:
        await decision_store.forget(tx, now - _KEPT_FOR)
        await intent_store.forget(tx, now - _KEPT_FOR)
        await run_store.forget(tx, now - _KEPT_FOR)
        await run_store.settle_lost(tx, UPSTREAM, now)
        await limits.forget_full(tx, now - 48 * HOUR)
        await forget_old_claims(tx, now)
        await forget_old_flows(tx, now)

    await ledger.database.write(SYSTEM, body)


def _oauth_entry(upstreams: UpstreamDirectory, tenant: str, name: str) -> HttpEntry | None:
    instance = upstreams.find(tenant, name)
    entry = None if instance is None else instance.entry
    return entry if isinstance(entry, HttpEntry) and entry.oauth is not None else None


def _backend(dependencies: GatewayDependencies) -> MindscapeUpstream | None:
    file = dependencies.file
    backend = Backend.of(dependencies.settings, file.allowed_hosts if file else frozenset())
    return None if backend is None else MindscapeUpstream(backend, background=dependencies.ledger.background)


def _upstreams(
    dependencies: GatewayDependencies,
    playbooks: PlaybookSource,
    backend: MindscapeUpstream | None,
    authorizations: Authorizations,
) -> UpstreamDirectory:
    file, background = dependencies.file, dependencies.ledger.background
    fixed: list[Upstream] = [playbooks] if playbooks.by_remote else []
    upstreams = UpstreamDirectory(
        [*fixed, backend] if backend is not None else fixed,
        factory=EntryUpstreams(
            allowed_hosts=authorizations.allowed_hosts,
            host=dependencies.host,
            background=background,
            folder=dependencies.settings.data_dir / "upstreams",
            authorize=authorizations.tokens,
        ),
        background=background,
    )
    authorizations.find_entry = partial(_oauth_entry, upstreams)
    if file is not None:
        upstreams.set_file_entries([*file.mcp, *file.openapi])
    return upstreams


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
        policies=Policies(ledger, file.rules if file else (), file.rate_limits if file else Rates()),
        decisions=Decisions(ledger, dependencies.waits, dependencies.standing_approvals),
        limits=Limits(ledger.database, ledger.clock),
        intents=Intents(ledger, forwarding(backend.forward, ledger.clock) if backend else None),
        workspaces=SessionWorkspaces(dependencies.sessions),
        own_workspaces=own_workspaces,
        upstreams=upstreams,
        check_inputs=check_inputs_with(dependencies.validation),
        executions=Executions(ledger, dependencies.waits, {backend.name: backend.poll} if backend else {}),
        claims=KeyClaims(ledger),
    )
