"""What the OpenAPI document says of an answer."""

from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # the package has no types

Json = dict[str, Any]


def at(document: Json, reference: str) -> Any:
    found: Any = document
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return found


def resolved(document: Json, part: Json) -> Json:
    found: Json = at(document, part["$ref"]) if "$ref" in part else part
    return found


def check(document: Json, schema: Json, value: Any) -> None:
    """Raises when the value is not what the schema of the document says."""
    Draft202012Validator({**schema, "components": document["components"]}).validate(value)


def answer_schema(document: Json, path: str, method: str, status: int) -> Json:
    responses = document["paths"][path][method]["responses"]
    response = resolved(document, responses.get(str(status), responses["default"]))
    schema: Json = response["content"]["application/json"]["schema"]
    return schema
