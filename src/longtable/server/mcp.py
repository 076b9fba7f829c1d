"""The MCP side of the application: tools, resources and subscriptions on a low-level server of the official SDK."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic_core import to_json

from longtable import __version__
from longtable.app import App
from longtable.connections.service import Connection
from longtable.gateway import CALL
from longtable.kernel.caller import Caller, Role
from longtable.kernel.errors import LongtableError
from longtable.server.elicitation import Elicitation
from longtable.server.lean_lists import EncodedLists, FindEncoded
from longtable.server.log_levels import set_log_level
from longtable.server.process_connection import exchange_of
from longtable.server.prompts import Prompts
from longtable.server.resources import Resources
from longtable.server.senders import Context, MessageSender, Recognise
from longtable.server.subscriptions import WATCH, SubscribeParams, Subscriptions
from longtable.server.tool_lists import ToolLists
from longtable.server.upstream_requests import UpstreamRequestHandlers
from longtable.server.upstream_tools import UpstreamTools, prefix_of
from longtable.settings.provides import provided
from longtable.settings.tool_choice import chosen
from longtable.toolkit.catalogue import catalogue
from longtable.toolkit.dispatch import Invocation
from longtable.toolkit.keys import key_beside

INSTRUCTIONS = (
    "Longtable is the table you share with other agents and their humans. Call brief first: it tells where the "
    "team stands and what waits for you. Before you work on a task, claim_task; before you edit files of a shared "
    "repository, reserve them. Pin what you learn with add_note, write your part with write_draft_section, "
    "talk with add_message. When only a person can decide, add_question. Wait with "
    "wait_for_messages or wait_for_answers instead of polling. `inbox` in a result: something waits for you. "
    "Writing tools also take `idempotency_key`, as an argument or as `longtable/idempotency_key` in `_meta`: the same "
    "call with the same key gives its first result again, for 24 hours."
)
"""At most 120 words, with those about an agent's name: every agent reads them."""

_OTHERS = (
    " Other servers have tools here, too: {prefix}_tool_… reads, {prefix}_run_… needs a person to allow the call "
    "first, {prefix}_playbook_… runs steps. Their own arguments go into `inputs`. Beside it each takes `workspace_id`, "
    "where it takes place, and `_context` with `original_message` and `conversation_id`: what the call is for, shown "
    "to the person who decides. A refusal that asks for a person brings a `confirm_token`: repeat the call with it, "
    "unchanged, once the person has agreed."
)


def build_server(app: App, recognise: Recognise) -> Server[Any]:
    """`recognise` tells who stands behind a message: each transport knows in its own way."""
    outside = UpstreamTools(app) if "gateway" in app.settings.tool_groups else None
    tools = _Tools(app, recognise, outside)
    requests = UpstreamRequestHandlers(app, recognise) if outside is not None and outside.is_expected else None
    resources = Resources(app.dispatcher, app.session_resolver, recognise, requests)
    prompts = Prompts(app.dispatcher, recognise, requests)
    lists = outside.lists if outside is not None else None
    subscriptions = Subscriptions(app, recognise, lists)
    server = _McpServer(
        app.settings.server_name,
        version=__version__,
        title="Longtable",
        instructions=_instructions(app, outside),
        lifespan=exchange_of,
        get_tool_input_schema=tools.schemas.get,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list_all,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_subscribe_resource=subscriptions.subscribe_resource,
        on_unsubscribe_resource=subscriptions.unsubscribe_resource,
        on_subscriptions_listen=subscriptions.listen,
        on_list_prompts=prompts.list_all,
        on_get_prompt=prompts.get,
        on_completion=prompts.complete,
    )
    server.middleware.append(_naming(recognise))
    server.tool_lists = lists
    server.encoded_lists = tools.encoded
    server.upstream_tools = outside
    server.add_request_handler("server/discover", types.RequestParams, _discovery(server))
    if outside is not None:
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_log_level)
    _add_methods(server, subscriptions)
    return server


def _add_methods(server: "_McpServer", subscriptions: Subscriptions) -> None:
    """Those that are not part of the protocol."""
    server.add_request_handler(WATCH, SubscribeParams, subscriptions.watch)
    server.add_request_handler("notifications/subscribe", SubscribeParams, subscriptions.subscribe)
    server.add_request_handler("notifications/unsubscribe", SubscribeParams, subscriptions.unsubscribe)
    server.add_notification_handler("notifications/subscribe", SubscribeParams, subscriptions.on_subscribe_notification)
    server.add_notification_handler(
        "notifications/unsubscribe", SubscribeParams, subscriptions.on_unsubscribe_notification
    )


class _McpServer(Server[Any]):
    """`tool_lists` is set when clients are notified of changes to the list of tools. Nothing else of ours changes."""

    tool_lists: ToolLists | None = None
    encoded_lists: FindEncoded
    upstream_tools: UpstreamTools | None = None

    @property
    def tools_change(self) -> bool:
        return self.tool_lists is not None

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(tools_changed=self.tools_change)
        return super().create_initialization_options(options, *more, **named)


class _Tools:
    def __init__(self, app: App, recognise: Recognise, outside: UpstreamTools | None) -> None:
        offered: set[str | None] = {None, *provided(app.settings, app.gateway_file)}
        own, shown = _cards(app, offered), _cards(app, {*offered, "gateway", "search"})
        self._by_role = {role: _wires(own, role, searching=False) for role in Role}
        self._with_gateway = {role: _wires(shown, role, searching=False) for role in Role}
        self._searching = {role: _wires(shown, role, searching=True) for role in Role}
        self._lists: dict[Role, types.ListToolsResult] = {}
        self._encoded: EncodedLists = {}
        self._dispatcher = app.dispatcher
        self._recognise = recognise
        self._outside = outside
        self._elicitation = Elicitation(app)
        self.schemas: dict[str, Any] = {card["wire"]["name"]: card["wire"]["inputSchema"] for card in catalogue()}

    async def list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        sender = await self._recognise(ctx)
        role = sender.caller.role
        if role not in self._lists:
            self._lists[role] = types.ListToolsResult.model_validate({"tools": self._by_role[role]})
        if self._outside is None or not await self._outside.is_used(sender.caller.tenant):
            return self._lists[role]
        others = await self._outside.listed(ctx, sender)
        searching = self._searching[role] if others.is_searched else []
        meta = {"_meta": {"starting": list(others.starting)}} if others.starting else {}
        tools = [*self._with_gateway[role], *searching, *others.tools]
        return types.ListToolsResult.model_validate({"tools": tools, **meta})

    async def encoded(self, caller: Caller, connection: Connection | None) -> EncodedLists:
        if self._outside is None or not await self._outside.is_used(caller.tenant):
            return self._encoded
        return await self._outside.encoded(caller, connection)

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        sender = await self._recognise(ctx)
        await ctx.lifespan_context.until_opened()
        known = self._dispatcher.tools.get(params.name)
        is_outside = self._outside is not None and (known is None or params.name == CALL)
        if self._outside is not None and is_outside and await self._outside.is_used(sender.caller.tenant):
            return await self._outside.call(ctx, sender, params)
        if self._elicitation.concerns(ctx, params):
            return await self._elicitation.call(ctx, sender, params, partial(self._call_own, sender, params))
        return await self._call_own(sender, params, params.arguments or {})

    async def _call_own(
        self, sender: MessageSender, params: types.CallToolRequestParams, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        known = self._dispatcher.tools.get(params.name)
        name = params.name if known is None or known.over_mcp else ""
        key = key_beside(params.meta)
        invocation = Invocation(name, arguments, sender.caller, sender.current_session, key, sender.refusal)
        outcome = await self._dispatcher.call(invocation)
        body = outcome.body
        # As a dict, which the SDK checks and dumps once instead of twice.
        return {
            "content": [{"type": "text", "text": to_json(body).decode()}],
            "structuredContent": body,
            "isError": outcome.error is not None,
            "resultType": "complete",
        }


def _cards(app: App, needs: Collection[str | None]) -> list[Mapping[str, Any]]:
    """Those that the operator has chosen."""
    groups, names = app.settings.tool_groups, chosen(app.settings.tools)
    offered = [card for card in catalogue() if card["group"] in groups and card["needs"] in needs]
    return [card for card in offered if card["wire"]["name"] in names]


def _wires(cards: Sequence[Mapping[str, Any]], role: Role, *, searching: bool) -> list[dict[str, Any]]:
    """Those with which to search for tools of others, or the rest."""
    return [card["wire"] for card in cards if role in card["roles"] and (card["needs"] == "search") == searching]


def _instructions(app: App, outside: UpstreamTools | None) -> str:
    if outside is None or not outside.is_expected:
        return INSTRUCTIONS
    return INSTRUCTIONS + _OTHERS.format(prefix=prefix_of(app))


def _naming(recognise: Recognise) -> Any:
    """Tells a client without a name of its own how to choose one."""

    async def introduce(ctx: Context, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            with suppress(LongtableError):
                advice = (await recognise(ctx)).caller.name_advice
                if advice is not None:
                    result = {**result, "instructions": f"{result.get('instructions')} {advice}"}
        return result

    return introduce


def _discovery(server: _McpServer) -> Any:
    """The SDK promises news of every list to every client that may listen."""

    async def discover(ctx: Context, params: types.RequestParams) -> types.DiscoverResult:
        offered = server.get_capabilities(protocol_version=ctx.protocol_version)
        capabilities = offered.model_copy(
            update={
                "tools": types.ToolsCapability(list_changed=server.tools_change),
                "resources": types.ResourcesCapability(subscribe=True, list_changed=False),
                "prompts": None if offered.prompts is None else types.PromptsCapability(list_changed=False),
            }
        )
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=capabilities,
            instructions=server.instructions,
        )

    return discover
