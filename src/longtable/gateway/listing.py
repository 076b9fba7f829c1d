"""Upstream tools as clients see them in a list: the tool's schema inside ours, and the policy decision."""

import copy
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longtable.gateway.registry import OfferedTool
from longtable.governance.model import Layer

_LABEL = {Layer.PRIMITIVE: "[Primitive]", Layer.MACRO: "[Macro Tool]", Layer.GOVERNED: "[Governed]"}
_REFUSED = {"required": ["ok", "error"]}
_TRUNCATED = {"required": ["truncated"]}
_NOT_A_WORD = re.compile(r"[\W_]+")


def listed_tool(tool: OfferedTool) -> dict[str, Any]:
    """Nothing that a client can do without: what it takes for granted is left out, and so are the arguments that every
    tool has (`_context`, `workspace_id`), which the server's instructions tell of."""
    definition, policy_decision = tool.definition, tool.policy_decision
    text = definition.description.strip() or definition.title or definition.remote
    shown: dict[str, Any] = {
        "name": tool.name,
        "description": f"{_LABEL[policy_decision.layer]} {text}",
        "inputSchema": input_schema(tool),
        "_meta": _meta(tool),
    }
    if definition.title:
        shown["title"] = definition.title
    annotations = _annotations(tool)
    if annotations:
        shown["annotations"] = annotations
    if definition.output_schema is not None:
        shown["outputSchema"] = _output_schema(definition.output_schema)
    return shown


def input_schema(tool: OfferedTool) -> dict[str, Any]:
    """Keeps every keyword of the tool's schema; its references point to its new place."""
    own = _with_moved_references(copy.deepcopy(dict(tool.definition.input_schema)), "#/properties/inputs")
    own.pop("$schema", None)
    own.setdefault("type", "object")
    properties: dict[str, Any] = {"inputs": own}
    if tool.policy_decision.confirm != "none":
        properties["confirm_token"] = {"type": "string"}
    return {"type": "object", "properties": properties}


def _meta(tool: OfferedTool) -> dict[str, Any]:
    """Pack and action, where they do not follow from the name of the upstream and the end of the tool's name."""
    upstream, identity = tool.definition.upstream, tool.definition.identity
    meta: dict[str, Any] = {"layer": tool.policy_decision.layer.value, "upstream": upstream}
    if identity.pack != upstream:
        meta["pack"] = identity.pack
    if not tool.name.endswith(f"_{identity.pack}_{identity.action}"):
        meta["action"] = identity.action
    if tool.policy_decision.confirm != "none":
        meta["requires_confirmation"] = True
    return meta


def _output_schema(promised: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool promises, or one of our errors: clients drop a result that does not fit the schema, also an error
    that tells an agent to ask a person."""
    own = copy.deepcopy(dict(promised))
    heading = {"$schema": own.pop("$schema")} if "$schema" in own else {}
    if own.get("type") == "object":
        del own["type"]
    return {**heading, "type": "object", "anyOf": [_with_moved_references(own, "#/anyOf/0"), _REFUSED, _TRUNCATED]}


def _annotations(tool: OfferedTool) -> dict[str, bool]:
    """The annotations that differ from what clients assume. Whether a tool only reads is decided by us, not by the
    upstream."""
    hints, reads = tool.definition.hints, tool.policy_decision.layer is Layer.PRIMITIVE
    claims = {
        "readOnlyHint": True if reads and hints.read_only is not False else None,
        "destructiveHint": False if not reads and hints.destructive is False else None,
        "idempotentHint": True if not reads and hints.idempotent else None,
        "openWorldHint": False if hints.open_world is False else None,
    }
    return {name: claim for name, claim in claims.items() if claim is not None}


_DATA = frozenset({"const", "enum", "default", "examples"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords that hold data, and those that hold schemas by arbitrary names."""


def _with_moved_references(schema: dict[str, Any], to: str) -> dict[str, Any]:
    """Prefixes local references with the new place. Not recursive: an upstream may nest as deep as it likes."""
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending += part
        elif isinstance(part, dict) and not isinstance(part.get("$id"), str):
            # A schema with an $id is a document of its own: its references stay inside.
            for name in ("$ref", "$dynamicRef"):
                reference = part.get(name)
                if isinstance(reference, str) and (reference == "#" or reference.startswith("#/")):
                    part[name] = f"{to}{reference[1:]}"
            pending += _parts(part)
    return schema


def _parts(schema: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for name, value in schema.items():
        if name in _MAPS and isinstance(value, dict):
            found += value.values()
        elif name not in _DATA:
            found.append(value)
    return found


def best_matches(tools: Iterable[OfferedTool], words: Sequence[str]) -> list[OfferedTool]:
    """Those that fit all words of a search, or else some of them: the best first."""
    hits = {tool.name: (_word_scores(tool, words), tool) for tool in tools}
    fit = [each for each in hits.values() if all(each[0])] or [each for each in hits.values() if any(each[0])]
    return [tool for scores, tool in sorted(fit, key=lambda each: (-sum(each[0]), each[1].name))]


def _word_scores(tool: OfferedTool, words: Sequence[str]) -> list[int]:
    definition = tool.definition
    name, text = f"{tool.name} {definition.identity}".casefold(), definition.description.casefold()
    whole = set(_NOT_A_WORD.split(name))
    return [4 if word in whole else 3 if word in name else 1 if word in text else 0 for word in words]


def tool_summary(tool: OfferedTool) -> Mapping[str, Any]:
    return {
        "name": tool.name,
        "title": tool.definition.title or str(tool.definition.identity),
        "description": tool.definition.description,
        "layer": tool.policy_decision.layer.value,
        "requires_confirmation": tool.policy_decision.confirm != "none",
        "input_schema": dict(tool.definition.input_schema),
    }
