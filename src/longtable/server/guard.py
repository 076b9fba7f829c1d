"""Stands in front of everything that listens: Host, Origin, size, credential, session. In that order."""

import asyncio
import time
from dataclasses import replace
from functools import partial

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from longtable.identity.model import Credential
from longtable.identity.resolve import LOCAL
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Surface
from longtable.kernel.delivery import DELIVERY, Delivery
from longtable.kernel.errors import Forbidden, InvalidArgument, LongtableError, ShuttingDown
from longtable.rest.replies import refusal
from longtable.server.admission import (
    IDENTITY_HEADERS,
    IN_ADDRESS,
    Admission,
    Authenticator,
    IdentityHeaders,
    current_session_of,
)
from longtable.server.body import OPEN_BYTES, announced_size
from longtable.server.error_boundary import failure_response
from longtable.server.incoming_request import CSRF_SAFE, DISCOVER, IncomingRequest, PathRules
from longtable.server.intake import LOCAL_OWNER
from longtable.server.large_requests import LARGE_BODY, UNANNOUNCED_BYTES, LargeRequests, metered
from longtable.server.origin import Origins
from longtable.server.protected_resource import ProtectedResource
from longtable.server.replies import rpc_error
from longtable.server.running_responses import RunningResponse, RunningResponses
from longtable.server.senders import CONNECTION, CREDENTIAL

ADMISSION = "longtable.admission"
CURRENT_SESSION = "longtable.current_session"
RECOGNISE = "longtable.recognise"
MAX_PARAMETERS = 1_000
_MCP = (Surface.HTTP, Surface.SSE)


class Guard:
    """Sets the admission and the current session in the scope of every request that it lets through. `resource` tells
    those that it does not let through where they sign in."""

    def __init__(
        self,
        app: ASGIApp,
        authenticator: Authenticator,
        origins: Origins,
        paths: PathRules,
        large: LargeRequests,
        resource: ProtectedResource | None = None,
    ) -> None:
        self._app = app
        self._resource = resource
        self._authenticator = authenticator
        self._origins = origins
        self._paths = paths
        self._large = large
        self.calls = RunningResponses()
        self.streams = RunningResponses()
        self.watches = RunningResponses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = IncomingRequest(scope, receive, self._paths)
        response = RunningResponse(send)
        # Until it is known to open a stream, which is not waited for when the server stops.
        self.calls.under_way.add(response)
        try:
            refusal = await self._refusal(request)
            if refusal is not None:
                await refusal(scope, receive, response.send)
            elif request.opens_stream:
                await self._stream(request, response, receive)
            else:
                await self._call(request, response, receive)
        except asyncio.CancelledError:
            if not response.caused_cancellation():
                raise
            await self._end(request, response)
        except Exception as problem:  # whatever it is, it is answered and logged
            if response.is_started:
                raise
            await failure_response(problem, scope)(scope, receive, send)
        finally:
            self.calls.end(response)

    async def _call(self, request: IncomingRequest, response: RunningResponse, after_body: Receive) -> None:
        response.delivery = delivery = Delivery(request.lasting_connection, request.peer)
        self.calls.follow_client(response, request.peer, after_body)
        before = DELIVERY.set(delivery)
        try:
            work = self._app(request.scope, request.receive, response.send)
            await (work if request.account is None else metered(work, request.account))
        finally:
            DELIVERY.reset(before)
            if request.peer is not None:
                request.peer.on_lost = None

    async def _stream(self, request: IncomingRequest, response: RunningResponse, after_body: Receive) -> None:
        self.calls.end(response)
        streams = self.watches if request.watches else self.streams
        streams.under_way.add(response)
        if request.ends_with_client:
            streams.follow_client(response, request.peer, after_body)
        try:
            await self._app(request.scope, request.receive, response.send)
        finally:
            streams.end(response)
            if request.peer is not None:
                request.peer.on_lost = None

    async def _end(self, request: IncomingRequest, response: RunningResponse) -> None:
        """The work was cancelled: the client has gone, or the server stops."""
        if response.is_abandoned:
            return
        if response.is_started:
            await response.finish()
        else:
            stopped = ShuttingDown("The server stopped before this was done.", hint="Look whether it took effect.")
            await (await self._reply(request, stopped))(request.scope, request.receive, response.send)

    async def _refusal(self, request: IncomingRequest) -> Response | None:
        try:
            host, origin = request.headers.get(b"host"), request.headers.get(b"origin")
            if request.surface is Surface.REST and self._paths.is_well_known(request.path):
                # Read by pages of any site, and the same for all.
                origin = None
            if (host, origin) not in self._origins.known:
                self._origins.require(host, origin)
            if request.headers[b"host"].lower() == self._origins.https_host:
                request.scope["scheme"] = "https"
            # Counted before it is parsed, and again for every part that asks for it.
            if request.scope["query_string"].count(b"&") >= MAX_PARAMETERS:
                raise InvalidArgument.at("query", f"must have at most {MAX_PARAMETERS} parameters")
            if self.calls.draining:
                raise ShuttingDown("The server is shutting down.", hint="Try again in a moment.")
            if request.surface is Surface.REST and self._paths.is_open(request.path):
                await request.load(min(OPEN_BYTES, self._paths.max_request_bytes))
            else:
                await self._admit(request)
        except LongtableError as error:
            return await self._reply(request, error)
        return None

    async def _admit(self, request: IncomingRequest) -> None:
        credential = await self._identify(request)
        owner = LOCAL_OWNER if credential is LOCAL else credential.key
        # From here on its body may be read as that of a known sender.
        request.admitted = True
        if request.peer is not None:
            request.peer.admit(owner)
        if owner != self._large.latest:
            self._large.saw(owner)
        is_read = request.method not in CSRF_SAFE
        size = announced_size(request.headers, self._paths.max_request_bytes) if is_read else 0
        if size is None or size >= LARGE_BODY:
            await self._wait_for_turn(request, credential, size)
        request.scope[CREDENTIAL] = credential
        taking_in = self._take_in(request, credential)
        await (taking_in if request.account is None else metered(taking_in, request.account))

    async def _take_in(self, request: IncomingRequest, credential: Credential) -> None:
        scope = request.scope
        scope[RECOGNISE] = partial(self._recognise, request)
        scope[CURRENT_SESSION] = CurrentSession(lasting=False)
        if request.connection_id is not None:
            scope[CONNECTION] = connection = await self._authenticator.connection(request.connection_id, credential)
            if connection is not None:
                scope[CURRENT_SESSION] = current_session_of(connection)
        await request.load(self._paths.max_request_bytes)
        if request.account is None:
            request.decode()
        else:
            request.settle_size()
            self._decode_large(request)
        try:
            admission = await self._admission(request, credential)
            if self._resource is not None and request.surface in _MCP and credential.scope_ceiling is not None:
                self._resource.require_scope(credential, request.message)
        except LongtableError as error:
            await self._authenticator.record(error, credential, request.surface, request.message)
            raise
        scope[ADMISSION] = replace(admission, signed_in=request.signed_in) if request.signed_in else admission

    async def _wait_for_turn(self, request: IncomingRequest, credential: Credential, size: int | None) -> None:
        try:
            request.paid_bytes = UNANNOUNCED_BYTES if size is None else size
            request.account = await self._large.turn(credential.tenant, request.paid_bytes)
        except LongtableError:
            request.leave_body()
            raise

    def _decode_large(self, request: IncomingRequest) -> None:
        began = time.thread_time()
        try:
            request.decode()
        finally:
            if request.account is not None:
                # The application looks at all of it again, some of it in tasks of its own.
                request.account.charge(time.thread_time() - began)

    async def _identify(self, request: IncomingRequest) -> Credential:
        """A bearer, or a person who has signed in to the console: their browser sends the cookie by itself, so
        that a change also needs our own Origin and a token that only our page knows."""
        if request.is_repetitive:
            request.require_once("Authorization")
        cookie = request.cookie(self._authenticator.cookie_name) if request.surface is Surface.REST else None
        if cookie is None or b"authorization" in request.headers:
            return await self._authenticator.identify(request.headers.get(b"authorization"))
        signed_in = await self._authenticator.identify_login(cookie)
        if request.method not in CSRF_SAFE and not request.is_from_own_page(signed_in.csrf):
            raise Forbidden("A change from the console needs its own Origin and its CSRF token.")
        request.surface = Surface.CONSOLE
        request.signed_in = signed_in
        return signed_in.login.credential

    async def _recognise(self, request: IncomingRequest) -> None:
        """Raises Unauthorized once the credential of a request that lasts does not count any more."""
        if request.surface is Surface.CONSOLE:
            await self._authenticator.identify_login(request.cookie(self._authenticator.cookie_name) or "")
        else:
            await self._authenticator.identify(request.headers.get(b"authorization"))

    async def _admission(self, request: IncomingRequest, credential: Credential) -> Admission:
        surface, headers, scope = request.surface, request.headers, request.scope
        query: bytes = scope["query_string"]
        identity = IdentityHeaders(
            headers.get(b"x-caller-agent"),
            headers.get(b"x-agent-type"),
            headers.get(b"x-session-id"),
            query if IN_ADDRESS in query else b"",
            request.repeated(IDENTITY_HEADERS) if request.is_repetitive else None,
        )
        # Let through, so that a client gets far enough to show what its next request is refused for.
        discovers = headers.get(b"mcp-method") == DISCOVER and request.discovers
        if discovers or request.path == self._paths.sse_messages:
            return await self._authenticator.admit_late(credential, surface, identity)
        admission = await self._authenticator.admit(credential, surface, identity, request.method not in CSRF_SAFE)
        has_unknown_connection = CONNECTION in scope and scope[CONNECTION] is None
        if surface is Surface.HTTP and admission.caller.session_id is None and not has_unknown_connection:
            self._authenticator.require_session(scope[CURRENT_SESSION], request.message)
        return admission

    async def _reply(self, request: IncomingRequest, error: LongtableError) -> Response:
        if request.surface in (Surface.REST, Surface.CONSOLE):
            response = refusal(error)
        else:
            limit = self._paths.max_request_bytes
            body = await request.body_for_id(limit if request.admitted else min(OPEN_BYTES, limit))
            response = rpc_error(error, body, request.refused_as)
        if self._resource is not None:
            response.headers.update(self._resource.challenge(error, b"authorization" in request.headers))
        return response
