"""Tools of other servers over MCP: listed after our own, called under the rules of the gateway."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import mcp_types as types
from pydantic_core import to_json

from longtable.app import App
from longtable.connections.service import Connection
from longtable.gateway import CALL, upstream_store
from longtable.kernel.call import CurrentSession
from longtable.kernel.caller import Caller
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError, NotFound
from longtable.kernel.tracing import tool_failed
from longtable.server.client_channel import McpClientChannel, can_be_asked
from longtable.server.list_changes import NOTHING, ListChanges
from longtable.server.list_readers import EncodedLists
from longtable.server.parked_calls import ParkedCalls
from longtable.server.resource_and_prompt_lists import ResourceAndPromptLists
from longtable.server.senders import Context, MessageSender, connection_of, is_modern
from longtable.server.tool_lists import ToolLists
from longtable.settings.provides import listing_of, provided
from longtable.toolkit.envelope import session_named, wrap_error
from longtable.toolkit.keys import CallMetadata, with_key
from longtable.toolkit.tool import Envelope

if TYPE_CHECKING:
    from longtable.gateway.service import Gateway, ToolList


def prefix_of(app: App) -> str:
    """What the names of all tools behind the gateway begin with."""
    return (app.gateway_file.prefix if app.gateway_file is not None else None) or app.settings.gateway_prefix


class UpstreamTools:
    """What is behind the gateway is made when the first tool is needed; but it is checked at once."""

    def __init__(self, app: App) -> None:
        """Raises ConfigError for a mistake in a playbook."""
        if app.gateway_file is not None and app.gateway_file.playbooks is not None:
            from longtable.gateway.playbook_file import load_playbooks

            load_playbooks(app.gateway_file.playbooks)
        self._app = app
        self.prefix = f"{prefix_of(app)}_"
        self._parked = ParkedCalls()
        self._is_configured = "gateway" in provided(app.settings, app.gateway_file)
        self._used: dict[str, tuple[bool, int]] = {}
        # A list that is looked through instead of shown stays as it is.
        shown = listing_of(app.settings, app.gateway_file) != "search"
        shared = (lambda: self._gateway, self.is_used, app.feed, app.background)
        self.lists = ToolLists(*shared) if shown else None
        self.resource_and_prompt_lists = {
            "resources": ResourceAndPromptLists("resources", *shared),
            "prompts": ResourceAndPromptLists("prompts", *shared),
        }

    @property
    def _gateway(self) -> "Gateway":
        return self._app.slices.gateway

    async def is_used(self, tenant: str) -> bool:
        """Whether there is anything behind the gateway: configured, or added at run time; up to a second old."""
        if self._is_configured:
            return True
        is_used, until = self._used.get(tenant, (False, 0))
        if self._app.clock() >= until:
            is_used = await self._app.database.read(tenant, upstream_store.has_any)
            self._used[tenant] = (is_used, self._app.clock() + SECOND)
        return is_used

    @property
    def watched_lists(self) -> Sequence[ListChanges]:
        """The lists of whose changes clients are notified."""
        return [each for each in (self.lists, *self.resource_and_prompt_lists.values()) if each is not None]

    async def listed(self, ctx: Context, sender: MessageSender) -> "ToolList | None":
        """None where there is nothing behind the gateway."""
        if self.lists is not None:
            await self.lists.about_to_list(ctx, sender)
        if not await self.is_used(sender.caller.tenant):
            if self.lists is not None and connection_of(ctx) is None:
                # A connection with a row is followed from its beginning.
                await self.lists.was_listed(ctx, NOTHING)
            return None
        tools = await self._gateway.listed(sender.caller_in_session)
        if self.lists is not None:
            self.lists.listed(sender.caller.tenant)
            await self.lists.was_listed(ctx, tools.signature)
        return tools

    async def encoded(self, caller: Caller, connection: Connection | None) -> EncodedLists:
        """The encoded lists of a caller, whose client is about to be shown one of them."""
        if self.lists is not None:
            self.lists.listed(caller.tenant)
        tools = await self._gateway.listed(caller)
        if self.lists is not None and connection is not None:
            await connection.saw_list("tools", tools.signature)
        return tools.encoded

    async def call(self, ctx: Context, sender: MessageSender, params: types.CallToolRequestParams) -> dict[str, Any]:
        """Never raises: a refusal is a result, as for our own tools."""
        if not is_modern(ctx) or not (can_be_asked(ctx) or params.request_state):
            return await self._call(sender, params, McpClientChannel(ctx))
        try:
            run = partial(self._call, sender, params)
            return await self._parked.answer(ctx, sender.caller, params, run)
        except LongtableError as error:
            return _refused(wrap_error(Envelope.OK, error, self._app.clock()))

    async def _call(
        self, sender: MessageSender, params: types.CallToolRequestParams, client: McpClientChannel
    ) -> dict[str, Any]:
        return await self.run(sender, params.name, params.arguments or {}, CallMetadata.of(params.meta), client)

    async def run(
        self,
        sender: MessageSender,
        name: str,
        arguments: dict[str, Any],
        metadata: CallMetadata,
        client: McpClientChannel | None = None,
    ) -> dict[str, Any]:
        """As `call`. Without `client` nothing is sent before the result."""
        caller = sender.caller
        progress = client.progress if client is not None and client.wants_progress else None
        try:
            with self._app.dispatcher.limits.counting(sender.caller):
                caller = await placed(self._app, sender)
                given = with_key(arguments, metadata.key)
                with self._app.dispatcher.counting_usage(caller, metadata.usage, given) as counted:
                    outcome = await self._gateway.call(caller, name, given, progress, client)
                    counted.result = outcome
        except LongtableError as error:
            if isinstance(error, NotFound) and name != CALL and not name.startswith(self.prefix):
                # Most likely a mistake in the name of a tool of ours.
                error = self._app.dispatcher.no_such_tool(name, caller)
            tool_failed(error.code)
            return _refused({**wrap_error(Envelope.OK, error, self._app.clock()), **session_named(caller)})
        if outcome.is_error:
            tool_failed()
        result: dict[str, Any] = {
            "content": outcome.content,
            "isError": outcome.is_error,
            "_meta": {**outcome.meta, **session_named(caller)},
            "resultType": "complete",
        }
        return result if outcome.structured is None else {**result, "structuredContent": outcome.structured}


async def placed(app: App, sender: MessageSender) -> Caller:
    """In the session that the caller has, if it has one: most calls need none."""
    if sender.refusal is not None:
        raise sender.refusal
    current_session: CurrentSession = sender.current_session
    session_id = sender.caller.session_id or current_session.session_id
    if session_id is None:
        return sender.caller
    await app.session_resolver.check(sender.caller, session_id, to_change=True)
    caller = sender.caller.inside(session_id)
    app.slices.inbox.confirm(caller)
    return caller


def _refused(body: dict[str, Any]) -> dict[str, Any]:
    return {
        "content": [{"type": "text", "text": to_json(body).decode()}],
        "structuredContent": body,
        "isError": True,
        "resultType": "complete",
    }
