"""Resources, prompts and completion of other servers over MCP: listed after our own, answered under the rules of the
gateway."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import mcp_types as types

from longtable.app import App
from longtable.kernel.errors import LongtableError
from longtable.server.client_channel import McpClientChannel
from longtable.server.senders import Context, MessageSender, Recognise, unreadable
from longtable.server.upstream_tools import placed

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway


class UpstreamRequestHandlers:
    """What is behind the gateway is made when it is first asked for."""

    def __init__(self, app: App, recognise: Recognise) -> None:
        self._app = app
        self._recognise = recognise

    @property
    def _gateway(self) -> "Gateway":
        return self._app.slices.gateway

    async def resources(self, sender: MessageSender) -> list[dict[str, Any]]:
        return await self._gateway.resources.listed(sender.caller_in_session)

    async def templates(self, sender: MessageSender) -> list[dict[str, Any]]:
        return await self._gateway.resources.templates(sender.caller_in_session)

    async def read(self, ctx: Context, sender: MessageSender, uri: str) -> types.ReadResourceResult:
        """Raises LongtableError."""
        with self._app.dispatcher.limits.counting(sender.caller):
            caller = await placed(self._app, sender)
            result = await self._gateway.resources.read(caller, uri, McpClientChannel(ctx))
        return types.ReadResourceResult.model_validate(result)

    async def list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        sender = await self._recognise(ctx)
        with _answered(ctx):
            prompts = await self._gateway.prompts.listed(sender.caller_in_session)
        return types.ListPromptsResult.model_validate({"prompts": prompts})

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        sender = await self._recognise(ctx)
        with _answered(ctx), self._app.dispatcher.limits.counting(sender.caller):
            caller = await placed(self._app, sender)
            result = await self._gateway.prompts.get(caller, params.name, params.arguments or {}, McpClientChannel(ctx))
        return types.GetPromptResult.model_validate(result)

    async def complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        sender = await self._recognise(ctx)
        wanted = params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"})
        with _answered(ctx), self._app.dispatcher.limits.counting(sender.caller):
            completion = await self._gateway.prompts.complete(await placed(self._app, sender), wanted)
        return types.CompleteResult.model_validate({"completion": completion})


@contextmanager
def _answered(ctx: Context) -> Iterator[None]:
    try:
        yield
    except LongtableError as error:
        raise unreadable(ctx, error) from error
