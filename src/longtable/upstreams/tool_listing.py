"""A listing of an upstream's tools: what was listed, when it was requested, and until when it can be trusted."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity
from longtable.upstreams.connection import ListedTools, UpstreamConnection
from longtable.upstreams.entries import McpEntry

_BATCH = 50


@dataclass(frozen=True, slots=True)
class ListRequest:
    """`epoch` is that of the upstream when the request was made: it moves with every reported or possible change."""

    at: float
    epoch: int
    connection: UpstreamConnection


@dataclass(frozen=True, slots=True)
class ToolListing:
    """`definitions` is the same object in consecutive listings that do not differ."""

    definitions: tuple[ToolDefinition, ...]
    tools: dict[str, dict[str, Any]] = field(repr=False)
    by_name: dict[str, ToolDefinition] = field(repr=False)
    request: ListRequest
    expires_at: float | None
    """Where the server says how long its list can be kept."""


async def build_listing(
    entry: McpEntry, listed: ListedTools, request: ListRequest, old: ToolListing | None
) -> ToolListing:
    by_tool, duplicates = _by_name(listed.tools)
    kept: dict[str, ToolDefinition] = {}
    for number, (name, tool) in enumerate(by_tool.items()):
        # Two tools with one name are ambiguous.
        if name not in duplicates and entry.lets_through(name):
            kept[name] = _define(entry, tool, old)
        if number % _BATCH == _BATCH - 1:
            await asyncio.sleep(0)
    definitions = old.definitions if old is not None and old.by_name == kept else tuple(kept.values())
    expires_at = None if listed.ttl is None else request.at + listed.ttl
    return ToolListing(definitions, by_tool, kept, request, expires_at)


def _by_name(tools: Sequence[dict[str, Any]]) -> tuple[dict[str, dict[str, Any]], set[str]]:
    """The tools by name, and the names that occur more than once."""
    by_name: dict[str, dict[str, Any]] = {}
    duplicates: set[str] = set()
    for tool in tools:
        name = tool.get("name")
        if not isinstance(name, str):
            continue
        if name in by_name:
            duplicates.add(name)
        by_name[name] = tool
    return by_name, duplicates


def _define(entry: McpEntry, raw: dict[str, Any], old: ToolListing | None) -> ToolDefinition:
    name = raw["name"]
    if old is not None and name in old.by_name and old.tools.get(name) == raw:
        return old.by_name[name]
    tool = types.Tool.model_validate(raw, by_name=False)
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
