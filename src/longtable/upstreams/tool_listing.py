"""A listing of an upstream's tools: what was listed, when it was requested, and until when it can be trusted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity, WithheldTool
from longtable.upstreams.connection import ListedTools, UpstreamConnection
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.tool_form import MAX_NAME, MalformedTool, parse_tool

_BATCH = 50


@dataclass(frozen=True, slots=True)
class ListRequest:
    """`epoch` is that of the upstream when the request was made: it moves with every reported or possible change."""

    at: float
    epoch: int
    connection: UpstreamConnection


@dataclass(frozen=True, slots=True)
class ToolListing:
    """`definitions` and `withheld` are the same objects in consecutive listings that do not differ."""

    definitions: tuple[ToolDefinition, ...]
    tools: dict[str, dict[str, Any]] = field(repr=False)
    by_name: dict[str, ToolDefinition] = field(repr=False)
    request: ListRequest
    expires_at: float | None
    """Where the server says how long its list can be kept."""
    withheld: tuple[WithheldTool, ...] = ()


async def build_listing(
    entry: McpEntry, listed: ListedTools, request: ListRequest, old: ToolListing | None
) -> ToolListing:
    by_tool, withheld = _by_name(listed.tools)
    kept: dict[str, ToolDefinition] = {}
    for number, (name, tool) in enumerate(by_tool.items()):
        if not entry.lets_through(name):
            withheld[name] = WithheldTool(name, "denied", "its entry in the gateway file leaves it out")
        elif name not in withheld:
            try:
                kept[name] = _define(entry, tool, old)
            except MalformedTool as problem:
                withheld[name] = _malformed(name, str(problem))
        if number % _BATCH == _BATCH - 1:
            await asyncio.sleep(0)
    definitions = old.definitions if old is not None and old.by_name == kept else tuple(kept.values())
    expires_at = None if listed.ttl is None else request.at + listed.ttl
    return ToolListing(definitions, by_tool, kept, request, expires_at, _same_if_equal(old, tuple(withheld.values())))


def _same_if_equal(old: ToolListing | None, withheld: tuple[WithheldTool, ...]) -> tuple[WithheldTool, ...]:
    return old.withheld if old is not None and old.withheld == withheld else withheld


def _by_name(tools: Sequence[Any]) -> tuple[dict[str, dict[str, Any]], dict[str, WithheldTool]]:
    """The tools by name. Withheld are those without one, and all that have the same: they are ambiguous."""
    by_name: dict[str, dict[str, Any]] = {}
    withheld: dict[str, WithheldTool] = {}
    for position, tool in enumerate(tools):
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            place = f"[{position}]"
            withheld[place] = _malformed(place, "it has no name" if isinstance(tool, dict) else "it is not an object")
            continue
        if name in by_name:
            withheld[name] = _malformed(name, "its name is listed more than once")
        by_name[name] = tool
    return by_name, withheld


def _malformed(name: str, reason: str) -> WithheldTool:
    """Names and reasons are shown to people: only what can be printed and stored."""
    shown = "".join(letter if letter.isprintable() else "\ufffd" for letter in name[:MAX_NAME])
    return WithheldTool(shown, "malformed", reason.encode(errors="replace").decode())


def _define(entry: McpEntry, raw: dict[str, Any], old: ToolListing | None) -> ToolDefinition:
    name = raw["name"]
    if old is not None and name in old.by_name and old.tools.get(name) == raw:
        return old.by_name[name]
    tool = parse_tool(raw)
    hints = tool.annotations or types.ToolAnnotations()
    definition = ToolDefinition(
        upstream=entry.name,
        identity=ToolIdentity(entry.pack, tool.name),
        remote=tool.name,
        title=tool.title or hints.title or "",
        description=tool.description or "",
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        hints=Hints(hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint),
        trust=entry.trust,
    )
    # Computed here and cached, where the event loop gets a turn between definitions.
    _ = definition.digest
    return definition
