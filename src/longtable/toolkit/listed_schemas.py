"""Schemas as `tools/list` shows them: an agent pays for every word. They have what is needed to make a call and to find
the parts of its result; the reference, the REST description and the clients have everything. Calls are checked against
the whole schema all the same."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_LONG = 1_000
"""A limit of so many items or more is not met by a call that means well."""
_MANY = 12
"""More choices than these are named by the answer itself, or by the error for another."""
_OBVIOUS = 20
"""So many characters say no more than a name."""
_UNIT = "_seconds"
_NULL = {"type": "null"}
_JSON_TEXT = {"type": "string"}
"""What stands for an object of free keys: OpenAI's strict mode refuses a tool that has one."""
_ANY_JSON = {"anyOf": [{"type": name} for name in ("string", "number", "boolean")]}
"""Said in full: some clients refuse an argument without a type."""
_IN_EVERY_RESULT = ("error", "code", "details", "timestamp", "session_id", "inbox", "truncated")
"""Explained once, in the reference."""


def listed_input(schema: Mapping[str, Any]) -> Schema:
    """Definitions stand where they are used; without null, which is the same as leaving an argument out, and without
    limits that go without saying."""
    shown = _input(schema, schema.get("$defs", {}))
    # An object that names its arguments: whether others are allowed need not be said, they are refused.
    return {"type": "object", **shown}


def listed_output(schema: Mapping[str, Any]) -> Schema:
    """The names and types of its fields. What is inside of each is in the answer itself."""
    definitions = schema.get("$defs", {})
    fields = {
        name: _type_of(part, definitions) for name, part in schema["properties"].items() if name not in _IN_EVERY_RESULT
    }
    return {"type": "object", "properties": fields, "required": schema["required"]}


def _input(schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    if "$ref" in schema:
        return {**_input(_referred(schema, definitions), definitions), **_besides(schema, "$ref")}
    if "anyOf" in schema:
        return _choice(schema, definitions)
    shown = {key: part for key, part in schema.items() if not _goes_without_saying(key, part)}
    if _is_free(schema):
        return {**shown, **_JSON_TEXT}
    if "properties" in shown:
        shown["properties"] = _arguments(shown["properties"], definitions)
    if "items" in shown:
        shown["items"] = _input(shown["items"], definitions)
    return shown if "type" in shown else {**_ANY_JSON, **shown}


def _arguments(properties: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> Schema:
    # Frameworks make models of the arguments, in which a name that begins with an underscore is not allowed.
    return {name: _property(name, part, definitions) for name, part in properties.items() if not name.startswith("_")}


def _property(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    shown = _input(schema, definitions)
    if name.endswith(_UNIT) and "anyOf" in shown:
        # Its name has the unit: other forms are accepted, but need not be listed.
        shown = {**shown["anyOf"][0], **_besides(shown, "anyOf")}
    for inside in (shown, shown.get("items", {})):
        if "properties" in inside:
            inside["properties"] = {each: _plain(part) for each, part in inside["properties"].items()}
    return shown


def _plain(schema: Schema) -> Schema:
    """A field inside an argument, without its description where that is short: its name says as much."""
    return schema if len(schema.get("description", "")) > _OBVIOUS else _besides(schema, "description")


def _choice(schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    offered = [choice for choice in schema["anyOf"] if choice != _NULL and not _is_map(choice)]
    shown = [_input(choice, definitions) for choice in offered]
    choices = [choice for at, choice in enumerate(shown) if choice not in shown[:at]]
    besides = _besides(schema, "anyOf")
    if besides.get("default", "") is None:
        del besides["default"]
    return {**choices[0], **besides} if len(choices) == 1 else {"anyOf": choices, **besides}


def _is_free(schema: Mapping[str, Any]) -> bool:
    """An object with keys of the caller's own, which is taken as JSON text as well (`toolkit/json_objects.py`)."""
    return schema.get("additionalProperties") is True and "properties" not in schema


def _is_map(schema: Mapping[str, Any]) -> bool:
    """Whether it is an object whose values are all of one type. Such an object is always the second form of an
    argument, and the first is enough."""
    return isinstance(schema.get("additionalProperties"), Mapping)


def _goes_without_saying(key: str, part: Any) -> bool:
    match key:
        # Google's converter of tools fails where additional properties are allowed or forbidden in so many words.
        case "pattern" | "maxLength" | "maximum" | "minimum" | "$defs" | "additionalProperties" | "maxProperties":
            return True
        case "enum":
            return len(part) > _MANY
        case "maxItems":
            return bool(part >= _LONG)
        case "minLength" | "minItems":
            return part in (0, 1)
        case "default":
            return part in (False, 0, "")
        case _:
            return False


def _type_of(schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    if "$ref" in schema:
        return _type_of(_referred(schema, definitions), definitions)
    if "anyOf" in schema:
        types = [_type_of(choice, definitions).get("type") for choice in schema["anyOf"]]
        return {"type": types} if all(isinstance(each, str) for each in types) else {}
    if schema.get("type") == "array":
        return (
            {"type": "array", "items": _type_of(schema["items"], definitions)}
            if "items" in schema
            else {"type": "array"}
        )
    return {"type": schema["type"]} if "type" in schema else {}


def _referred(schema: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Schema:
    return definitions[schema["$ref"].rsplit("/", 1)[-1]]


def _besides(schema: Mapping[str, Any], key: str) -> Schema:
    return {name: part for name, part in schema.items() if name != key}
