"""Everything that listens on one address: MCP, REST, health, metrics and the console, behind one guard."""

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from longtable import __version__
from longtable.app import App
from longtable.connections.service import Connection
from longtable.console.addresses import OPENED, is_page_request, opened_at
from longtable.console.authorization_pages import AuthorizationPages
from longtable.console.routes import Console
from longtable.console.static import STATIC
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import Forbidden, InvalidArgument, LongtableError, NotFound
from longtable.kernel.tracing import is_recording
from longtable.rest.exports import Exports
from longtable.rest.fixed_routes import STATUS
from longtable.rest.me import WhoAmI
from longtable.rest.openapi import Service
from longtable.rest.replies import refusal
from longtable.rest.routes import ApiDescription, rest_routes
from longtable.rest.stream import EventStreams, StreamAccess
from longtable.server.admission import Admission, Authenticator, authorization_of
from longtable.server.agent_keys import caller_of, first_key, process_key
from longtable.server.compression import Compression
from longtable.server.endpoints import ALIAS, McpEndpoints, Paths
from longtable.server.error_boundary import ErrorBoundary
from longtable.server.fast_path import FastPath
from longtable.server.guard import ADMISSION, CURRENT_SESSION, RECOGNISE, Guard
from longtable.server.handshake import HandshakeEndpoint
from longtable.server.health import Health
from longtable.server.incoming_request import PathRules
from longtable.server.intake import Intake
from longtable.server.large_requests import LargeRequests
from longtable.server.mcp import build_server
from longtable.server.metrics import Metrics
from longtable.server.origin import Origins
from longtable.server.protected_resource import NOT_OFFERED, WELL_KNOWN, ProtectedResource
from longtable.server.senders import Context, MessageSender, client_name
from longtable.server.shared_metrics import SharedMetrics
from longtable.server.streams import ConnectionStreams
from longtable.server.traced_fast_path import TracedFastPath
from longtable.server.upstream_tools import prefix_of
from longtable.server.worker_list import WorkerList
from longtable.settings.options import Settings

_SHOWING = ("GET", "HEAD")
WATCH_SECONDS = 1.0
"""How long a client may take to hear where its stream can be resumed."""

OPEN_PATHS = frozenset({"/health", "/ready"})


def _path_rules(settings: Settings, paths: Paths, console: Console | None) -> PathRules:
    return PathRules(
        surfaces=paths.surfaces,
        sse_messages=paths.sse_messages,
        open=OPEN_PATHS
        | NOT_OFFERED
        | AuthorizationPages.open_paths
        | (console.open_paths if console else frozenset())
        | {settings.metrics_path},
        open_folders=console.open_folders if console else frozenset(),
        well_known=(WELL_KNOWN, settings.http_path + WELL_KNOWN),
        max_request_bytes=settings.max_request_bytes,
    )


class HttpApp:
    """The ASGI application of a server, with its lifecycle. `static` is the folder of the built console."""

    def __init__(
        self,
        app: App,
        server: Server[Any] | None = None,
        static: Path = STATIC,
        has_fast_path: bool = True,
        shared_metrics: SharedMetrics | None = None,
    ) -> None:
        """Unless `has_fast_path`, the SDK also answers plain calls of our own tools: a test compares the two."""
        settings = app.settings
        self.app = app
        self.intake = Intake(settings, app.refusals)
        self.stopping = False
        """Whether every answer is the last one on its connection."""
        workers = WorkerList(shared_metrics.folder, shared_metrics.number) if shared_metrics is not None else None
        self.health = Health(app, workers)
        self.events = EventStreams(app, StreamAccess(admission_of, recognise_again))
        self._metrics = Metrics(app, self.intake, shared_metrics) if settings.enable_metrics else None
        self._console = console = Console(app, static) if settings.enable_console else None
        self._authorization_pages = AuthorizationPages(app)
        self._resource = ProtectedResource.of(app, f"{prefix_of(app)}_")
        authenticator = Authenticator(app)
        paths = mcp_paths(settings)
        server = server or build_server(app, recognise)
        streams = ConnectionStreams(app.feed, app.wakeups, sender_of, getattr(server, "notification_sources", None))
        handshake = HandshakeEndpoint(server, app.connections, streams)
        upstream_tools = getattr(server, "upstream_tools", None)
        fast_path_class = TracedFastPath if is_recording() else FastPath
        fast_path = fast_path_class(app.dispatcher, handshake.under_way, server.server_info_stamp, upstream_tools)
        self.fast_path = fast_path if has_fast_path else None
        self._endpoints = McpEndpoints(
            server, paths, handshake, self._serve_rest, settings.max_request_bytes, self.fast_path
        )
        rules = _path_rules(settings, paths, console)
        large = LargeRequests(settings.large_request_share, app.refusals)
        self._guarded = Guard(self._endpoints, authenticator, Origins.of(settings), rules, large, self._resource)
        self.in_flight = self._guarded.calls
        self.authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") in _SHOWING and self._console is not None and is_page_request(scope):
            scope = {**scope, "path": "/", OPENED: opened_at(scope)}
        await self._guarded(scope, receive, last_on_its_connection(send) if self.stopping else send)

    async def end_streams(self) -> None:
        """Streams end and say where to go on; plain requests are answered as before."""
        await self.events.close()
        self.app.feed.end()
        self._guarded.streams.cut_short()
        await self._guarded.watches.end_within(WATCH_SECONDS)

    async def drain(self, seconds: float) -> None:
        """Turns new requests away, and lets what has begun finish for so long."""
        if not await self.in_flight.drain(seconds):
            self._guarded.calls.cut_short()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        name = self._authorization_pages.cookie_name = await self.app.logins.cookie_name()
        if self._console is not None:
            self._console.cookie_name = self.authenticator.cookie_name = name
        async with self._endpoints.running():
            yield

    async def _serve_rest(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.events.answer(scope) or self._router)(scope, receive, send)

    @cached_property
    def routes(self) -> list[Route]:
        routes = [Route("/health", self._health), Route("/ready", self._ready), Route(STATUS, self._status)]
        if self._metrics is not None:
            routes.append(Route(self.app.settings.metrics_path, self._show_metrics))
        early = [] if self._resource is None else [self._resource.refuse_early]
        routes += rest_routes(self.app.dispatcher, admission_of, *early)
        routes += self.events.routes()
        routes += WhoAmI(self.app, admission_of).routes()
        routes += Exports(self.app, admission_of).routes()
        routes += self._description().routes()
        routes += self._authorization_pages.routes()
        if self._resource is not None:
            routes += self._resource.routes()
        if self._console is not None:
            routes += self._console.routes()
        return routes

    @cached_property
    def _router(self) -> ASGIApp:
        """Made when it is first needed: agents over MCP do without it."""
        return Starlette(
            routes=self.routes,
            # Inside, as Starlette would answer with words of its own before we hear of it.
            middleware=[Middleware(Compression), Middleware(ErrorBoundary)],
            exception_handlers={404: _no_such_path, 405: _wrong_method},
        )

    def _description(self) -> ApiDescription:
        settings = self.app.settings
        service = Service(settings.server_name, __version__, settings.metrics_path if self._metrics else None)
        return ApiDescription(self.app.dispatcher.tools.values(), service)

    async def _health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def _ready(self, request: Request) -> Response:
        if not await self.health.is_ready():
            return JSONResponse({"status": "unavailable"}, 503)
        return JSONResponse({"status": "ok"})

    async def _status(self, request: Request) -> Response:
        caller = admission_of(request).caller
        if caller.role not in (Role.OWNER, Role.LOCAL):
            return refusal(Forbidden(f"The role {caller.role} may not see the status.", allowed=[Role.OWNER]))
        return JSONResponse(await self.health.status(caller.tenant), headers={"Cache-Control": "no-store"})

    async def _show_metrics(self, request: Request) -> Response:
        assert self._metrics is not None
        try:
            await self._may_scrape(request)
        except LongtableError as error:
            return refusal(error)
        text, media_type = await self._metrics.render()
        return Response(text, media_type=media_type)

    async def _may_scrape(self, request: Request) -> None:
        """The scrape token reads metrics and nothing else, so it never becomes an admission."""
        authorization = authorization_of(request.headers)
        if self.app.auth == "off" or self._is_scrape_token(authorization):
            return
        credential = await self.authenticator.identify(
            None if authorization is None else authorization.encode("latin-1")
        )
        if credential.role is not Role.OWNER:
            raise Forbidden("Metrics are for the owner.", hint="Use an owner's token or the scrape token.")

    def _is_scrape_token(self, authorization: str | None) -> bool:
        expected = self.app.settings.scrape_token
        given = (authorization or "").removeprefix("Bearer ").strip()
        return expected is not None and hmac.compare_digest(given.encode(), expected.encode())


def last_on_its_connection(send: Send) -> Send:
    async def closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await send(message)

    return closing


def mcp_paths(settings: Settings) -> Paths:
    """With a slash at the end as well: other servers have their endpoint there, and people type it."""
    paths = {settings.http_path, ALIAS} if settings.enable_http else set()
    return Paths(frozenset(paths | {f"{path}/" for path in paths}), settings.sse_path if settings.enable_sse else None)


async def recognise(ctx: Context) -> MessageSender:
    """The sender of a request, which the guard has put into its scope."""
    assert ctx.request is not None
    scope = ctx.request.scope
    admission: Admission = scope[ADMISSION]
    # A connection of the legacy transport lasts as long as its run of the server.
    current_session = (
        ctx.lifespan_context.current_session if admission.caller.surface is Surface.SSE else scope[CURRENT_SESSION]
    )
    caller = admission.caller if admission.is_named else await _unnamed_caller(ctx, scope, admission)
    return MessageSender(caller, current_session, admission.refusal, scope[RECOGNISE])


async def _unnamed_caller(ctx: Context, scope: Scope, admission: Admission) -> Caller:
    declared = client_name(ctx)
    if admission.caller.surface is Surface.SSE:
        find_key = partial(process_key, ctx.lifespan_context, admission, declared)
    else:
        find_key = partial(first_key, ctx, scope, admission, declared)
    return await admission.as_declared(declared, find_key)


async def sender_of(request: Request, connection: Connection) -> MessageSender:
    """The same for a client that opens the stream of a connection."""
    scope = request.scope
    admission: Admission = scope[ADMISSION]
    caller = await caller_of(admission, scope, connection.row.client.name)
    return MessageSender(caller, scope[CURRENT_SESSION], admission.refusal, scope[RECOGNISE])


def admission_of(request: Request) -> Admission:
    admission: Admission = request.scope[ADMISSION]
    return admission


async def recognise_again(request: Request) -> None:
    """Raises Unauthorized when the sender of a request that lasts is not let in any more."""
    await request.scope[RECOGNISE]()


async def _no_such_path(request: Request, error: Exception) -> Response:
    return refusal(NotFound("There is nothing at this path."))


async def _wrong_method(request: Request, error: Exception) -> Response:
    reply = refusal(InvalidArgument.at("method", f"{request.method} is not possible at this path"))
    reply.status_code = 405
    matching = (each for each in request.app.routes if each.matches(request.scope)[0] is not Match.NONE)
    reply.headers["Allow"] = ", ".join(
        sorted({method for each in matching for method in getattr(each, "methods", None) or ()})
    )
    return reply
