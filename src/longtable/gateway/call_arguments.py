"""Splits the arguments of a call into the gateway's and the tool's, and checks the tool's against its schema."""

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import jsonschema_rs

from longtable.gateway.schema_faults import schema_fault
from longtable.governance.model import ToolDefinition
from longtable.kernel.caller import SPEAKS_FOR_AGENTS, Caller
from longtable.kernel.canonical import digest
from longtable.kernel.errors import InvalidArgument, LongtableError, PayloadTooLarge
from longtable.toolkit.argument_errors import invalid
from longtable.toolkit.json_objects import read_object

RESERVED = frozenset({"workspace_id", "inputs", "_context", "confirm_token", "idempotency_key"})
MAX_INPUT_BYTES = 1_048_576
MAX_CONTEXT = 16_384
MAX_KEY = 128
_MAX_NAME = 256
_MAX_ERRORS = 10
_COSTLY = ("anyOf", "oneOf", "allOf", "not", "if", "$ref", "$dynamicRef", "pattern", "patternProperties")


@dataclass(frozen=True, slots=True)
class Context:
    """The conversation behind a call, as the client describes it."""

    original_message: str = ""
    surface_type: str = "mcp_external"
    surface_user_id: str | None = None
    conversation_id: str | None = None
    intent_hint: str | None = None


@dataclass(frozen=True, slots=True)
class CallArguments:
    inputs: dict[str, Any]
    workspace_id: str | None = None
    confirm_token: str | None = None
    idempotency_key: str | None = None
    context: Context | None = None
    raw_context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def why(self) -> str | None:
        """What the call is for, as shown to the person who decides about it."""
        return None if self.context is None else self.context.original_message or self.context.intent_hint or None


def declared_arguments(definition: ToolDefinition) -> frozenset[str]:
    """The names of the arguments in the tool's schema."""
    properties = definition.input_schema.get("properties")
    return frozenset(properties) if isinstance(properties, Mapping) else frozenset()


def parse_call_arguments(arguments: Mapping[str, Any], tool_arguments: Collection[str] = RESERVED) -> CallArguments:
    """The tool's arguments are in `inputs`, or beside the reserved ones, never in both places. A reserved name is the
    tool's only if it is among `tool_arguments`, the names that the tool declares."""
    nested = _nested_inputs(arguments)
    if nested is None:
        inputs, surface_fields = _split_flat(arguments, tool_arguments)
    else:
        arguments, inputs = _split_nested(arguments, nested, tool_arguments)
        surface_fields = {name: arguments[name] for name in _SURFACE if name in arguments}
    _check_size(inputs)
    raw_context = _merged_context(arguments.get("_context"), surface_fields)
    return CallArguments(
        inputs=inputs,
        workspace_id=_text(arguments, "workspace_id"),
        confirm_token=_text(arguments, "confirm_token"),
        idempotency_key=_text(arguments, "idempotency_key", MAX_KEY),
        context=_read_context(raw_context) if raw_context else None,
        raw_context=raw_context,
    )


def _nested_inputs(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    given = arguments.get("inputs")
    if given is None or given == "":
        return None
    with suppress(ValueError):
        nested = read_object(given)
        if isinstance(nested, dict):
            return nested
    raise InvalidArgument.at("inputs", "must be an object with the tool's own arguments")


def digest_of(request: CallArguments) -> str:
    """The same for two calls that count as one."""
    inputs = request.inputs
    return digest(inputs if request.workspace_id is None else [request.workspace_id, inputs])


def digest_if_readable(arguments: Mapping[str, Any]) -> str:
    """For a call that was refused before its arguments were parsed; empty if they cannot be."""
    try:
        return digest_of(parse_call_arguments(arguments))
    except LongtableError:
        return ""


def check_inputs(definition: ToolDefinition, inputs: Mapping[str, Any]) -> None:
    """Raises InvalidArgument with the path of each error."""
    schema = dict(definition.input_schema)
    if not schema:
        return
    try:
        validator = jsonschema_rs.validator_for(schema, retriever=_refuse)
        errors = list(islice(validator.iter_errors(dict(inputs)), _MAX_ERRORS))
    except (ValueError, jsonschema_rs.ValidationError):
        # The schema is broken: the upstream must check its arguments itself.
        return
    faults: dict[str, str] = {}
    for error in errors:
        path, message = schema_fault(error, schema)
        faults.setdefault(path, message)
    if faults:
        raise invalid(faults)


def with_own_user(request: CallArguments, caller: Caller) -> CallArguments:
    """With the authenticated user; only callers that speak for others may name another."""
    if request.context is None or caller.role in SPEAKS_FOR_AGENTS:
        return request
    context = replace(request.context, surface_user_id=caller.agent)
    return replace(request, context=context, raw_context={**request.raw_context, "surface_user_id": caller.agent})


def is_simple(schema: Mapping[str, Any]) -> bool:
    """Whether validation is certainly cheap: no keyword that can be made to take for ever."""
    text = json.dumps(schema, default=str)
    return len(text) <= 32_768 and not any(f'"{word}":' in text for word in _COSTLY)


_SURFACE = ("surface_type", "surface_user_id", "conversation_id", "intent_hint", "original_message")


_MISPLACED = RESERVED - {"inputs"}


def _split_flat(arguments: Mapping[str, Any], tool_arguments: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tool's arguments, and the fields of the context beside them."""
    surface_fields = {name: arguments[name] for name in _SURFACE if name in arguments and name not in tool_arguments}
    reserved = RESERVED | surface_fields.keys()
    return {name: value for name, value in arguments.items() if name not in reserved}, surface_fields


def _split_nested(
    arguments: Mapping[str, Any], nested: Mapping[str, Any], tool_arguments: Collection[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The gateway's arguments and the tool's. A reserved one inside `inputs` is still the gateway's."""
    outside = sorted(arguments.keys() - RESERVED - set(_SURFACE))
    if outside:
        raise InvalidArgument.at(outside[0], "must be inside inputs, where the other arguments of the tool are")
    misplaced = _MISPLACED - set(tool_arguments)
    reserved = {name: value for name, value in nested.items() if name in misplaced}
    reserved |= {name: value for name, value in arguments.items() if value is not None}
    return reserved, {name: value for name, value in nested.items() if name not in misplaced}


def _merged_context(given: Any, outer: Mapping[str, Any]) -> dict[str, Any]:
    if given is not None and not isinstance(given, dict):
        raise InvalidArgument.at("_context", "must be an object")
    context = {**outer, **(given or {})}
    if len(json.dumps(context, default=str)) > MAX_CONTEXT * 4:
        context = {name: str(value)[:MAX_CONTEXT] for name, value in context.items()}
    return context


def _read_context(raw_context: Mapping[str, Any]) -> Context:
    def text(name: str) -> str | None:
        value = raw_context.get(name)
        return storable(value[:MAX_CONTEXT]) if isinstance(value, str) and value else None

    return Context(
        original_message=text("original_message") or "",
        surface_type=text("surface_type") or "mcp_external",
        surface_user_id=text("surface_user_id"),
        conversation_id=text("conversation_id"),
        intent_hint=text("intent_hint"),
    )


def storable(text: str) -> str:
    """Replaces what no store can keep: metadata must not make a call fail."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()


def _text(arguments: Mapping[str, Any], name: str, longest: int = _MAX_NAME) -> str | None:
    value = arguments.get(name)
    if value == "":
        return None
    if value is not None and (not isinstance(value, str) or len(value) > longest or storable(value) != value):
        raise InvalidArgument.at(name, f"must be a text of 1 to {longest} characters, in valid Unicode and without NUL")
    return value


def _check_size(inputs: Mapping[str, Any]) -> None:
    try:
        size = len(json.dumps(inputs, ensure_ascii=False, allow_nan=False).encode())
    except (ValueError, RecursionError):
        raise InvalidArgument.at("inputs", "must be JSON: finite numbers, valid Unicode, not nested deeply") from None
    if size > MAX_INPUT_BYTES:
        raise PayloadTooLarge(f"inputs: {size} bytes; at most {MAX_INPUT_BYTES} are allowed.", limit=MAX_INPUT_BYTES)


def _refuse(address: str) -> Any:
    raise ValueError(f"{address}: nothing is fetched")
