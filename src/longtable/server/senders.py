"""Who sends a message over MCP, whatever it asks for; and how it is refused."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from longtable.connections.service import Connection
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller
from longtable.kernel.errors import InvalidArgument, LongtableError, NotFound, SessionNotFound
from longtable.kernel.page import unknown_cursor
from longtable.server.replies import REFUSED
from longtable.server.table_app.page import shows_apps

RESOURCE_NOT_FOUND = -32_002
"""Until revision 2025-11-25; the later ones retired it."""


@dataclass(frozen=True, slots=True)
class MessageSender:
    """Who sends a message, and the place they have taken. `recheck` raises Unauthorized once their credential
    counts no more; a stream asks it again and again."""

    caller: Caller
    current_session: CurrentSession
    refusal: LongtableError | None = None
    recheck: Callable[[], Awaitable[None]] | None = None

    @property
    def caller_in_session(self) -> Caller:
        """In the session that the caller has, if it has one; it is not checked."""
        session_id = self.caller.session_id or self.current_session.session_id
        return self.caller if session_id is None else self.caller.inside(session_id)


CONNECTION = "longtable.connection"
"""Where the scope of a request of a revision with a handshake has its connection: None for an id that is not ours."""

CREDENTIAL = "longtable.credential"
Context = ServerRequestContext[Any, Any]
Recognise = Callable[[Context], Awaitable[MessageSender]]


def client_name(ctx: Context) -> str | None:
    declared = ctx.session.client_params
    if declared is not None:
        return declared.client_info.name
    # Nothing is kept of an `initialize` before it is answered.
    info = (ctx.params or {}).get("clientInfo") if ctx.method == "initialize" else None
    name = info.get("name") if isinstance(info, Mapping) else None
    return name if isinstance(name, str) else None


def connection_of(ctx: Context) -> Connection | None:
    """The connection that outlasts its process, where the transport and the revision have one."""
    return ctx.request.scope.get(CONNECTION) if ctx.request is not None else None


def can_show_apps(ctx: Context) -> bool:
    """Whether the client has declared that it shows the pages of servers."""
    declared = ctx.session.client_capabilities
    return declared is not None and shows_apps({"extensions": declared.extensions})


def is_modern(ctx: Context) -> bool:
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def refused(error: LongtableError) -> MCPError:
    return MCPError(REFUSED, error.message, _data(error))


def wrong_parameters(error: LongtableError) -> MCPError:
    """For a request whose parameters name what there is not, or lack what they need."""
    return MCPError(types.INVALID_PARAMS, error.message, _data(error))


def check_single_page(params: types.PaginatedRequestParams | None) -> None:
    """For a list that has one page: no cursor can come from it."""
    if params is not None and params.cursor:
        raise wrong_parameters(unknown_cursor())


def unreadable(ctx: Context, error: LongtableError) -> MCPError:
    """Why a resource cannot be had: in the protocol's own words where it has some."""
    if isinstance(error, InvalidArgument):
        return wrong_parameters(error)
    if not isinstance(error, NotFound | SessionNotFound):
        return refused(error)
    code = types.INVALID_PARAMS if is_modern(ctx) else RESOURCE_NOT_FOUND
    return MCPError(code, error.message, _data(error))


def _data(error: LongtableError) -> dict[str, Any]:
    return {"code": error.code, "details": error.details}
