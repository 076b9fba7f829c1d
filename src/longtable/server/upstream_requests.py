"""Resources, prompts and completion of other servers over MCP: listed after our own, answered under the rules of the
gateway."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import mcp_types as types

from longtable.app import App
from longtable.kernel.errors import LongtableError
from longtable.server.client_channel import McpClientChannel
from longtable.server.resource_and_prompt_lists import signature_of
from longtable.server.senders import Context, MessageSender, unreadable
from longtable.server.upstream_tools import UpstreamTools, placed

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway


class UpstreamRequestHandlers:
    """What is behind the gateway is made when a tenant that has something there first asks for it."""

    def __init__(self, app: App, upstreams: UpstreamTools) -> None:
        self._app = app
        self._upstreams = upstreams

    async def is_used(self, sender: MessageSender) -> bool:
        """Where not, there is nothing but our own."""
        return await self._upstreams.is_used(sender.caller.tenant)

    async def resources(self, ctx: Context, sender: MessageSender) -> list[dict[str, Any]]:
        return await self._listed(ctx, sender, "resources")

    async def prompts(self, ctx: Context, sender: MessageSender) -> list[dict[str, Any]]:
        with _answered(ctx):
            return await self._listed(ctx, sender, "prompts")

    async def templates(self, sender: MessageSender) -> list[dict[str, Any]]:
        if not await self.is_used(sender):
            return []
        return await (await self._gateway(sender)).resources.templates(sender.caller_in_session)

    async def read(self, ctx: Context, sender: MessageSender, uri: str) -> types.ReadResourceResult:
        """Raises LongtableError."""
        with self._app.dispatcher.limits.counting(sender.caller):
            caller, gateway = await placed(self._app, sender), await self._gateway(sender)
            result = await gateway.resources.read(caller, uri, McpClientChannel(ctx))
        return types.ReadResourceResult.model_validate(result)

    async def get_prompt(
        self, ctx: Context, sender: MessageSender, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        with _answered(ctx), self._app.dispatcher.limits.counting(sender.caller):
            caller, gateway = await placed(self._app, sender), await self._gateway(sender)
            result = await gateway.prompts.get(caller, params.name, params.arguments or {}, McpClientChannel(ctx))
        return types.GetPromptResult.model_validate(result)

    async def complete(
        self, ctx: Context, sender: MessageSender, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        request = params.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta"})
        with _answered(ctx), self._app.dispatcher.limits.counting(sender.caller):
            caller, gateway = await placed(self._app, sender), await self._gateway(sender)
            completion = await gateway.prompts.complete(caller, request)
        return types.CompleteResult.model_validate({"completion": completion})

    async def _listed(
        self, ctx: Context, sender: MessageSender, kind: Literal["resources", "prompts"]
    ) -> list[dict[str, Any]]:
        """The list. From now on the client is notified when it changes."""
        changes = self._upstreams.resource_and_prompt_lists[kind]
        await changes.about_to_list(ctx, sender)
        items: list[dict[str, Any]] = []
        if await self.is_used(sender):
            gateway = await self._gateway(sender)
            offered = gateway.resources if kind == "resources" else gateway.prompts
            items = await offered.listed(sender.caller_in_session)
            changes.listed(sender.caller.tenant)
        await changes.was_listed(ctx, signature_of(items))
        return items

    async def _gateway(self, sender: MessageSender) -> "Gateway":
        """With what was added to it at run time."""
        gateway = self._app.slices.gateway
        await gateway.added.follow(sender.caller.tenant)
        return gateway


@contextmanager
def _answered(ctx: Context) -> Iterator[None]:
    try:
        yield
    except LongtableError as error:
        raise unreadable(ctx, error) from error
