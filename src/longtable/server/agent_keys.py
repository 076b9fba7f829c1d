"""What the name of an agent that nobody has named is made of: digits that stay the same for one client.

A connection has its id, and a process its own run. Requests of the stateless revision belong to nothing: a client that
asks what the server is gets a cookie, and those that keep none are told apart by their address."""

import re
from functools import partial
from hashlib import sha256

from starlette.types import Message, Scope, Send

from longtable.kernel.caller import Caller
from longtable.server.admission import Admission
from longtable.server.process_connection import Exchange
from longtable.server.senders import CONNECTION, Context

AGENT_KEY = "longtable.agent_key"
"""Where the scope of a request has the key that was made for its client."""

_COOKIE = "longtable_agent"
_IN_COOKIES = re.compile(rb"(?:^|;)\s*longtable_agent=([0-9a-f]{32})(?:;|$)")
_FIRST_REQUESTS = ("initialize", "server/discover")


async def request_key(scope: Scope) -> str:
    """The key of the client that has sent a request."""
    connection = scope.get(CONNECTION)
    key: str | None = scope.get(AGENT_KEY) if connection is None else connection.row.connection_id
    if key is not None:
        return key
    kept = _IN_COOKIES.search(_cookies(scope))
    if kept is not None:
        return kept[1].decode()
    host, _ = scope.get("client") or ("", 0)
    return sha256(host.encode()).hexdigest()


async def caller_of(admission: Admission, scope: Scope, client_name: str | None) -> Caller:
    """Who has sent a request that is not the first of its client."""
    if admission.is_named:
        return admission.caller
    return await admission.as_declared(client_name, partial(request_key, scope))


async def first_key(ctx: Context, scope: Scope, admission: Admission, client_name: str | None) -> str:
    """The key of a client; one that introduces itself gets a new one."""
    is_known = AGENT_KEY in scope or scope.get(CONNECTION) is not None or _IN_COOKIES.search(_cookies(scope))
    if ctx.method in _FIRST_REQUESTS and not is_known:
        scope[AGENT_KEY] = await admission.new_key(client_name)
    return await request_key(scope)


async def process_key(exchange: Exchange, admission: Admission, client_name: str | None) -> str:
    """The key of a connection that lasts as long as its process."""
    async with exchange.naming:
        if exchange.agent_key is None:
            exchange.agent_key = await admission.new_key(client_name)
    return exchange.agent_key


def _cookies(scope: Scope) -> bytes:
    return b";".join(value for name, value in scope["headers"] if name == b"cookie")


def with_cookie(scope: Scope, send: Send) -> Send:
    """Gives the client a new key to keep, if one was made for it."""

    async def send_with_key(message: Message) -> None:
        if message["type"] == "http.response.start" and AGENT_KEY in scope:
            cookie = f"{_COOKIE}={scope[AGENT_KEY]}; Path=/; HttpOnly; SameSite=Strict"
            message = {**message, "headers": [*message.get("headers", ()), (b"set-cookie", cookie.encode())]}
        await send(message)

    return send_with_key
