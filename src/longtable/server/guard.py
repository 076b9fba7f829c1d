"""Stands in front of everything that listens: Host, Origin, size, credential, session. In that order."""

import asyncio
import hmac
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from longtable.identity.model import Credential
from longtable.identity.resolve import LOCAL
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Surface
from longtable.kernel.delivery import Delivery
from longtable.kernel.errors import Forbidden, InvalidArgument, LongtableError, PayloadTooLarge, ShuttingDown
from longtable.kernel.in_flight import InFlight
from longtable.kernel.json_text import CHUNK_BYTES, JsonBounds, decode, has_more_nodes, is_clearly_within
from longtable.rest.replies import refusal
from longtable.rest.stream import is_event_stream
from longtable.server.admission import Admission, Authenticator, SignedInLogin, authorization_of, current_session_of
from longtable.server.body import BODY, MESSAGE, OPEN_BYTES, announced_size, read_body, replayed
from longtable.server.disconnects import WhileConnected
from longtable.server.headers import IndexedHeaders
from longtable.server.intake import LOCAL_OWNER, peer_of
from longtable.server.large_requests import LARGE_BODY, UNANNOUNCED_BYTES, CpuAccount, LargeRequests, metered
from longtable.server.origin import Origins
from longtable.server.replies import PARSE_ERROR, REFUSED, rpc_error
from longtable.server.running_responses import RunningResponses
from longtable.server.senders import CONNECTION, CREDENTIAL
from longtable.server.subscriptions import WATCH

ADMISSION = "longtable.admission"
CURRENT_SESSION = "longtable.current_session"
RECOGNISE = "longtable.recognise"
WATCHES = (WATCH, "subscriptions/listen")
MAX_PARAMETERS = 1_000
MAX_MESSAGE_NODES = 10_000
CSRF_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True, slots=True)
class PathRules:
    """Which paths are MCP endpoints, and of which transport. Open paths need no credential, nor does what lies
    directly in an open folder, whose name ends with a slash."""

    streamable: frozenset[str]
    sse: str | None
    sse_messages: str | None
    open: frozenset[str]
    open_folders: frozenset[str]
    max_request_bytes: int

    def is_open(self, path: str) -> bool:
        folder, slash, _ = path.rpartition("/")
        return path in self.open or folder + slash in self.open_folders

    def surface(self, path: str) -> Surface:
        if path in self.streamable:
            return Surface.HTTP
        return Surface.SSE if path in (self.sse, self.sse_messages) else Surface.REST


@dataclass(frozen=True, slots=True)
class Traffic:
    """What is under way in the process, and who may have how much of its time."""

    in_flight: InFlight
    large: LargeRequests


class Guard:
    """Sets the admission and the current session in the scope of every request that it lets through."""

    def __init__(
        self, app: ASGIApp, authenticator: Authenticator, origins: Origins, doors: PathRules, traffic: Traffic
    ) -> None:
        self._app = app
        self._authenticator = authenticator
        self._origins = origins
        self._doors = doors
        self._in_flight = traffic.in_flight
        self._large = traffic.large
        self.calls = RunningResponses()
        self.streams = RunningResponses()
        self.watches = RunningResponses()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # Blanks around a value are not part of it (RFC 9110); not every parser takes them away.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        request = _IncomingRequest(scope, receive, self._doors)
        delivery = Delivery(request.protocol_connection, peer_of(scope))
        with self._in_flight:
            refusal = await self._refusal(request)
            if refusal is not None:
                await refusal(scope, receive, send)
                return
            if not request.opens_stream:
                work = self._answer(request, WhileConnected(self._app, delivery, receive), self.calls, send)
                await request.charged(work)
                return
        await self._answer(request, self._app, self.watches if request.watches else self.streams, send)

    async def _answer(self, request: "_IncomingRequest", app: ASGIApp, answers: RunningResponses, send: Send) -> None:
        if not await answers.give(app, request.scope, request.receive, send):
            stopped = ShuttingDown("The server stopped before this was done.", hint="Look whether it took effect.")
            await (await self._reply(request, stopped))(request.scope, request.receive, send)

    async def _refusal(self, request: "_IncomingRequest") -> Response | None:
        try:
            self._check_origin(request)
            _check_query(request.scope)
            if self._in_flight.draining:
                raise ShuttingDown("The server is shutting down.", hint="Try again in a moment.")
            if self._doors.is_open(request.path):
                await request.load(min(OPEN_BYTES, self._doors.max_request_bytes))
            else:
                await self._admit(request)
        except LongtableError as error:
            return await self._reply(request, error)
        return None

    def _check_origin(self, request: "_IncomingRequest") -> None:
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if not self._origins.allows_host(host):
            raise Forbidden("This Host is not served here.", hint="Set allowed_hosts to serve it.")
        if not self._origins.allows_origin(origin, host):
            raise Forbidden("This Origin may not call.", hint="Set allowed_origins to let it.")

    async def _admit(self, request: "_IncomingRequest") -> None:
        credential = await self._identify(request)
        request.admit(credential)
        await self._wait_for_turn(request, credential)
        await request.charged(self._take_in(request, credential))

    async def _take_in(self, request: "_IncomingRequest", credential: Credential) -> None:
        request.scope["user"] = _sdk_user(credential)
        request.scope[RECOGNISE] = partial(self._recognise, request)
        request.scope[CURRENT_SESSION] = await self._current_session(request, credential)
        await request.load(self._doors.max_request_bytes)
        request.settle_size()
        self._decode(request)
        admission = await self._admission(request, credential)
        request.scope[ADMISSION] = replace(admission, signed_in=request.signed_in) if request.signed_in else admission

    async def _wait_for_turn(self, request: "_IncomingRequest", credential: Credential) -> None:
        self._large.saw(credential.key)
        size = announced_size(request.headers)
        if size is not None and size < LARGE_BODY:
            return
        try:
            request.paid_bytes = UNANNOUNCED_BYTES if size is None else size
            request.account = await self._large.turn(credential.tenant, request.paid_bytes)
        except LongtableError:
            request.leave_body()
            raise

    def _decode(self, request: "_IncomingRequest") -> None:
        began = time.thread_time() if request.account is not None else 0.0
        try:
            request.decode()
        finally:
            if request.account is not None:
                # Whoever answers looks at all of it again, some of them in tasks of their own.
                request.account.charge(time.thread_time() - began)

    async def _current_session(self, request: "_IncomingRequest", credential: Credential) -> CurrentSession:
        """That of the connection, which is left in the scope for whoever answers the request."""
        request.scope[CREDENTIAL] = credential
        connection_id = request.connection_id
        if connection_id is None:
            return CurrentSession(lasting=False)
        connection = request.scope[CONNECTION] = await self._authenticator.connection(connection_id, credential)
        return CurrentSession(lasting=False) if connection is None else current_session_of(connection)

    async def _identify(self, request: "_IncomingRequest") -> Credential:
        """A bearer, or a person who has signed in to the console: their browser sends the cookie by itself, so
        that a change also needs our own Origin and a token that only our page knows."""
        authorization = authorization_of(request.headers)
        cookie = request.cookie(self._authenticator.cookie_name)
        if authorization is not None or cookie is None or request.surface is not Surface.REST:
            return await self._authenticator.identify(authorization)
        signed_in = await self._authenticator.identify_login(cookie)
        if request.method not in CSRF_SAFE and not request.is_from_own_page(signed_in.csrf):
            raise Forbidden("A change from the console needs its own Origin and its CSRF token.")
        request.surface = Surface.CONSOLE
        request.signed_in = signed_in
        return signed_in.login.credential

    async def _recognise(self, request: "_IncomingRequest") -> None:
        """Raises Unauthorized once the credential of a request that lasts does not count any more."""
        if request.surface is Surface.CONSOLE:
            await self._authenticator.identify_login(request.cookie(self._authenticator.cookie_name) or "")
        else:
            await self._authenticator.identify(request.headers.get("authorization"))

    async def _admission(self, request: "_IncomingRequest", credential: Credential) -> Admission:
        headers, surface = request.headers, request.surface
        if request.path == self._doors.sse_messages:
            return await self._authenticator.admit_late(credential, surface, headers)
        if headers.get("mcp-method") == "server/discover" and surface is Surface.HTTP:
            # Let through, so that a client gets far enough to show what its next request is refused for.
            return await self._authenticator.admit_late(credential, surface, headers)
        to_change = request.method not in CSRF_SAFE
        admission = await self._authenticator.admit(credential, surface, headers, to_change)
        if request.has_unknown_connection:
            return admission
        if surface is Surface.HTTP and self._authenticator.lacks_session(admission, request.scope[CURRENT_SESSION]):
            self._authenticator.require_session(request.message)
        return admission

    async def _reply(self, request: "_IncomingRequest", error: LongtableError) -> Response:
        if request.surface in (Surface.REST, Surface.CONSOLE):
            return refusal(error)
        limit = self._doors.max_request_bytes
        body = await request.body_for_id(limit if request.admitted else min(OPEN_BYTES, limit))
        return rpc_error(error, body, request.refused_as)


class _IncomingRequest:
    """A request on its way in."""

    def __init__(self, scope: Scope, receive: Receive, doors: PathRules) -> None:
        self.scope = scope
        self.receive = receive
        self.headers = IndexedHeaders(scope["headers"])
        self.path: str = scope["path"]
        self.method: str = scope["method"]
        self.surface = doors.surface(self.path)
        self.signed_in: SignedInLogin | None = None
        self.admitted = False
        self.refused_as = REFUSED
        self._peer = peer_of(scope)
        self._doors = doors
        self._body: bytes | None = None
        self._colons: int | None = None
        self.account: CpuAccount | None = None
        """Where the work for it is charged, if it is large."""
        self.paid_bytes = 0

    def admit(self, credential: Credential) -> None:
        """Its body may be read as that of somebody known."""
        self.admitted = True
        if self._peer is not None:
            self._peer.admit(LOCAL_OWNER if credential is LOCAL else credential.key)

    @property
    def connection_id(self) -> str | None:
        """Requests of the stateless revision ignore the header."""
        if self.surface is not Surface.HTTP:
            return None
        version = self.headers.get("mcp-protocol-version")
        has_handshake = version is None or version in HANDSHAKE_PROTOCOL_VERSIONS
        return self.headers.get("mcp-session-id") if has_handshake else None

    @property
    def has_unknown_connection(self) -> bool:
        return CONNECTION in self.scope and self.scope[CONNECTION] is None

    @property
    def protocol_connection(self) -> str:
        """The id of the connection that later requests go on with; '' where the protocol has none."""
        if self.path == self._doors.sse_messages:
            return str(self.scope.get("query_string", b""), "latin-1")
        return self.connection_id or ""

    def cookie(self, name: str) -> str | None:
        sent = self.headers.get("cookie")
        return cookie_parser(sent).get(name) if name and sent else None

    def is_from_own_page(self, csrf: str) -> bool:
        own = f"{self.scope['scheme']}://{self.headers.get('host')}"
        given = self.headers.get("x-csrf-token", "")
        return self.headers.get("origin") == own and hmac.compare_digest(given.encode(), csrf.encode())

    @property
    def opens_stream(self) -> bool:
        over_mcp = self.surface in (Surface.HTTP, Surface.SSE)
        return self.watches or (self.method == "GET" and (over_mcp or is_event_stream(self.path)))

    @property
    def watches(self) -> bool:
        """Whether its answer is a stream that ends with the feed, and with words about where to go on."""
        return self.surface is Surface.HTTP and self.headers.get("mcp-method") in WATCHES

    @property
    def message(self) -> Any:
        """The body as JSON; None for what is none: the SDK has the better words for that."""
        return self.scope.get(MESSAGE)

    async def load(self, limit: int) -> None:
        """Reads the body, once. Raises what `read_body` does, and PayloadTooLarge for what holds too much."""
        if self._body is None and self.method not in CSRF_SAFE:
            # Empty until it was read whole: what is too large is not read a second time.
            self._body = b""
            if self._peer is not None and not self.admitted:
                self._peer.stay_stranger()
            body = await read_body(self.headers, self.receive, limit, self._peer)
            if not is_clearly_within(body):
                await self._count(body)
            self.scope[BODY] = self._body = body
            self.receive = replayed(body, self.receive)

    def charged(self, work: Coroutine[Any, Any, None]) -> Coroutine[Any, Any, None]:
        return work if self.account is None else metered(work, self.account)

    def settle_size(self) -> None:
        """A body that did not say its size, and turned out to be small, costs what any other does."""
        if self.account is not None and len(self._body or b"") < LARGE_BODY:
            self.account.give_back(self.paid_bytes)
            self.account = None

    def leave_body(self) -> None:
        """It is not read, not even to find the id of the request."""
        self._body = b""

    async def _count(self, body: bytes) -> None:
        bounds = JsonBounds()
        for start in range(0, len(body), CHUNK_BYTES):
            bounds.add(body[start : start + CHUNK_BYTES])
            await asyncio.sleep(0)
        bounds.end()
        self._colons = bounds.colons

    def decode(self) -> None:
        """Leaves the message of an MCP endpoint in the scope. Raises InvalidArgument for ambiguous JSON."""
        if self._body is None or self.surface not in (Surface.HTTP, Surface.SSE):
            return
        try:
            message = decode(self._body, self._colons)
            if self._colons is not None:
                _check_message(message)
            self.scope[MESSAGE] = message
        except ValueError:
            self.scope[MESSAGE] = None
        except InvalidArgument:
            self.refused_as = PARSE_ERROR
            raise

    async def body_for_id(self, limit: int) -> bytes | None:
        """The body as far as it may be read: a refusal carries the id of the request that it answers."""
        try:
            await self.load(limit)
        except LongtableError:
            return None
        return self._body


def _check_message(message: Any) -> None:
    """The SDK looks at every part of it, some several times; the arguments of a call are looked at by its tool."""
    params = message.get("params") if isinstance(message, dict) else None
    if isinstance(params, dict):
        message = {**message, "params": {name: value for name, value in params.items() if name != "arguments"}}
    if has_more_nodes(message, MAX_MESSAGE_NODES):
        words = f"A message has at most {MAX_MESSAGE_NODES} values besides the arguments of its call."
        raise PayloadTooLarge(words, limit=MAX_MESSAGE_NODES, of="nodes")


def _check_query(scope: Scope) -> None:
    """Counted before it is parsed, and again for every part that asks for it."""
    if scope["query_string"].count(b"&") >= MAX_PARAMETERS:
        raise InvalidArgument.at("query", f"must have at most {MAX_PARAMETERS} parameters")


def _sdk_user(credential: Credential) -> AuthenticatedUser:
    """Makes the SDK tie a protocol session to the credential that opened it."""
    return _user(credential.key)


@lru_cache(maxsize=1_000)
def _user(identity: str) -> AuthenticatedUser:
    return AuthenticatedUser(AccessToken(token="", client_id=identity, scopes=[]))
