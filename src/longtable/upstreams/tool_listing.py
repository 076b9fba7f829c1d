"""A listing of an upstream's tools: what was listed, when it was requested, and until when it can be trusted."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.shared.exceptions import MCPError

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity, WithheldTool
from longtable.kernel.errors import NotFound, ToolQuarantined, UpstreamError, UpstreamTimeout
from longtable.upstreams.connection import UpstreamConnection
from longtable.upstreams.entries import McpEntry
from longtable.upstreams.mcp_http import transport_status
from longtable.upstreams.port import UpstreamCall
from longtable.upstreams.tool_form import MAX_NAME, MalformedTool, parse_tool
from longtable.upstreams.watched_streams import ListedTools

_BATCH = 50
NOTHING_RUN = "This tool has changed since it was listed; nothing has been run."


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
    encoded: dict[str, str] = field(repr=False)
    """Each tool as it was listed. As text, because 1 and true are equal to Python."""
    by_name: dict[str, ToolDefinition] = field(repr=False)
    request: ListRequest
    expires_at: float | None
    """Where the server says how long its list can be kept."""
    withheld: tuple[WithheldTool, ...] = ()


async def requested_tools(entry: McpEntry, connection: UpstreamConnection) -> ListedTools | None:
    """None when the server has dropped our session. Raises UpstreamError or UpstreamTimeout."""
    name = entry.name
    try:
        with anyio.fail_after(max(entry.limits.timeout, 1.0)):
            return await connection.list_tools()
    except TimeoutError:
        raise UpstreamTimeout(f"{name} did not list its tools in time.", upstream=name) from None
    except ValueError:
        problem = f"{name} answered with something that is not a list of tools."
        raise UpstreamError(problem, upstream=name) from None
    except MCPError as error:
        if connection.session_is_gone:
            return None
        if error.error.code == types.METHOD_NOT_FOUND and transport_status(error) is None:
            return ListedTools([])
        problem = f"{name} does not list its tools: {entry.mask(error.error.message[:300])}"
        raise UpstreamError(problem, upstream=name) from None


def check_unchanged(
    entry: McpEntry, listing: ToolListing, shown: ToolListing | None, call: UpstreamCall, problem: str
) -> None:
    """Raises NotFound for a tool that is gone, ToolQuarantined for another one than was accepted, or else `shown`."""
    now = listing.by_name.get(call.tool)
    if now is None:
        raise NotFound(f"{entry.name} has no such tool at the moment.", upstream=entry.name)
    expected = call.digest
    if expected is None and shown is not None:
        before = shown.by_name.get(call.tool)
        expected = "" if before is None else before.digest
    if expected is not None and expected != now.digest:
        raise ToolQuarantined(problem, upstream=entry.name, tool=call.tool)


async def build_listing(
    entry: McpEntry, listed: ListedTools, request: ListRequest, old: ToolListing | None
) -> ToolListing:
    by_tool, withheld = _by_name(listed.tools)
    kept: dict[str, ToolDefinition] = {}
    encoded: dict[str, str] = {}
    for number, (name, tool) in enumerate(by_tool.items()):
        if not entry.lets_through(name):
            withheld[name] = WithheldTool(name, "denied", "its entry in the gateway file leaves it out")
        elif name not in withheld:
            try:
                encoded[name] = _encoded(tool)
                kept[name] = _known(old, name, encoded[name]) or _define(entry, tool)
            except MalformedTool as problem:
                withheld[name] = _malformed(name, str(problem))
        if number % _BATCH == _BATCH - 1:
            await asyncio.sleep(0)
    definitions = _same_definitions(old, tuple(kept.values()))
    expires_at = None if listed.ttl is None else request.at + listed.ttl
    return ToolListing(definitions, encoded, kept, request, expires_at, _same_if_equal(old, tuple(withheld.values())))


def _encoded(tool: dict[str, Any]) -> str:
    try:
        return json.dumps(tool)
    except RecursionError:
        raise MalformedTool("it is nested too deeply") from None


def _known(old: ToolListing | None, name: str, encoded: str) -> ToolDefinition | None:
    """The definition of a tool that has not changed."""
    return old.by_name.get(name) if old is not None and old.encoded.get(name) == encoded else None


def _same_definitions(old: ToolListing | None, now: tuple[ToolDefinition, ...]) -> tuple[ToolDefinition, ...]:
    """Compared by their digests: values that Python takes for equal may differ."""
    if old is None or [each.digest for each in old.definitions] != [each.digest for each in now]:
        return now
    return old.definitions


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


def _define(entry: McpEntry, raw: dict[str, Any]) -> ToolDefinition:
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


def ignore_failure(task: "asyncio.Task[ToolListing]") -> None:
    """Keeps asyncio from reporting an exception that no caller is left to retrieve."""
    if not task.cancelled():
        task.exception()
