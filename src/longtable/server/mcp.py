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
from longtable.kernel.caller import Caller
from longtable.kernel.errors import LongtableError
from longtable.kernel.tracing import is_recording
from longtable.server.elicitation import Elicitation
from longtable.server.list_readers import LIST_READERS, EncodedLists, FindEncoded, ListReader, reader_of
from longtable.server.log_levels import set_log_level
from longtable.server.notifications import WATCH
from longtable.server.process_connection import exchange_of
from longtable.server.prompts import Prompts
from longtable.server.request_spans import note_outcome, traced
from longtable.server.resources import Resources
from longtable.server.senders import Context, MessageSender, Recognise, can_show_apps, check_single_page
from longtable.server.subscriptions import SubscribeParams, Subscriptions
from longtable.server.table_app import page as table_app
from longtable.server.upstream_notifications import NotificationSources
from longtable.server.upstream_requests import UpstreamRequestHandlers
from longtable.server.upstream_subscriptions import UpstreamSubscriptions
from longtable.server.upstream_tools import UpstreamTools, prefix_of
from longtable.settings.provides import provided
from longtable.settings.tool_choice import chosen
from longtable.toolkit.catalogue import catalogue
from longtable.toolkit.dispatch import Invocation
from longtable.toolkit.keys import key_in_meta, usage_in_meta

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
    upstream_tools = UpstreamTools(app) if "gateway" in app.settings.tool_groups else None
    tools = _Tools(app, recognise, upstream_tools)
    requests = UpstreamRequestHandlers(app, upstream_tools) if upstream_tools is not None else None
    resources = Resources(app, recognise, requests)
    prompts = Prompts(app.dispatcher, recognise, requests)
    sources = NotificationSources()
    if upstream_tools is not None:
        sources = NotificationSources(upstream_tools.watched_lists, UpstreamSubscriptions(app, upstream_tools.is_used))
    subscriptions = Subscriptions(app, recognise, sources)
    server = _McpServer(
        app.settings.server_name,
        version=__version__,
        title="Longtable",
        instructions=INSTRUCTIONS,
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
    # In place of the SDK's own, which makes spans.
    server.middleware = [traced, _introducing(recognise, upstream_tools, _OTHERS.format(prefix=prefix_of(app)))]
    server.notification_sources = sources
    if is_recording():
        app.dispatcher.on_outcome = note_outcome
    server.encoded_lists = tools.encoded
    server.upstream_tools = upstream_tools
    server.add_request_handler("server/discover", types.RequestParams, _discovery(server))
    if upstream_tools is not None:
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_log_level)
    _add_extensions(server, subscriptions)
    return server


def _add_extensions(server: "_McpServer", subscriptions: Subscriptions) -> None:
    """What is not part of the protocol itself."""
    server.extensions = {table_app.EXTENSION: {}}
    server.add_request_handler(WATCH, SubscribeParams, subscriptions.watch)
    server.add_request_handler("notifications/subscribe", SubscribeParams, subscriptions.subscribe)
    server.add_request_handler("notifications/unsubscribe", SubscribeParams, subscriptions.unsubscribe)
    server.add_notification_handler("notifications/subscribe", SubscribeParams, subscriptions.on_subscribe_notification)
    server.add_notification_handler(
        "notifications/unsubscribe", SubscribeParams, subscriptions.on_unsubscribe_notification
    )


class _McpServer(Server[Any]):
    """`notification_sources` has the lists of whose changes clients are notified."""

    notification_sources = NotificationSources()
    encoded_lists: FindEncoded
    upstream_tools: UpstreamTools | None = None

    def notifies_of(self, kind: str) -> bool:
        return any(lists.kind == kind for lists in self.notification_sources.lists)

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **named: Any
    ) -> InitializationOptions:
        changes = {f"{kind}_changed": self.notifies_of(kind) for kind in ("tools", "resources", "prompts")}
        options = notification_options or NotificationOptions(**changes)
        return super().create_initialization_options(options, *more, **named)


class _Tools:
    def __init__(self, app: App, recognise: Recognise, upstream_tools: UpstreamTools | None) -> None:
        offered: set[str | None] = {None, *provided(app.settings, app.gateway_file)}
        own, shown = _chosen_entries(app, offered), _chosen_entries(app, {*offered, "gateway", "search"})
        self._own = {reader: _definitions(own, reader, searching=False) for reader in LIST_READERS}
        self._with_gateway = {reader: _definitions(shown, reader, searching=False) for reader in LIST_READERS}
        self._searching = {reader: _definitions(shown, reader, searching=True) for reader in LIST_READERS}
        self._lists: dict[ListReader, types.ListToolsResult] = {}
        self._encoded: EncodedLists = {}
        self._dispatcher = app.dispatcher
        self._recognise = recognise
        self._upstream_tools = upstream_tools
        self._elicitation = Elicitation(app)
        self.schemas: dict[str, Any] = {entry["wire"]["name"]: entry["wire"]["inputSchema"] for entry in catalogue()}

    async def list(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        check_single_page(params)
        sender = await self._recognise(ctx)
        reader = reader_of(sender.caller)
        if reader not in self._lists:
            self._lists[reader] = types.ListToolsResult.model_validate({"tools": self._own[reader]})
        others = await self._upstream_tools.listed(ctx, sender) if self._upstream_tools is not None else None
        if others is None:
            return self._offering(ctx, self._lists[reader])
        searching = self._searching[reader] if others.is_searched else []
        meta = {"_meta": {"starting": list(others.starting)}} if others.starting else {}
        tools = [*self._with_gateway[reader], *searching, *others.tools]
        return self._offering(ctx, types.ListToolsResult.model_validate({"tools": tools, **meta}))

    def _offering(self, ctx: Context, listed: types.ListToolsResult) -> types.ListToolsResult:
        """With the page that a host can show beside one of them."""
        if not can_show_apps(ctx):
            return listed
        tools = [
            tool.model_copy(update={"meta": table_app.TOOL_META}) if tool.name == table_app.TOOL else tool
            for tool in listed.tools
        ]
        return listed.model_copy(update={"tools": tools})

    async def encoded(self, caller: Caller, connection: Connection | None) -> EncodedLists:
        if self._upstream_tools is None or not await self._upstream_tools.is_used(caller.tenant):
            return self._encoded
        return await self._upstream_tools.encoded(caller, connection)

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Any:
        sender = await self._recognise(ctx)
        await ctx.lifespan_context.until_opened()
        known = self._dispatcher.tools.get(params.name)
        upstream = self._upstream_tools if known is None or params.name == CALL else None
        if upstream is not None and await upstream.is_used(sender.caller.tenant):
            return await upstream.call(ctx, sender, params)
        if self._elicitation.concerns(ctx, params):
            return await self._elicitation.call(ctx, sender, params, partial(self._call_own, sender, params))
        return await self._call_own(sender, params, params.arguments or {})

    async def _call_own(
        self, sender: MessageSender, params: types.CallToolRequestParams, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        key = key_in_meta(params.meta)
        usage = usage_in_meta(params.meta)
        invocation = Invocation(
            params.name, arguments, sender.caller, sender.current_session, key, sender.refusal, meta=usage
        )
        outcome = await self._dispatcher.call(invocation)
        body = outcome.body
        # As a dict, which the SDK checks and dumps once instead of twice.
        return {
            "content": [{"type": "text", "text": to_json(body).decode()}],
            "structuredContent": body,
            "isError": outcome.error is not None,
            "resultType": "complete",
        }


def _chosen_entries(app: App, needs: Collection[str | None]) -> list[Mapping[str, Any]]:
    """The tools that the operator has chosen to list."""
    groups, names = app.settings.tool_groups, chosen(app.settings.tools)
    offered = [entry for entry in catalogue() if entry["group"] in groups and entry["needs"] in needs]
    return [entry for entry in offered if entry["wire"]["name"] in names]


def _definitions(entries: Sequence[Mapping[str, Any]], reader: ListReader, *, searching: bool) -> list[dict[str, Any]]:
    """The definitions for this reader: of the tools that search for upstream tools, or of all others."""
    role, is_unbound = reader
    return [
        entry["wire"]
        for entry in entries
        if (role in entry["roles"] or (is_unbound and entry.get("for_unbound_agents")))
        and (entry["needs"] == "search") == searching
    ]


def _introducing(recognise: Recognise, upstream: UpstreamTools | None, about_others: str) -> Any:
    """Tells a client of the tools of other servers, if there are any, and one without a name of its own how to choose
    one."""

    async def introduce(ctx: Context, call_next: Any) -> Any:
        result = await call_next(ctx)
        if ctx.method in ("initialize", "server/discover") and isinstance(result, dict):
            with suppress(LongtableError):
                caller = (await recognise(ctx)).caller
                others = about_others if upstream is not None and await upstream.is_used(caller.tenant) else ""
                advice = f" {caller.name_advice}" if caller.name_advice is not None else ""
                result = {**result, "instructions": f"{result.get('instructions')}{others}{advice}"}
        return result

    return introduce


def _discovery(server: _McpServer) -> Any:
    """Says which lists can change. By itself the SDK would promise notifications for every list."""

    async def discover(ctx: Context, params: types.RequestParams) -> types.DiscoverResult:
        offered = server.get_capabilities(protocol_version=ctx.protocol_version)
        capabilities = offered.model_copy(
            update={
                "tools": types.ToolsCapability(list_changed=server.notifies_of("tools")),
                "resources": types.ResourcesCapability(subscribe=True, list_changed=server.notifies_of("resources")),
                "prompts": types.PromptsCapability(list_changed=server.notifies_of("prompts")),
            }
        )
        return types.DiscoverResult(
            supported_versions=list(MODERN_PROTOCOL_VERSIONS),
            capabilities=capabilities,
            instructions=server.instructions,
        )

    return discover
