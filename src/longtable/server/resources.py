"""What a session holds and the scratchpads of its tenant, as resources: the same as the reading tools answer, under
addresses that can be watched."""

import json
from functools import cached_property
from typing import Any

import mcp_types as types

from longtable.app import App
from longtable.gateway.resource_links import PREFIX
from longtable.identity.resolve import check_session_id
from longtable.kernel.call import CurrentSession
from longtable.kernel.errors import LongtableError, MissingSessionId, SessionMismatch
from longtable.server.addresses import PARTS, Address, ScratchpadAddress, SessionAddress, SessionResource, parse_address
from longtable.server.senders import Context, MessageSender, Recognise, can_show_apps, check_single_page, unreadable
from longtable.server.table_app import page as table_app
from longtable.server.upstream_requests import UpstreamRequestHandlers
from longtable.toolkit.dispatch import Invocation

LISTED = 100
"""Scratchpads on one page of the list."""

_JSON = "application/json"
_DESCRIBED = 200
_READ_SCRATCHPAD = "scratch_read"


class Resources:
    """The three requests about resources."""

    def __init__(self, app: App, recognise: Recognise, upstream: UpstreamRequestHandlers | None) -> None:
        """`upstream` has those of other servers."""
        self._upstream = upstream
        self._settings = app.settings
        self._dispatcher = app.dispatcher
        self._session_resolver = app.session_resolver
        self._recognise = recognise

    @cached_property
    def _parts(self) -> dict[str, SessionResource]:
        return {name: part for name, part in PARTS.items() if part.tool in self._dispatcher.tools}

    @property
    def _has_scratchpads(self) -> bool:
        return _READ_SCRATCHPAD in self._dispatcher.tools

    async def list_all(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """Those of the caller's session, if it has one, and the first scratchpads; the next pages have the others, and
        the last one what other servers have."""
        sender = await self._recognise(ctx)
        cursor = (params.cursor or None) if params is not None else None
        try:
            of_session = [] if cursor is not None else await self._of_session(sender)
            pages = [types.Resource.model_validate(table_app.RESOURCE)] if not cursor and can_show_apps(ctx) else []
            scratchpads, next_cursor = await self._scratchpads(sender, cursor)
            others = await self._upstream.resources(ctx, sender) if self._upstream and next_cursor is None else []
        except LongtableError as error:
            raise unreadable(ctx, error) from error
        resources = [*of_session, *pages, *scratchpads, *map(types.Resource.model_validate, others)]
        return types.ListResourcesResult(resources=resources, next_cursor=next_cursor)

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        check_single_page(params)
        sender = await self._recognise(ctx)
        others = await self._upstream.templates(sender) if self._upstream else []
        named = [(f"session/{{session_id}}/{name}", part.title, part.description) for name, part in self._parts.items()]
        if "draft" in self._parts:
            section = "session/{session_id}/draft/{section_id}"
            named.append((section, "Section", "One section of the draft and its versions."))
        if self._has_scratchpads:
            named.append(("scratchpad/{scratch_id}", "Scratchpad", "A scratchpad with its cells and their content."))
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=f"longtable://{path}",
                    name=path.removeprefix("session/{session_id}/"),
                    title=title,
                    description=description,
                    mime_type=_JSON,
                )
                for path, title, description in named
            ]
            + [types.ResourceTemplate.model_validate(each) for each in others]
        )

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        sender = await self._recognise(ctx)
        uri = str(params.uri)
        if uri == table_app.URI:
            return self._table_page(ctx)
        try:
            if self._upstream and uri.startswith(PREFIX):
                return await self._upstream.read(ctx, sender, uri)
            body = await self._body(sender, parse_address(uri))
        except LongtableError as error:
            raise unreadable(ctx, error) from error
        text = json.dumps(body, ensure_ascii=False)
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)])

    def _table_page(self, ctx: Context) -> types.ReadResourceResult:
        """The same for everybody: it holds nothing that anybody wrote."""
        console = self._settings.public_url or (str(ctx.request.base_url) if ctx.request is not None else None)
        text = table_app.table_page(console if self._settings.enable_console else None)
        contents = types.TextResourceContents.model_validate({**table_app.CONTENTS, "text": text})
        return types.ReadResourceResult(contents=[contents])

    async def _body(self, sender: MessageSender, address: Address) -> dict[str, Any]:
        if isinstance(address, ScratchpadAddress):
            return await self._result_of(
                sender, sender.current_session, _READ_SCRATCHPAD, {"scratch_id": address.scratch_id}
            )
        part = PARTS[address.part]
        named = {} if address.section is None else {"section_id": address.section}
        return await self._result_of(
            sender, _current_session(sender, address.session_id), part.tool, {**part.arguments, **named}
        )

    async def _of_session(self, sender: MessageSender) -> list[types.Resource]:
        if sender.refusal is not None:
            raise sender.refusal
        try:
            caller = await self._session_resolver.resolve_listener(sender.caller, None, sender.current_session)
        except MissingSessionId:
            return []
        addresses = [SessionAddress(caller.session, part) for part in self._parts]
        if "draft" in self._parts:
            body = await self._result_of(sender, _current_session(sender, caller.session), "list_sections", {})
            sections = [section["section_id"] for section in body["sections"]]
            addresses += [SessionAddress(caller.session, "draft", section) for section in sections]
        return [_listed(address) for address in addresses]

    async def _scratchpads(self, sender: MessageSender, cursor: str | None) -> tuple[list[types.Resource], str | None]:
        if not self._has_scratchpads:
            return [], None
        page = {"limit": LISTED} if cursor is None else {"limit": LISTED, "cursor": cursor}
        body = await self._result_of(sender, sender.current_session, "scratch_list", page)
        return [_listed_scratchpad(pad) for pad in body["scratchpads"]], body.get("next_cursor")

    async def _result_of(
        self, sender: MessageSender, current_session: CurrentSession, tool: str, arguments: dict[str, Any]
    ) -> dict[str, Any]:
        """The result of a tool, called like any other: with the same checks and the same audit record. Raises its
        error."""
        invocation = Invocation(
            tool, arguments, sender.caller, current_session, refusal=sender.refusal, as_resource=True
        )
        outcome = await self._dispatcher.call(invocation)
        if outcome.error is not None:
            raise outcome.error
        return outcome.body


def _current_session(sender: MessageSender, session_id: str) -> CurrentSession:
    """In the session that an address names."""
    bound = sender.caller.session_id
    if bound is None:
        # As the current session and not as the caller's own: a session that an environment names would come into being.
        return CurrentSession(check_session_id(session_id), lasting=False)
    if bound != session_id:
        raise SessionMismatch("This caller is bound to another session.")
    return sender.current_session


def _listed(address: SessionAddress) -> types.Resource:
    part = PARTS[address.part]
    if address.section is not None:
        name, title, description = address.section, f"Section {address.section}", "A section of the session's draft."
    else:
        name, title, description = address.part, part.title, part.description
    return types.Resource(uri=address.uri, name=name, title=title, description=description, mime_type=_JSON)


def _listed_scratchpad(pad: dict[str, Any]) -> types.Resource:
    scratch_id = pad["scratch_id"]
    return types.Resource(
        uri=ScratchpadAddress(scratch_id).uri,
        name=scratch_id,
        title=pad["title"] or f"Scratchpad {scratch_id}",
        description=(pad["description"] or "A scratchpad of the tenant.")[:_DESCRIBED],
        mime_type=_JSON,
    )
