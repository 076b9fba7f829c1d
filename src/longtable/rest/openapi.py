"""The OpenAPI document of everything REST offers, made from the tools themselves."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.json_schema import models_json_schema

from longtable.kernel.errors import LongtableError
from longtable.kernel.ids import SESSION_ID
from longtable.kernel.names import MAX_NAME
from longtable.rest.cut_answers import MARKS
from longtable.rest.examples import SESSION_EXAMPLE, example_of
from longtable.rest.fixed_routes import EVENTS, EXPORTS, SERVER, fixed_paths
from longtable.toolkit.answer_size import MaxChars
from longtable.toolkit.tool import Route, Scope, Tool, WriteArguments, without_null, without_titles

Json = dict[str, Any]

_SCHEMAS = "#/components/schemas/"
_PLACEHOLDER = re.compile(r"\{(\w+)(?::\w+)?\}")
_BODILESS = ("GET", "DELETE")

_ABOUT = """\
The tools of the table for orchestrators and the console: a path, a query and a body are the arguments of a tool, and
the answer is its result in the `ok` envelope. Failures have one shape too, and a code that never changes.
Where auth is off, no credential is needed."""

_TAGS = {
    "workspace": "Notes, draft, plan and questions of a session.",
    "messages": "Sessions, and what agents say to each other in them.",
    "notebooks": "Scratchpads: typed cells that outlive sessions.",
    "gateway": "Tools of other servers, governed.",
    EVENTS: "Events, as they happen.",
    EXPORTS: "What is kept here, as files.",
    SERVER: "Who you are, health, metrics and this description.",
}

_STATUSES = {
    400: ("BadRequest", "An argument or the session id is wrong or missing."),
    401: ("Unauthorized", "No credential, or one that does not count."),
    403: ("Forbidden", "This caller may not do this."),
    404: ("NotFound", "No such thing, or none that this caller may see."),
    409: ("Conflict", "The state of things does not allow it."),
    410: ("Gone", "The session has expired."),
    413: ("TooLarge", "A field or the body is larger than its limit."),
    503: ("Unavailable", "Something this needs is not there at the moment."),
}
_OTHERWISE = "Failure"


@dataclass(frozen=True, slots=True)
class Service:
    """What a document says about the server besides its tools. Without a metrics path there are no metrics."""

    name: str
    version: str
    metrics_path: str | None = None


def openapi_document(tools: Iterable[Tool[Any]], service: Service) -> Json:
    offered = [tool for tool in tools if tool.routes]
    schemas = _NamedSchemas(offered)
    paths: Json = {}
    for tool in offered:
        for number, route in enumerate(tool.routes, 1):
            path = _PLACEHOLDER.sub(r"{\1}", route.path)
            paths.setdefault(path, {})[route.method.lower()] = _operation(tool, route, number, schemas)
    paths.update(fixed_paths(service.metrics_path))
    used = {tag for operations in paths.values() for operation in operations.values() for tag in operation["tags"]}
    return {
        "openapi": "3.1.0",
        "info": {"title": service.name, "version": service.version, "description": _ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items() if name in used],
        "paths": paths,
        "components": {
            "schemas": _reachable(paths, schemas.all),
            "responses": _error_responses(),
            "parameters": _PARAMETERS,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def errors_by_status(status: int) -> list[type[LongtableError]]:
    return [error for error in LongtableError.__subclasses__() if error.status == status]


class _NamedSchemas:
    """The named schemas: results in their envelope, bodies without what the path and the headers already say."""

    def __init__(self, tools: list[Tool[Any]]) -> None:
        models: list[Any] = [(tool.result, "serialization") for tool in tools]
        models += [(tool.arguments, "validation") for tool in tools]
        references, found = models_json_schema(list(dict.fromkeys(models)), ref_template=_SCHEMAS + "{model}")
        self._references = references
        self._plain = {
            name: optional_without_null(schema) for name, schema in without_titles(found.get("$defs", {})).items()
        }
        for tool in tools:
            if issubclass(tool.arguments, MaxChars):
                self._mark_parts(self._name(tool.result, "serialization"))
        self.all: Json = {**self._plain, **_ERROR_SCHEMAS}
        for tool in tools:
            name = self._name(tool.result, "serialization")
            self.all[name] = _enveloped(self._plain[name], tool.scope is not Scope.TENANT)

    def _mark_parts(self, result: str) -> None:
        """Any part of an answer may have been cut, and then says so."""
        for name in _closure(_named(self._plain[result]), self._plain):
            part = self._plain[name]
            if "properties" in part:
                missing = {mark: schema for mark, schema in MARKS.items() if mark not in part["properties"]}
                self._plain[name] = {**part, "properties": {**part["properties"], **missing}}

    def arguments(self, tool: Tool[Any], path_names: Iterable[str]) -> Json:
        schema = self._plain[self._name(tool.arguments, "validation")]
        elsewhere = {*path_names, *WriteArguments.model_fields}
        properties = {name: part for name, part in schema["properties"].items() if name not in elsewhere}
        required = [name for name in schema.get("required", []) if name not in elsewhere]
        return {
            "type": "object",
            "properties": properties,
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }

    def argument(self, tool: Tool[Any], name: str) -> Json:
        return dict(self._plain[self._name(tool.arguments, "validation")]["properties"][name])

    def add_body(self, tool: Tool[Any], number: int, body: Json) -> Json:
        name = self._name(tool.arguments, "validation") + _suffix(number)
        self.all[name] = body
        return {"$ref": _SCHEMAS + name}

    def result(self, tool: Tool[Any]) -> Json:
        return {"$ref": _SCHEMAS + self._name(tool.result, "serialization")}

    def tells_whether_it_was_new(self, tool: Tool[Any], route: Route) -> bool:
        shown = self.all[self._name(tool.result, "serialization")].get("properties", {})
        if route.created_in is not None:
            shown = self.all[shown[route.created_in]["$ref"].removeprefix(_SCHEMAS)]["properties"]
        return "created" in shown

    def _name(self, model: Any, mode: Any) -> str:
        return str(self._references[(model, mode)]["$ref"]).removeprefix(_SCHEMAS)


def optional_without_null(schema: Json) -> Json:
    """Describes an optional field as left out and never null, in responses as in requests."""
    if "properties" not in schema:
        return schema
    required = schema.get("required", [])
    properties = {name: part if name in required else without_null(part) for name, part in schema["properties"].items()}
    return {**schema, "properties": properties}


def _enveloped(schema: Json, in_session: bool) -> Json:
    properties = {"ok": {"type": "boolean", "const": True}, **schema.get("properties", {})}
    if in_session and "session_id" not in properties:
        properties["session_id"] = {"type": "string", "description": "The session, where the server chose it."}
    # Open to more: any answer may come to carry a hint that something new waits for the caller.
    return {"type": "object", "properties": properties, "required": ["ok", *schema.get("required", [])]}


def _operation(tool: Tool[Any], route: Route, number: int, schemas: _NamedSchemas) -> Json:
    path_names = _PLACEHOLDER.findall(route.path)
    arguments = schemas.arguments(tool, path_names)
    parameters = [_path_parameter(tool, name, schemas) for name in path_names]
    body: Json = {}
    if route.method in _BODILESS:
        parameters += _query_parameters(arguments, schemas.all)
    elif arguments["properties"]:
        content = {
            "schema": schemas.add_body(tool, number, arguments),
            "example": example_of(arguments, schemas.all),
        }
        body = {"requestBody": {"required": "required" in arguments, "content": {"application/json": content}}}
    return {
        "operationId": tool.name + _suffix(number, "_"),
        "tags": [tool.group],
        "summary": tool.title,
        "description": tool.description,
        "x-roles": sorted(tool.roles),
        "parameters": [*parameters, *_headers(tool)],
        **body,
        "responses": {**_successes(tool, route, schemas), **_failures()},
    }


def _successes(tool: Tool[Any], route: Route, schemas: _NamedSchemas) -> Json:
    content = {"application/json": {"schema": schemas.result(tool)}}
    found = {str(route.status): {"description": "Done.", "content": content}}
    if route.status != 200 and schemas.tells_whether_it_was_new(tool, route):
        found["200"] = {"description": "It was there already.", "content": content}
    return found


def _suffix(number: int, between: str = "") -> str:
    """An operation and its body keep the tool's name; further routes of the same tool are numbered."""
    return "" if number == 1 else f"{between}{number}"


def _path_parameter(tool: Tool[Any], name: str, schemas: _NamedSchemas) -> Json:
    if name == "session_id":
        return {"$ref": "#/components/parameters/session_id"}
    schema = schemas.argument(tool, name)
    description = schema.pop("description", "")
    return {"name": name, "in": "path", "required": True, "description": description, "schema": schema}


def _query_parameters(arguments: Json, components: Json) -> list[Json]:
    examples = example_of(arguments, components)
    found = []
    for name, part in arguments["properties"].items():
        schema = {key: value for key, value in part.items() if key != "description"}
        parameter = {"name": name, "in": "query", "required": name in arguments.get("required", []), "schema": schema}
        if "description" in part:
            parameter["description"] = part["description"]
        if name in examples:
            parameter["example"] = examples[name]
        found.append(parameter)
    return found


def _headers(tool: Tool[Any]) -> list[Json]:
    names = ["X-Caller-Agent", "X-Agent-Type"]
    if tool.scope is not Scope.TENANT:
        names.insert(0, "X-Session-ID")
    if issubclass(tool.arguments, WriteArguments):
        names.append("Idempotency-Key")
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _failures() -> Json:
    known = {str(status): {"$ref": f"#/components/responses/{name}"} for status, (name, _) in _STATUSES.items()}
    return {**known, "default": {"$ref": f"#/components/responses/{_OTHERWISE}"}}


def _error_responses() -> Json:
    content = {"application/json": {"schema": {"$ref": f"{_SCHEMAS}Error"}}}
    responses = {_OTHERWISE: {"description": "Any other failure.", "content": content}}
    for status, (name, text) in _STATUSES.items():
        codes = ", ".join(f"`{error.code}`" for error in errors_by_status(status))
        responses[name] = {"description": f"{text} Codes: {codes}.", "content": content}
    return responses


def _header(name: str, description: str, most: int) -> Json:
    schema = {"type": "string", "minLength": 1, "maxLength": most}
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


_SESSION_SCHEMA = {"type": "string", "pattern": f"^{SESSION_ID.pattern}$"}
_PARAMETERS: Json = {
    "session_id": {
        "name": "session_id",
        "in": "path",
        "required": True,
        "description": "The session.",
        "schema": _SESSION_SCHEMA,
        "example": SESSION_EXAMPLE,
    },
    "X-Session-ID": {
        "name": "X-Session-ID",
        "in": "header",
        "required": False,
        "description": "The session that this request is bound to. Where the path names one too, they must agree.",
        "schema": _SESSION_SCHEMA,
    },
    "X-Caller-Agent": _header(
        "X-Caller-Agent", "The agent spoken for, where the role may speak for agents: orchestrator, local.", MAX_NAME
    ),
    "X-Agent-Type": _header("X-Agent-Type", "The type of the agent spoken for.", MAX_NAME),
    "Idempotency-Key": _header(
        "Idempotency-Key", "Repeat a request safely: the same key and arguments give the first result again.", 128
    ),
}

_ERROR_SCHEMAS: Json = {
    "Error": {
        "type": "object",
        "properties": {
            "ok": {"type": "boolean", "const": False},
            "error": {
                "type": "object",
                "properties": {
                    "error": {"type": "string", "description": "What happened, and often what to do."},
                    "code": {"$ref": f"{_SCHEMAS}ErrorCode"},
                    "details": {"type": "object", "additionalProperties": True},
                },
                "required": ["error", "code", "details"],
            },
        },
        "required": ["ok", "error"],
    },
    "ErrorCode": {"type": "string", "enum": [error.code for error in LongtableError.__subclasses__()]},
}


def _reachable(paths: Json, schemas: Mapping[str, Any]) -> Json:
    """The schemas that something refers to, in the order of their names."""
    return {name: schemas[name] for name in sorted(_closure([*_named(paths), "Error"], schemas))}


def _closure(names: Iterable[str], schemas: Mapping[str, Any]) -> set[str]:
    """These names, and those that their schemas refer to."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _named(schemas[name])
    return found


def _named(part: Any) -> list[str]:
    return re.findall(rf'"{re.escape(_SCHEMAS)}([^"]+)"', json.dumps(part))
