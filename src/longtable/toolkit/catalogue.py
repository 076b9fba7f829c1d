"""The tools as MCP lists them, read from a file that is generated from their code.

To make schemas of forty argument and result models takes longer than all the rest of a start; a client that lists
its tools should not wait for that, nor for the slices themselves. `make check` fails when the file is out of date."""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from longtable.toolkit.envelope import output_schema
from longtable.toolkit.listed_schemas import listed_input, listed_output
from longtable.toolkit.tool import Tool

FILE = "tools.json"

CatalogueEntry = dict[str, Any]
"""A tool on the wire, and beside it the groups and the roles that decide who is shown it."""


@cache
def catalogue() -> tuple[CatalogueEntry, ...]:
    return tuple(json.loads(files("longtable.generated").joinpath(FILE).read_text("utf-8")))


def entries_of(tools: Iterable[Tool[Any]]) -> list[CatalogueEntry]:
    """What the file must hold."""
    return [_entry(tool) for tool in tools if tool.over_mcp]


def _listed(tool: Tool[Any]) -> CatalogueEntry:
    schema = tool.input_schema()
    shown = {name: part for name, part in schema["properties"].items() if name not in tool.arguments.unlisted}
    return {**schema, "properties": shown}


def _entry(tool: Tool[Any]) -> CatalogueEntry:
    return {
        "group": tool.group,
        "needs": tool.needs,
        "package": tool.run.__module__.split(".")[1],
        "roles": sorted(tool.roles),
        **({"for_unbound_agents": True} if tool.for_unbound_agents else {}),
        "wire": {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": listed_input(_listed(tool)),
            **({} if tool.passes_through else {"outputSchema": listed_output(output_schema(tool))}),
            "annotations": {
                "title": tool.title,
                "readOnlyHint": not tool.writes,
                "destructiveHint": tool.destructive,
                "idempotentHint": tool.repeatable or not tool.writes,
                "openWorldHint": False,
            },
        },
    }
