"""The composition root: opens the store, builds the core, and starts the background work. The slices are built in
`assembly.py`, when the first of them is needed."""

import getpass
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from longtable.background import background_work
from longtable.connections.service import ConnectionLimits, Connections, connection_ids
from longtable.core import Core, Verifier
from longtable.holds.service import Holds
from longtable.identity import store as identity_store
from longtable.identity.agent_names import AgentNames, import_earlier_spellings
from longtable.identity.logins import Logins
from longtable.identity.model import Credential
from longtable.identity.tokens import Tokens, check_principals
from longtable.kernel.background import BackgroundTasks
from longtable.kernel.call_limits import CallLimitOptions, CallLimits
from longtable.kernel.clock import MINUTE, Clock, system_clock
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.kernel.ids import hash_secret
from longtable.kernel.logs import logger
from longtable.kernel.refusals import Refusals
from longtable.log.feed import Feed
from longtable.log.ledger import Ledger, LogHooks
from longtable.log.limit_sharing import LimitSharing
from longtable.log.waits import Waits
from longtable.log.wakeups import Topic, Wakeups
from longtable.sessions.jobs import PeriodicJob, SessionJobs
from longtable.sessions.model import SessionLimits
from longtable.sessions.resolver import SessionProvisioning, SessionResolver
from longtable.sessions.service import Sessions
from longtable.settings.checks import STORE_FILE
from longtable.settings.options import TOOL_GROUPS, AuthMode, Settings
from longtable.settings.tokens import merge_tokens
from longtable.storage.database import SYSTEM, Database, Transaction
from longtable.storage.facts import UNFINISHED_COPY, get_fact, set_fact
from longtable.storage.sqlite import SqliteDatabase
from longtable.toolkit.dispatch import Dispatcher

if TYPE_CHECKING:
    from longtable.assembly import Slices
    from longtable.identity.openid import OpenIdSignIn
    from longtable.upstreams.config import GatewayFile
    from longtable.upstreams.port import UpstreamHost


@dataclass(frozen=True, slots=True)
class EitherVerifier:
    """Verifies JSON Web Tokens, which have two dots, and our own tokens, which the console needs."""

    ours: Verifier
    web: Verifier

    async def verify(self, secret: str) -> Credential | None:
        return await (self.web if secret.count(".") == 2 else self.ours).verify(secret)


class App(Core):
    """The whole application: the core and, once something needs them, the slices."""

    @cached_property
    def dispatcher(self) -> Dispatcher:
        return Dispatcher(lambda: self.slices, self.ledger, self.session_resolver, self.clock, self.limits)

    @cached_property
    def slices(self) -> "Slices":
        # Imported here: a third of the time to start, which a client that lists its tools need not spend.
        from longtable.assembly import join_slices

        slices = join_slices(self)
        slices.gateway.dependencies.meter = self.gateway_meter
        return slices

    @property
    def is_joined(self) -> bool:
        return "slices" in self.__dict__

    @cached_property
    def jobs(self) -> SessionJobs:
        retention = self.settings.archive_retention
        return SessionJobs(self.ledger, retention, self.slices.purges, self.slices.minute_jobs)

    def all_jobs(self) -> list[PeriodicJob]:
        connections = PeriodicJob("connections", MINUTE, self.connections.save_usage, in_each_process=True)
        return [connections, *self.jobs.periodic_jobs(), *self.slices.periodic_jobs]

    def reload_gateway_file(self) -> None:
        """Reads the gateway file again, even if it seems unchanged. Does nothing before the gateway was first
        needed."""
        if self.is_joined:
            self.slices.gateway_file.reload()

    async def close(self) -> None:
        if self.is_joined:
            for close in self.slices.closers:
                await close()
        await self.ledger.close()


@asynccontextmanager
async def open_app(
    settings: Settings,
    project: str,
    clock: Clock = system_clock,
    *,
    upstream_host: "UpstreamHost | None" = None,
    server_runs: Callable[[], bool] | None = None,
) -> AsyncIterator[App]:
    """Opens the store and yields the whole application; closes it when the last call is answered. `upstream_host`
    may run the programs of upstreams already. With `server_runs` it leaves the periodic jobs to a server."""
    gateway_file = gateway_file_of(settings)
    _check_notifiers_file(settings)
    async with _open_ledger(settings, clock) as (ledger, hooks):
        await import_earlier_spellings(ledger.database)
        tokens, auth = await _settle_access(settings, ledger)
        app = await _build_app(settings, project, ledger, hooks, tokens, auth)
        app.gateway_file, app.upstream_host, app.serves = gateway_file, upstream_host, True
        app.server_runs = server_runs
        app.openid = _openid(settings, clock) if auth != "off" else None
        work = background_work(app, app.all_jobs, lambda: app.slices.words, lambda: app.slices.indexer)
        async with _closing(app), work, app.limit_sharing.running(app.background):
            yield app


@asynccontextmanager
async def open_for_operator(settings: Settings, clock: Clock = system_clock) -> AsyncIterator[App]:
    """The same for a command that serves no clients: it has every tool, runs no jobs, and whatever the options say,
    it leaves auth as the store remembers it."""
    async with _open_ledger(settings, clock) as (ledger, hooks):
        auth = await _remembered_auth(ledger.database) or settings.auth_mode
        every_tool = replace(settings, tool_groups=TOOL_GROUPS)
        app = await _build_app(every_tool, "operator", ledger, hooks, Tokens(ledger.database, clock, {}), auth)
        try:
            yield app
        finally:
            await app.close()


@asynccontextmanager
async def _open_ledger(settings: Settings, clock: Clock) -> AsyncIterator[tuple[Ledger, LogHooks]]:
    hooks, background = LogHooks(Wakeups()), BackgroundTasks(clock)
    database = await open_database(settings, hooks.wakeups, hooks, background)
    try:
        yield Ledger(database, clock, background), hooks
    finally:
        await database.close()


@asynccontextmanager
async def _closing(app: App) -> AsyncIterator[None]:
    try:
        yield
    finally:
        with suppress(LongtableError):
            await app.close()


async def _build_app(
    settings: Settings, project: str, ledger: Ledger, hooks: LogHooks, tokens: Tokens, auth: AuthMode
) -> App:
    clock, database, wakeups, refusals = ledger.clock, ledger.database, hooks.wakeups, Refusals()
    sessions = Sessions(
        ledger, clock, SessionLimits(settings.session_ttl, settings.session_idle, settings.max_sessions)
    )
    limits = CallLimits(_call_limits(settings, auth), refusals)
    waits = Waits(wakeups, clock, settings.max_waits, sessions.ends_at, limits)
    feed = Feed(database, wakeups, settings.max_subscriptions, ledger.background)
    ids = await connection_ids(database)
    connections = Connections(database, clock, wakeups, ids, ConnectionLimits.of(settings))
    feed.on_refusal = connections.on_refusal = refusals.count
    lasting = {
        "waits": waits.waiting,
        "waiting_agents": waits.waiting_agents,
        "subscriptions": feed.subscription_counts,
    }
    return App(
        settings=settings,
        auth=auth,
        ledger=ledger,
        hooks=hooks,
        tokens=tokens,
        verifier=EitherVerifier(tokens, _web_tokens(settings, clock)) if auth == "jwt" else tokens,
        logins=Logins(database, clock),
        names=AgentNames(database),
        sessions=sessions,
        holds=Holds(ledger),
        session_resolver=SessionResolver(sessions, clock, _provisioning(settings, project, auth)),
        limits=limits,
        waits=waits,
        feed=feed,
        connections=connections,
        refusals=refusals,
        limit_sharing=LimitSharing.of(ledger, limits, lasting, settings.max_tenant_bytes),
    )


async def open_database(
    settings: Settings, wakeups: Wakeups, hooks: LogHooks, background: BackgroundTasks | None = None
) -> Database:
    if settings.store != "sqlite":
        # Imported here: the driver takes a tenth of a second that an embedded store should not cost.
        from longtable.storage.postgres import PostgresDatabase, PostgresOptions

        options = PostgresOptions(
            settings.postgres_pool, settings.postgres_pooler == "transaction", settings.postgres_direct
        )
        shared = await PostgresDatabase.open(settings.store, hooks, options=options, background=background)
        await _refuse_unfinished_copy(shared)
        wakeups.notify_others = lambda topic: shared.wake(json.dumps(topic))
        await shared.listen(lambda topic: wakeups.changed_elsewhere(_topic(topic)) if topic else wakeups.wake_all())
        return shared
    return await SqliteDatabase.open(
        settings.data_dir / STORE_FILE,
        hooks,
        synchronous="FULL" if settings.durability == "full" else "NORMAL",
        readers=settings.store_readers,
    )


async def _refuse_unfinished_copy(database: Database) -> None:
    if await database.read(SYSTEM, lambda tx: get_fact(tx, UNFINISHED_COPY)) is not None:
        await database.close()
        raise ConfigError(
            "The store is not complete: 'longtable migrate' was interrupted while it filled it.",
            hint="Run the same 'longtable migrate' again: it goes on where it stopped.",
        )


def _topic(text: str) -> Topic:
    tenant, session_id = json.loads(text)
    return tenant, session_id


DEFAULT_CALL_RATE = 1_000
"""Calls of one credential in a second, where auth is on and no option says otherwise."""


def _call_limits(settings: Settings, auth: AuthMode) -> CallLimitOptions:
    rate = settings.call_rate if settings.call_rate is not None else 0 if auth == "off" else DEFAULT_CALL_RATE
    return CallLimitOptions(settings.max_calls_in_flight, settings.max_calls_in_flight_tenant, rate)


async def _settle_access(settings: Settings, ledger: Ledger) -> tuple[Tokens, AuthMode]:
    # Before a missing file is made of them.
    check_principals(entry.principal for entry in settings.auth_tokens)
    named = merge_tokens(settings.auth_tokens, settings.auth_token_file)
    check_principals(named.values())
    hashes = {hash_secret(secret): principal for secret, principal in named.items()}
    tokens = Tokens(ledger.database, ledger.clock, hashes)
    return tokens, await _settle_auth(settings, ledger, tokens, list(named.values()))


async def _remembered_auth(database: Database) -> AuthMode | None:
    fact = await database.read(SYSTEM, lambda tx: get_fact(tx, "auth"))
    return None if fact is None else "off" if fact == "off" else "jwt" if fact == "jwt" else "tokens"


async def _settle_auth(settings: Settings, ledger: Ledger, tokens: Tokens, principals: list[str]) -> AuthMode:
    """The option if it is given, else what the store remembers; and remembers it in turn."""
    database = ledger.database
    remembered = await _remembered_auth(database)
    requested: AuthMode | None = settings.auth or (None if settings.auth_mode == "off" else settings.auth_mode)
    mode: AuthMode = requested or remembered or "off"
    if mode != (remembered or "off"):

        async def remember(tx: Transaction) -> None:
            await set_fact(tx, "auth", mode)
            await identity_store.end_all_logins(tx)

        await database.write(SYSTEM, remember)
        logger.info("auth_switched", mode=mode)
    if mode != "off" and settings.adopt_default_tenant:
        await _adopt_default_tenant(ledger, tokens, principals)
    return mode


async def _adopt_default_tenant(ledger: Ledger, tokens: Tokens, principals: list[str]) -> None:
    known = principals or [token.credential.tenant for token in await tokens.list(None)]
    if known:
        from longtable.identity.adoption import adopt_default_tenant

        await adopt_default_tenant(ledger, known[0])


def gateway_file_of(settings: Settings) -> "GatewayFile | None":
    """Checked as a whole before anything starts."""
    if settings.gateway_config is None:
        return None
    from longtable.gateway.gateway_file import load_file

    return load_file(settings)


def _check_notifiers_file(settings: Settings) -> None:
    if settings.notifiers_file is not None:
        from longtable.notifiers.notifiers_file import load_notifiers_file

        load_notifiers_file(settings.notifiers_file)


def _web_tokens(settings: Settings, clock: Clock) -> Verifier:
    from longtable.identity.web_tokens import JwtVerifier

    return JwtVerifier.of(settings, clock)


def _openid(settings: Settings, clock: Clock) -> "OpenIdSignIn | None":
    if settings.oidc_issuer is None:
        return None
    from longtable.identity.openid import OpenIdSignIn

    return OpenIdSignIn(settings, clock)


def _provisioning(settings: Settings, project: str, auth: AuthMode) -> SessionProvisioning | None:
    """How a caller without a session gets one; None where the lack of one is an error."""
    if (settings.session_mode or ("auto" if auth == "off" else "strict")) == "strict":
        return None
    user = getpass.getuser()
    key = hashlib.sha256(f"{user}\0{project}".encode()).hexdigest()
    return SessionProvisioning(key, f"Shared table of {user}: {Path(project).name or project}", settings.auto_provision)
