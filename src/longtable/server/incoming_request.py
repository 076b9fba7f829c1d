"""A request on its way in: its headers by name, its body read once and never more than is allowed."""

import asyncio
import hmac
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import cookie_parser
from starlette.types import Message, Receive, Scope

from longtable.kernel.caller import Surface
from longtable.kernel.errors import InvalidArgument, LongtableError, PayloadTooLarge
from longtable.kernel.json_text import CHUNK_BYTES, JsonBounds, decode, has_more_nodes, is_clearly_within
from longtable.rest.stream import is_event_stream
from longtable.server.admission import SignedInLogin
from longtable.server.body import BODY, MESSAGE, announced_size, read_body
from longtable.server.intake import PEER, Peer
from longtable.server.large_requests import LARGE_BODY, CpuAccount
from longtable.server.notifications import WATCH
from longtable.server.replies import PARSE_ERROR, REFUSED

HEADERS = "longtable.headers"
"""Where the scope of a request has its headers by name; None if one of them is repeated."""
WATCHES = (WATCH.encode(), b"subscriptions/listen")
DISCOVER = b"server/discover"
MAX_MESSAGE_NODES = 10_000
CSRF_SAFE = ("GET", "HEAD", "OPTIONS")
_HANDSHAKE = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)
_OLDEST = HANDSHAKE_PROTOCOL_VERSIONS[0].encode()


@dataclass(frozen=True, slots=True)
class PathRules:
    """Which paths are MCP endpoints, and of which transport; all others are REST. Open paths need no credential, nor
    does what lies directly in an open folder, whose name ends with a slash, nor what is `well_known` (RFC 8615), where
    clients look for more than there is."""

    surfaces: dict[str, Surface]
    sse_messages: str | None
    open: frozenset[str]
    open_folders: frozenset[str]
    well_known: tuple[str, ...]
    max_request_bytes: int

    def is_open(self, path: str) -> bool:
        folder, slash, _ = path.rpartition("/")
        return path in self.open or folder + slash in self.open_folders or self.is_well_known(path)

    def is_well_known(self, path: str) -> bool:
        return path.startswith(self.well_known)


class IncomingRequest:
    """`headers` have the first value of each name. `connection_id` is None where the protocol revision has none;
    `lasting_connection` names what later requests go on with, '' where nothing lasts.
    `account` is charged for the work, if the request is large."""

    __slots__ = (
        "_body",
        "_colons",
        "_is_unread",
        "_receive",
        "account",
        "admitted",
        "connection_id",
        "headers",
        "is_repetitive",
        "lasting_connection",
        "method",
        "paid_bytes",
        "path",
        "peer",
        "refused_as",
        "scope",
        "signed_in",
        "surface",
    )

    def __init__(self, scope: Scope, receive: Receive, paths: PathRules) -> None:
        # Blanks around a value are not part of it (RFC 9110); not every parser takes them away.
        raw = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        if raw == scope["headers"]:
            raw = scope["headers"]
        scope["headers"] = raw
        headers: dict[bytes, bytes] = dict(raw)
        self.is_repetitive = len(headers) != len(raw)
        self.headers = dict(reversed(raw)) if self.is_repetitive else headers
        scope[HEADERS] = None if self.is_repetitive else headers
        self.scope = scope
        self._receive = receive
        self.path: str = scope["path"]
        self.method: str = scope["method"]
        self.surface = paths.surfaces.get(self.path, Surface.REST)
        # Requests of the stateless revision ignore the header.
        version = self.headers.get(b"mcp-protocol-version", _OLDEST)
        with_connection = self.surface is Surface.HTTP and version in _HANDSHAKE
        self.connection_id = self.text(b"mcp-session-id") if with_connection else None
        self.lasting_connection = self.connection_id or ""
        if self.surface is Surface.SSE:
            self.lasting_connection = scope.get("query_string", b"").decode("latin-1")
        self.peer: Peer | None = scope.get(PEER)
        self.signed_in: SignedInLogin | None = None
        self.admitted = False
        self.refused_as = REFUSED
        self._body: bytes | None = None
        self._is_unread = False
        self._colons: int | None = None
        self.account: CpuAccount | None = None
        self.paid_bytes = 0

    def text(self, header: bytes) -> str | None:
        value = self.headers.get(header)
        return None if value is None else value.decode("latin-1")

    def repeated(self, headers: Iterable[str]) -> str | None:
        """The first of these that is there twice: a proxy may look at the one and we at the other."""
        counts = Counter(name for name, _ in self.scope["headers"])
        return next((header for header in headers if counts[header.lower().encode()] > 1), None)

    def require_once(self, header: str) -> None:
        """Raises InvalidArgument."""
        if self.repeated([header]) is not None:
            raise InvalidArgument.at(header, "must be given once")

    def cookie(self, name: str) -> str | None:
        sent = self.text(b"cookie")
        return cookie_parser(sent).get(name) if name and sent else None

    def is_from_own_page(self, csrf: str) -> bool:
        own = f"{self.scope['scheme']}://{self.text(b'host')}"
        token = self.headers.get(b"x-csrf-token", b"")
        return self.text(b"origin") == own and hmac.compare_digest(token, csrf.encode())

    @property
    def opens_stream(self) -> bool:
        if self.method != "GET":
            return self.surface is Surface.HTTP and self.headers.get(b"mcp-method") in WATCHES
        return self.surface in (Surface.HTTP, Surface.SSE) or is_event_stream(self.path)

    @property
    def ends_with_client(self) -> bool:
        """Whether its response is a stream of ours. The SDK ends its own."""
        return self.method == "GET" and self.surface is not Surface.SSE

    @property
    def watches(self) -> bool:
        """Whether its response is a stream that ends with the feed, and says where to go on."""
        return self.surface is Surface.HTTP and self.headers.get(b"mcp-method") in WATCHES

    @property
    def discovers(self) -> bool:
        """Whether its body asks what the server is. A header alone says nothing: older revisions don't look at it."""
        if self.surface is not Surface.HTTP or not isinstance(self.message, dict):
            return False
        return self.message.get("method") == DISCOVER.decode()

    @property
    def message(self) -> Any:
        """The body as JSON; None for what is none: the SDK has the better words for that."""
        return self.scope.get(MESSAGE)

    async def load(self, limit: int) -> None:
        """Reads the body, once. Raises what `read_body` does, and PayloadTooLarge for what holds too much."""
        if self._body is None and self.method not in CSRF_SAFE:
            # Empty until it was read whole: what is too large is not read a second time.
            self._body = b""
            if self.peer is not None and not self.admitted:
                self.peer.stay_anonymous()
            announced_size(self.headers, limit)
            body = await read_body(self._receive, limit, self.peer)
            if not is_clearly_within(body):
                await self._count(body)
            self.scope[BODY] = self._body = body
            self._is_unread = True

    async def receive(self) -> Message:
        """For the application: the body again, as if nothing had been read."""
        if self._is_unread:
            self._is_unread = False
            return {"type": "http.request", "body": self._body, "more_body": False}
        return await self._receive()

    def settle_size(self) -> None:
        """A body that did not say its size, and turned out to be small, costs what any other does."""
        if self.account is not None and len(self._body or b"") < LARGE_BODY:
            self.account.give_back(self.paid_bytes)
            self.account = None

    def leave_body(self) -> None:
        """It is not read, not even to find the id of the request."""
        self._body = b""

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

    async def _count(self, body: bytes) -> None:
        bounds = JsonBounds()
        for start in range(0, len(body), CHUNK_BYTES):
            bounds.add(body[start : start + CHUNK_BYTES])
            await asyncio.sleep(0)
        bounds.end()
        self._colons = bounds.colons


def _check_message(message: Any) -> None:
    """The SDK looks at every part of it, some several times; the arguments of a call are looked at by its tool."""
    params = message.get("params") if isinstance(message, dict) else None
    if isinstance(params, dict):
        message = {**message, "params": {name: value for name, value in params.items() if name != "arguments"}}
    if has_more_nodes(message, MAX_MESSAGE_NODES):
        words = f"A message has at most {MAX_MESSAGE_NODES} values besides the arguments of its call."
        raise PayloadTooLarge(words, limit=MAX_MESSAGE_NODES, of="nodes")
