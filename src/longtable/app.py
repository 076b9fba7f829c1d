"""The composition root: the only module that builds concrete parts and joins them."""

import getpass
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from longtable.background import Assembly, background_work
from longtable.connections.ids import ConnectionIds
from longtable.connections.service import ConnectionLimits, Connections, connection_ids
from longtable.identity import store as identity_store
from longtable.identity.adoption import adopt_default_tenant
from longtable.identity.agent_names import AgentNames, import_earlier_spellings
from longtable.identity.logins import Logins
from longtable.identity.model import Credential
from longtable.identity.tokens import Tokens
from longtable.kernel.background import BackgroundTasks
from longtable.kernel.call_limits import CallLimitOptions, CallLimits
from longtable.kernel.clock import MINUTE, Clock, system_clock
from longtable.kernel.ids import hash_secret
from longtable.kernel.logs import logger
from longtable.kernel.refusals import Refusals
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger, LogHooks
from longtable.log.limit_sharing import LimitSharing
from longtable.log.waits import Waits
from longtable.log.wakeups import Topic, Wakeups
from longtable.parts import Parts
from longtable.sessions.gate import Gate, SessionProvisioning
from longtable.sessions.jobs import PeriodicJob, SessionJobs
from longtable.sessions.model import SessionLimits
from longtable.sessions.service import Sessions
from longtable.settings.checks import STORE_FILE
from longtable.settings.options import TOOL_GROUPS, AuthMode, Settings
from longtable.settings.tokens import merge_tokens
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import get_fact, set_fact
from longtable.storage.sqlite import SqliteDatabase
from longtable.toolkit.dispatch import Dispatcher

if TYPE_CHECKING:
    from longtable.upstreams.config import GatewayFile
    from longtable.upstreams.port import UpstreamHost


class Verifier(Protocol):
    async def verify(self, secret: str) -> Credential | None: ...


@dataclass(frozen=True, slots=True)
class EitherVerifier:
    """Beside JSON Web Tokens, which have two dots, our own tokens still count: the console needs them."""

    ours: Verifier
    web: Verifier

    async def verify(self, secret: str) -> Credential | None:
        return await (self.web if secret.count(".") == 2 else self.ours).verify(secret)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that an edge needs. `auth` is the mode in force: the option, or what the store remembers."""

    settings: Settings
    auth: AuthMode
    clock: Clock
    database: Database
    ledger: Ledger
    wakeups: Wakeups
    tokens: Tokens
    verifier: Verifier
    logins: Logins
    names: AgentNames
    sessions: Sessions
    gate: Gate
    dispatcher: Dispatcher
    assembly: Assembly
    hooks: LogHooks
    feed: Feed
    refusals: Refusals
    sharing: LimitSharing
    connections: Connections
    gateway_file: "GatewayFile | None" = None

    @property
    def jobs(self) -> SessionJobs:
        return self.assembly.jobs

    @property
    def background(self) -> BackgroundTasks:
        return self.ledger.background

    @property
    def strict(self) -> bool:
        mode = self.settings.session_mode or ("auto" if self.auth == "off" else "strict")
        return mode == "strict"


@dataclass(frozen=True, slots=True)
class _Access:
    auth: AuthMode
    tokens: Tokens
    verifier: Verifier
    connection_ids: ConnectionIds
    gateway_file: "GatewayFile | None" = None
    upstream_host: "UpstreamHost | None" = None


@dataclass(frozen=True, slots=True)
class _Log:
    wakeups: Wakeups
    hooks: LogHooks


@asynccontextmanager
async def open_app(
    settings: Settings, project: str, clock: Clock = system_clock, *, upstream_host: "UpstreamHost | None" = None
) -> AsyncIterator[App]:
    """Opens the store and yields the whole application; closes it when the last call is answered. `upstream_host`
    may run the programs of upstreams already."""
    gateway_file = _gateway_file(settings)
    wakeups = Wakeups()
    hooks = LogHooks(wakeups)
    background = BackgroundTasks(clock)
    database = await open_database(settings, wakeups, hooks, background)
    try:
        ledger = Ledger(database, clock, background)
        await import_earlier_spellings(database)
        access = replace(await _settle_access(settings, ledger), gateway_file=gateway_file, upstream_host=upstream_host)
        app = _assemble(settings, project, ledger, _Log(wakeups, hooks), access)
        jobs = [PeriodicJob("connections", MINUTE, app.connections.save_usage)]
        work = background_work(app.assembly, ledger, hooks, wakeups, app.feed, jobs)
        async with work, app.sharing.running(background):
            yield app
    finally:
        await database.close()


@asynccontextmanager
async def open_for_operator(settings: Settings, clock: Clock = system_clock) -> AsyncIterator[App]:
    """The same for a command that serves nobody: it has every tool, runs no jobs, and whatever the options say,
    it leaves auth as the store remembers it."""
    wakeups = Wakeups()
    hooks = LogHooks(wakeups)
    database = await open_database(settings, wakeups, hooks)
    try:
        ledger = Ledger(database, clock)
        tokens = Tokens(database, clock, {})
        auth = await _remembered_auth(database) or settings.auth_mode
        access = _Access(auth, tokens, tokens, await connection_ids(database))
        app = _assemble(replace(settings, tool_groups=TOOL_GROUPS), "operator", ledger, _Log(wakeups, hooks), access)
        try:
            yield app
        finally:
            await app.assembly.close()
            await ledger.close()
    finally:
        await database.close()


async def open_database(
    settings: Settings, wakeups: Wakeups, hooks: LogHooks, background: BackgroundTasks | None = None
) -> Database:
    if settings.store != "sqlite":
        # Imported here: the driver takes a tenth of a second that an embedded store should not cost.
        from longtable.storage.postgres import PostgresDatabase

        shared = await PostgresDatabase.open(
            settings.store, hooks, pool_size=settings.postgres_pool, background=background
        )
        wakeups.notify_others = lambda topic: shared.wake(json.dumps(topic))
        await shared.listen(lambda topic: wakeups.changed_elsewhere(_topic(topic)) if topic else wakeups.wake_all())
        return shared
    return await SqliteDatabase.open(
        settings.data_dir / STORE_FILE,
        hooks,
        synchronous="FULL" if settings.durability == "full" else "NORMAL",
        readers=settings.store_readers,
    )


def _topic(text: str) -> Topic:
    tenant, session_id = json.loads(text)
    return tenant, session_id


def _assemble(settings: Settings, project: str, ledger: Ledger, log: _Log, access: _Access) -> App:
    clock, auth, wakeups = ledger.clock, access.auth, log.wakeups
    sessions = Sessions(
        ledger, clock, SessionLimits(settings.session_ttl, settings.session_idle, settings.max_sessions)
    )
    mode = settings.session_mode or ("auto" if auth == "off" else "strict")
    gate = Gate(sessions, clock, _provisioning(project, settings.auto_provision) if mode == "auto" else None)
    refusals = Refusals()
    limits = CallLimits(_call_limits(settings, auth), refusals)
    waits = Waits(wakeups, clock, settings.max_waits, sessions.ends_at, limits)
    parts = Parts(
        settings, ledger, waits, sessions, gate, auth, access.tokens, access.gateway_file, access.upstream_host
    )
    assembly = Assembly(parts)
    dispatcher = Dispatcher(lambda: assembly.slices, ledger, gate, clock, limits)
    feed = Feed(ledger.database, wakeups, settings.max_subscriptions, ledger.background)
    connections = Connections(ledger.database, clock, wakeups, access.connection_ids, ConnectionLimits.of(settings))
    feed.on_refusal = connections.on_refusal = refusals.count
    lasting = {"waits": waits.waiting, "subscriptions": feed.subscription_counts}
    return App(
        settings=settings,
        auth=auth,
        clock=clock,
        database=ledger.database,
        ledger=ledger,
        wakeups=wakeups,
        tokens=access.tokens,
        verifier=access.verifier,
        logins=Logins(ledger.database, clock),
        names=AgentNames(ledger.database),
        sessions=sessions,
        gate=gate,
        dispatcher=dispatcher,
        assembly=assembly,
        hooks=log.hooks,
        feed=feed,
        refusals=refusals,
        sharing=LimitSharing.of(ledger, limits, lasting, settings.max_tenant_bytes),
        connections=connections,
        gateway_file=access.gateway_file,
    )


DEFAULT_CALL_RATE = 1_000
"""Calls of one credential in a second, where auth is on and no option says otherwise."""


def _call_limits(settings: Settings, auth: AuthMode) -> CallLimitOptions:
    rate = settings.call_rate if settings.call_rate is not None else 0 if auth == "off" else DEFAULT_CALL_RATE
    return CallLimitOptions(settings.max_calls_in_flight, settings.max_calls_in_flight_tenant, rate)


async def _settle_access(settings: Settings, ledger: Ledger) -> _Access:
    named = merge_tokens(settings.auth_tokens, settings.auth_token_file)
    hashes = {hash_secret(secret): principal for secret, principal in named.items()}
    tokens = Tokens(ledger.database, ledger.clock, hashes)
    auth = await _settle_auth(settings, ledger, tokens, list(named.values()))
    verifier = EitherVerifier(tokens, _web_tokens(settings, ledger.clock)) if auth == "jwt" else tokens
    return _Access(auth, tokens, verifier, await connection_ids(ledger.database))


async def _remembered_auth(database: Database) -> AuthMode | None:
    fact = await database.read(SYSTEM, lambda tx: get_fact(tx, "auth"))
    return None if fact is None else "off" if fact == "off" else "jwt" if fact == "jwt" else "tokens"


async def _settle_auth(settings: Settings, ledger: Ledger, tokens: Tokens, principals: list[str]) -> AuthMode:
    """The option if it is given, else what the store remembers; and remembers it in turn."""
    database = ledger.database
    remembered = await _remembered_auth(database)
    asked: AuthMode | None = settings.auth or (None if settings.auth_mode == "off" else settings.auth_mode)
    mode: AuthMode = asked or remembered or "off"
    if mode != (remembered or "off"):

        async def remember(tx: Transaction) -> None:
            await set_fact(tx, "auth", mode)
            await identity_store.end_all_logins(tx)

        await database.write(SYSTEM, remember)
        logger.info("auth_switched", mode=mode)
    if mode != "off" and settings.adopt_default_tenant:
        known = principals or [token.credential.tenant for token in await tokens.list(None)]
        if known:
            await adopt_default_tenant(ledger, known[0])
    return mode


def _gateway_file(settings: Settings) -> "GatewayFile | None":
    """Checked as a whole before anything starts."""
    if settings.gateway_config is None:
        return None
    from longtable.gateway.playbook_file import UPSTREAM, load_playbooks
    from longtable.upstreams.config import load_gateway_file, refuse_taken_names

    file = load_gateway_file(settings.gateway_config, own=[(settings.http_host, settings.http_port)])
    taken = {UPSTREAM: "the playbooks"} if file.playbooks is not None else {}
    if settings.mindscape_base_url is not None:
        taken["mindscape"] = "the Mindscape backend"
    refuse_taken_names(file, taken)
    if file.playbooks is not None:
        load_playbooks(file.playbooks)
    return file


def _web_tokens(settings: Settings, clock: Clock) -> Verifier:
    from longtable.identity.web_tokens import JwtRules, JwtVerifier

    return JwtVerifier(
        JwtRules(
            issuer=settings.jwt_issuer or "",
            audience=settings.jwt_audience or "",
            jwks=settings.jwt_jwks or "",
            tenant=settings.jwt_claim_tenant,
            agent=settings.jwt_claim_agent,
            agent_type=settings.jwt_claim_agent_type,
            role=settings.jwt_claim_role,
            session=settings.jwt_claim_session,
        ),
        clock,
    )


def _provisioning(project: str, create: bool) -> SessionProvisioning:
    user = getpass.getuser()
    key = hashlib.sha256(f"{user}\0{project}".encode()).hexdigest()
    return SessionProvisioning(key, f"Shared table of {user}: {Path(project).name or project}", create)
