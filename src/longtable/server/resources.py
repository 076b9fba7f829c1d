"""What a session holds, as resources: the same as the reading tools answer, under addresses that can be watched."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp_types as types

from longtable.identity.resolve import check_session_id
from longtable.kernel.call import Seat
from longtable.kernel.errors import LongtableError, MissingSessionId, NotFound, SessionMismatch
from longtable.server.guests import Context, Guest, Recognise, unreadable
from longtable.sessions.gate import Gate
from longtable.toolkit.dispatch import Dispatcher, Invocation

_URI = re.compile(
    r"longtable://session/(?P<session>[^/?#]+)/(?P<part>[a-z]+)(?:/(?P<section>[a-z0-9][a-z0-9_-]{0,63}))?"
)
_REDACTED = "scratchpad/redacted"
_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a session: which tool reads it, and which events tell of its change. `redacted_as` is what an
    event of a redaction calls a thing in it."""

    tool: str
    title: str
    description: str
    kinds: tuple[str, ...]
    arguments: Mapping[str, Any]
    redacted_as: str | None = None


PARTS: Mapping[str, Part] = {
    "notes": Part(
        "read_notes",
        "Notes",
        "The notes on the session's corkboard.",
        ("scratchpad/note_added",),
        {"limit": 500},
        "note",
    ),
    "draft": Part(
        "read_draft",
        "Draft",
        "The session's draft, all sections in order.",
        ("scratchpad/section_created", "scratchpad/section_updated"),
        {},
        "section",
    ),
    "plan": Part(
        "read_plan",
        "Plan",
        "The session's tasks and how far they have come.",
        ("scratchpad/tasks_added", "scratchpad/checklist_updated"),
        {},
    ),
    "questions": Part(
        "list_questions",
        "Questions",
        "What was asked of people, and their answers.",
        ("scratchpad/question_added", "scratchpad/question_answered", "scratchpad/question_withdrawn"),
        {},
    ),
    "messages": Part(
        "get_messages",
        "Messages",
        "The session's messages that you may read, oldest first.",
        ("message/added",),
        {"limit": 1000},
        "message",
    ),
}


@dataclass(frozen=True, slots=True)
class Address:
    """What a URI names. Nothing says yet that it exists."""

    session_id: str
    part: str
    section: str | None = None

    @classmethod
    def parse(cls, uri: str) -> "Address":
        """Raises NotFound."""
        match = _URI.fullmatch(uri)
        if match is None or match["part"] not in PARTS or (match["section"] and match["part"] != "draft"):
            raise NotFound("There is no such resource.", hint="resources/templates/list shows what there can be.")
        return cls(match["session"], match["part"], match["section"])

    @property
    def uri(self) -> str:
        section = "" if self.section is None else f"/{self.section}"
        return f"longtable://session/{self.session_id}/{self.part}{section}"

    @property
    def kinds(self) -> tuple[str, ...]:
        part = PARTS[self.part]
        return part.kinds if part.redacted_as is None else (*part.kinds, _REDACTED)

    def is_changed_by(self, event: Mapping[str, Any]) -> bool:
        part = PARTS[self.part]
        if event["kind"] == _REDACTED:
            named, matches = event["object_id"], event["object_kind"] == part.redacted_as
        else:
            named, matches = event.get("section_name"), event["kind"] in part.kinds
        return matches and self.section in (None, named)


class Resources:
    """The three requests about resources."""

    def __init__(self, dispatcher: Dispatcher, gate: Gate, recognise: Recognise) -> None:
        self._dispatcher = dispatcher
        self._gate = gate
        self._recognise = recognise

    @cached_property
    def _parts(self) -> dict[str, Part]:
        return {name: part for name, part in PARTS.items() if part.tool in self._dispatcher.tools}

    async def list_all(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """Those of the caller's session; none for a caller that has none."""
        guest = await self._recognise(ctx)
        try:
            if guest.refusal is not None:
                raise guest.refusal
            caller = await self._gate.place_listener(guest.caller, None, guest.seat)
            addresses = [Address(caller.session, part) for part in self._parts]
            addresses += await self._sections(guest, caller.session)
        except MissingSessionId:
            addresses = []
        except LongtableError as error:
            raise unreadable(ctx, error) from error
        return types.ListResourcesResult(resources=[_listed(address) for address in addresses])

    async def list_templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        await self._recognise(ctx)
        named = [(f"{{session_id}}/{name}", part.title, part.description) for name, part in self._parts.items()]
        if "draft" in self._parts:
            named.append(("{session_id}/draft/{section_id}", "Section", "One section of the draft and its versions."))
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=f"longtable://session/{path}",
                    name=path.partition("/")[2],
                    title=title,
                    description=description,
                    mime_type=_JSON,
                )
                for path, title, description in named
            ]
        )

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        guest = await self._recognise(ctx)
        uri = str(params.uri)
        try:
            body = await self._body(guest, Address.parse(uri))
        except LongtableError as error:
            raise unreadable(ctx, error) from error
        text = json.dumps(body, ensure_ascii=False)
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=_JSON, text=text)])

    async def _body(self, guest: Guest, address: Address) -> dict[str, Any]:
        part = PARTS[address.part]
        named = {} if address.section is None else {"section_id": address.section}
        return await self._asked(guest, address.session_id, part.tool, {**part.arguments, **named})

    async def _sections(self, guest: Guest, session_id: str) -> list[Address]:
        if "draft" not in self._parts:
            return []
        body = await self._asked(guest, session_id, "list_sections", {})
        return [Address(session_id, "draft", section["section_id"]) for section in body["sections"]]

    async def _asked(self, guest: Guest, session_id: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Goes the way of every call: the same checks, the same record. Raises what the tool refuses for."""
        caller, seat = guest.caller, guest.seat
        if caller.session_id is None:
            # As a seat and not as the caller's own: a session that an environment names would come into being.
            seat = Seat(check_session_id(session_id), lasting=False)
        elif caller.session_id != session_id:
            raise SessionMismatch("This caller is bound to another session.")
        invocation = Invocation(tool, arguments, caller, seat, refusal=guest.refusal, as_resource=True)
        outcome = await self._dispatcher.call(invocation)
        if outcome.error is not None:
            raise outcome.error
        return outcome.body


def _listed(address: Address) -> types.Resource:
    part = PARTS[address.part]
    if address.section is not None:
        name, title, description = address.section, f"Section {address.section}", "A section of the session's draft."
    else:
        name, title, description = address.part, part.title, part.description
    return types.Resource(uri=address.uri, name=name, title=title, description=description, mime_type=_JSON)
