"""Reads an OpenAPI document: each operation with one schema for all its inputs."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from longtable.governance.model import WithheldTool
from longtable.kernel.errors import UpstreamError
from longtable.upstreams.openapi_schema import ComponentSchemas, follow

MAX_OPERATIONS = 5_000
_METHODS = ("get", "head", "options", "post", "put", "patch", "delete", "trace")
_LOCATIONS = ("path", "query", "header", "cookie")
_RESERVED_HEADERS = frozenset(
    {"accept", "content-type", "authorization", "host", "content-length", "connection", "cookie"}
)
"""Headers that a caller may not set."""
_MALFORMED = (AttributeError, KeyError, RecursionError, TypeError, ValueError)
"""What reading an operation raises where a value has another type than it should."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Parameter:
    """`key` is its name among the inputs."""

    key: str
    name: str
    location: str
    style: str
    explode: bool


@dataclass(frozen=True, slots=True)
class ApiOperation:
    name: str
    method: str
    path: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]
    schema: Mapping[str, Any]
    body_key: str | None = None
    body_type: str | None = None


@dataclass(frozen=True, slots=True)
class ApiDocument:
    operations: tuple[ApiOperation, ...]
    server: str | None
    withheld: tuple[WithheldTool, ...] = ()


def parse_document(text: str) -> ApiDocument:
    """Raises UpstreamError for anything but an OpenAPI 3 document."""
    document = _load(text)
    version = str(document.get("openapi", ""))
    if not version.startswith(("3.0", "3.1", "3.2")):
        raise UpstreamError("This is not an OpenAPI document of version 3.0 or 3.1.")
    schemas = ComponentSchemas(document, is_old=version.startswith("3.0"))
    found: dict[str, ApiOperation] = {}
    withheld = []
    for path, item, method, raw in _raw_operations(document):
        try:
            operation = _operation(document, schemas, (path, method), item, raw)
            if operation is not None and operation.name in found:
                operation = _operation(document, schemas, (path, method), item, {**raw, "operationId": None})
        except _MALFORMED:
            withheld.append(_malformed(method, path, "it is not an operation of OpenAPI"))
            continue
        if operation is None:
            withheld.append(_malformed(method, path, "its body has no media type that can be sent"))
            continue
        found[operation.name] = operation
        if len(found) > MAX_OPERATIONS:
            raise UpstreamError(f"The document has more than {MAX_OPERATIONS} operations.")
    return ApiDocument(tuple(found.values()), _server(document), tuple(withheld))


def _malformed(method: str, path: str, reason: str) -> WithheldTool:
    return WithheldTool(f"{method.upper()} {path}"[:256], "malformed", reason)


def _load(text: str) -> dict[str, Any]:
    try:
        document = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError, RecursionError):
        raise UpstreamError("The document is neither JSON nor YAML.") from None
    if not isinstance(document, dict):
        raise UpstreamError("The document is not an object.")
    return document


def _server(document: Mapping[str, Any]) -> str | None:
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else None
    url = first.get("url") if isinstance(first, dict) else None
    return url if isinstance(url, str) and "{" not in url else None


def _raw_operations(document: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any]]]:
    paths = document.get("paths")
    for path, declared in (paths if isinstance(paths, dict) else {}).items():
        item = follow(document, declared)
        for method in _METHODS:
            raw = item.get(method) if isinstance(item, dict) else None
            if isinstance(raw, dict) and isinstance(path, str) and path.startswith("/"):
                yield path, item, method, raw


def _operation(
    document: Mapping[str, Any],
    schemas: ComponentSchemas,
    where: tuple[str, str],
    item: Mapping[str, Any],
    raw: Mapping[str, Any],
) -> ApiOperation | None:
    """None if its body has no media type that we support."""
    path, method = where
    declared = _parameters(document, item, raw)
    names = Counter(each["name"] for each in declared)
    properties: dict[str, Any] = {}
    required: list[str] = []
    parameters = []
    for each in declared:
        parameter = _parameter(each, is_ambiguous=names[each["name"]] > 1)
        parameters.append(parameter)
        properties[parameter.key] = _described(schemas.schema(_schema_of(each)), each)
        if each.get("required") is True or parameter.location == "path":
            required.append(parameter.key)
    body = follow(document, raw.get("requestBody"))
    body_key = body_type = None
    if isinstance(body, dict):
        body_type = _body_type(body)
        if body_type is None:
            return None
        body_key = "body" if "body" not in properties else "request_body"
        properties[body_key] = _described(schemas.schema(body["content"][body_type].get("schema", {})), body)
        required += [body_key] if body.get("required") is True else []
    title, description = _texts(raw)
    return ApiOperation(
        name=_name(raw, method, path),
        method=method.upper(),
        path=path,
        title=title,
        description=description or f"{method.upper()} {path}",
        parameters=tuple(parameters),
        schema=schemas.with_definitions(_object_schema(properties, required)),
        body_key=body_key,
        body_type=body_type,
    )


def _object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _texts(raw: Mapping[str, Any]) -> tuple[str, str]:
    summary, text = str(raw.get("summary") or ""), str(raw.get("description") or "")
    return summary, "\n\n".join(filter(None, (summary, text)))


def _name(raw: Mapping[str, Any], method: str, path: str) -> str:
    declared = raw.get("operationId")
    name = declared if isinstance(declared, str) and declared else f"{method}_{path.strip('/') or 'root'}"
    return _FOREIGN.sub("_", name).strip("_")[:128] or method


def _parameters(document: Mapping[str, Any], item: Mapping[str, Any], raw: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Those of the operation override those of its path."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for source in (item.get("parameters"), raw.get("parameters")):
        for each in source if isinstance(source, list) else ():
            parameter = follow(document, each)
            if not isinstance(parameter, dict) or parameter.get("in") not in _LOCATIONS:
                continue
            name = parameter.get("name")
            is_reserved = parameter["in"] == "header" and str(name).lower() in _RESERVED_HEADERS
            if isinstance(name, str) and name and not is_reserved:
                found[name, parameter["in"]] = parameter
    return list(found.values())


def _parameter(raw: Mapping[str, Any], *, is_ambiguous: bool) -> Parameter:
    name, location = raw["name"], raw["in"]
    style = raw.get("style") or ("form" if location in ("query", "cookie") else "simple")
    explode = raw["explode"] if isinstance(raw.get("explode"), bool) else style == "form"
    return Parameter(f"{location}_{name}" if is_ambiguous else name, name, location, style, explode)


def _schema_of(raw: Mapping[str, Any]) -> Any:
    content = raw.get("content")
    if isinstance(content, dict) and content:
        media = next(iter(content.values()))
        return media.get("schema", {}) if isinstance(media, dict) else {}
    return raw.get("schema", {})


def _described(schema: Any, raw: Mapping[str, Any]) -> Any:
    text = raw.get("description")
    if isinstance(schema, dict) and isinstance(text, str) and "description" not in schema:
        return {**schema, "description": text}
    return schema


def _body_type(body: Mapping[str, Any]) -> str | None:
    content = body.get("content")
    types = [name for name, media in content.items() if isinstance(media, dict)] if isinstance(content, dict) else []
    for name in types:
        plain = name.split(";")[0].strip().lower()
        if plain == "application/json" or plain.endswith("+json"):
            return str(name)
    forms = [name for name in types if name.split(";")[0].strip().lower() == "application/x-www-form-urlencoded"]
    return forms[0] if forms else None
