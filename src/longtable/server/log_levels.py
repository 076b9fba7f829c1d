"""Which log messages of other servers a client wants."""

import mcp_types as types
from mcp_types import LOG_LEVEL_META_KEY

from longtable.server.process_connection import Exchange
from longtable.server.senders import Context, connection_of, is_modern


def log_level_of(ctx: Context) -> str | None:
    """The lowest level; None when it wants none."""
    if is_modern(ctx):
        level = (ctx.meta or {}).get(LOG_LEVEL_META_KEY)
        return level if isinstance(level, str) else None
    connection = connection_of(ctx)
    if connection is not None:
        return connection.state.log_level
    exchange: Exchange = ctx.lifespan_context
    return exchange.log_level


async def set_log_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    connection = connection_of(ctx)
    if connection is not None:
        await connection.set_log_level(params.level)
    else:
        ctx.lifespan_context.log_level = params.level
    return types.EmptyResult()
