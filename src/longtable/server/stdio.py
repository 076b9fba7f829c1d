"""MCP over standard input and output: one process for one client, on the store that all of them share."""

import asyncio
import contextlib
import os
import secrets
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from anyio import AsyncFile
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from longtable.app import App, open_app
from longtable.identity.model import Credential
from longtable.identity.resolve import LOCAL, Claims, resolve_caller
from longtable.kernel.background import owned_task
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Surface
from longtable.kernel.clock import SECOND
from longtable.kernel.delivery import DELIVERY, direct_delivery
from longtable.kernel.errors import ConfigError, LongtableError
from longtable.kernel.logs import logger
from longtable.kernel.names import HUMAN_PREFIX, name_problem, poses_as_person
from longtable.kernel.stop_signals import call_on_stop_signals
from longtable.server.admission import Admission
from longtable.server.agent_keys import process_key
from longtable.server.malformed import checked_line, refuse_line
from longtable.server.mcp import build_server
from longtable.server.pending import Pending, PendingReplies, PendingRequests
from longtable.server.running_servers import server_runs
from longtable.server.senders import Context, MessageSender, client_name
from longtable.server.shared_upstreams import host_beside
from longtable.server.stdin_lines import stdin_lines
from longtable.server.telemetry import stop_telemetry, telemetry
from longtable.server.warm_up import start_warm_up
from longtable.settings.options import Settings

CLOSING_SECONDS = 3.0


async def run_stdio(settings: Settings) -> None:
    """Serves until the client closes its end, or a signal asks to stop."""
    with telemetry(settings):
        await _run(settings)


async def _run(settings: Settings) -> None:
    settings, beside = _leaving_auth_on(settings), partial(server_runs, settings.data_dir)
    async with open_app(settings, project_of(settings), upstream_host=host_beside(settings), server_runs=beside) as app:
        credential = await _credential(app)
        admission = await _admission(app, credential)
        current_session = CurrentSession()
        declared: str | None = None

        async def recognise(ctx: Context) -> MessageSender:
            nonlocal declared
            # A notification of the current revision does not say whose it is; there is but one client.
            declared = client_name(ctx) or declared
            caller = admission.caller
            if not admission.is_named:
                find_key = partial(process_key, ctx.lifespan_context, admission, declared)
                caller = await admission.as_declared(declared, find_key)
            return MessageSender(caller, current_session, admission.refusal)

        server = build_server(app, recognise)
        start_warm_up(app)
        try:
            await _serve(app, server)
        except* BrokenPipeError:
            logger.info("client_gone")


async def _serve(app: App, server: Server[Any]) -> None:
    stopping = _listen_for_signals()
    # One client for the whole process: what another one of the same name calls confirms nothing here.
    DELIVERY.set(direct_delivery(f"stdio:{secrets.token_hex(8)}"))
    lines = stdin_lines()
    async with stdio_server(cast("AsyncFile[str]", lines)) as (incoming, outgoing):
        pending = Pending(partial(_release, app), app.settings.shutdown_timeout / SECOND)
        replies = PendingReplies(outgoing, pending)
        requests = PendingRequests(
            incoming, pending, lambda item: checked_line(item, lines.forget()), partial(refuse_line, replies)
        )
        serving = owned_task(server.run(requests, replies, server.create_initialization_options()))
        await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():
            await _drain(app)
            stop_telemetry()
            # The reader thread sits in a read of stdin that nothing can interrupt.
            os._exit(0)
        await serving


def _leaving_auth_on(settings: Settings) -> Settings:
    """Only the server's operator switches auth off: whoever starts a process must not rid the store of its tokens."""
    return replace(settings, auth=None) if settings.auth == "off" else settings


def project_of(settings: Settings) -> str:
    """The table that clients in one project share: the root of their git checkout, else their folder."""
    if settings.project is not None:
        return settings.project
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return str(folder)
    return str(here)


async def _credential(app: App) -> Credential:
    """Raises ConfigError when the store wants a token and the environment brings none that counts."""
    secret = app.settings.token
    if secret is None:
        if app.auth == "off":
            return LOCAL
        raise ConfigError("This store has auth switched on.", hint="Set LONGTABLE_TOKEN to a token of yours.")
    credential = await app.verifier.verify(secret)
    if credential is None:
        raise ConfigError("LONGTABLE_TOKEN: this token is not valid.", hint="'longtable token create' makes one.")
    return credential


async def _admission(app: App, credential: Credential) -> Admission:
    settings = app.settings
    _check_names(settings)
    claims = Claims(
        Surface.STDIO,
        agent=settings.agent,
        agent_source="LONGTABLE_AGENT",
        agent_type=settings.agent_type,
        session_id=settings.session_id,
    )
    try:
        caller = await app.names.with_stored_name(resolve_caller(credential, claims))
        return Admission(caller, credential, app.names)
    except LongtableError as refusal:
        plain = resolve_caller(credential, Claims(Surface.STDIO))
        return Admission(await app.names.with_stored_name(plain), credential, app.names, refusal)


def _check_names(settings: Settings) -> None:
    for option, name in (("agent", settings.agent), ("agent_type", settings.agent_type)):
        if name is not None and poses_as_person(name):
            raise ConfigError(f"{option}: must not begin with '{HUMAN_PREFIX}', which belongs to people.")
        problem = None if name is None else name_problem(name)
        if problem is not None:
            raise ConfigError(f"{option}: {problem}.")


def _listen_for_signals() -> "asyncio.Task[None]":
    stop_requested = asyncio.Event()

    def stop() -> None:
        if stop_requested.is_set():
            os._exit(1)
        stop_requested.set()

    call_on_stop_signals(stop)

    async def wait() -> None:
        await stop_requested.wait()

    return owned_task(wait())


def _release(app: App) -> None:
    """Ends all waits and subscriptions."""
    app.wakeups.close()
    app.feed.end()


async def _drain(app: App) -> None:
    """Lets calls in flight finish, refuses new ones, and makes the last records durable."""
    _release(app)
    await app.dispatcher.limits.drain(app.settings.shutdown_timeout / SECOND)
    # What is not done by now is stuck, in a store that another process holds for example, and so may closing be.
    with contextlib.suppress(TimeoutError, LongtableError):
        async with asyncio.timeout(CLOSING_SECONDS):
            await app.ledger.flush()
            await _end_background_work(app)
            await app.database.close()
    logger.info("stopped")


async def _end_background_work(app: App) -> None:
    """What goes on after the store is closed would fail, and say so."""
    tasks = list(app.background.alive)
    for task in tasks:
        task.cancel()
    for task in tasks:
        await task.wait()
