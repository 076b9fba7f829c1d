"""Operations of an OpenAPI document as tools: one schema for all inputs, with every keyword kept."""

from typing import Any

import jsonschema_rs
import pytest

from longtable.kernel.errors import UpstreamError
from longtable.upstreams.openapi_document import ApiOperation, parse_document

PETS = """
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers: [{url: https://pets.example.com/v1}]
paths:
  /pets/{petId}:
    parameters:
      - {$ref: "#/components/parameters/PetId"}
    get:
      operationId: getPet
      summary: Gets a pet.
      description: By its number.
      parameters:
        - {name: fields, in: query, style: form, explode: false, schema: {type: array, items: {enum: [name, age]}}}
        - {name: X-Trace, in: header, schema: {type: string, pattern: "^[a-z]+$"}}
        - {name: Authorization, in: header, schema: {type: string}}
    delete: {}
  /pets:
    post:
      operationId: createPet
      parameters: [{name: body, in: query, schema: {type: string}}]
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: "#/components/schemas/Pet"}}
    put:
      operationId: createPet
      requestBody:
        content: {application/xml: {schema: {type: object}}}
components:
  parameters:
    PetId:
      {name: petId, in: path, required: true, description: Its number., schema: {$ref: "#/components/schemas/Number"}}
  schemas:
    Number: {type: integer, minimum: 0, exclusiveMinimum: true}
    Pet:
      type: object
      required: [name]
      additionalProperties: false
      properties:
        name: {type: string, minLength: 1, maxLength: 20, example: {$ref: not a reference}}
        nick: {type: string, nullable: true}
        friends: {type: array, maxItems: 3, items: {$ref: "#/components/schemas/Pet"}}
        kind: {oneOf: [{const: cat}, {const: dog}], discriminator: {propertyName: kind}}
"""


def operations(text: str = PETS) -> dict[str, ApiOperation]:
    return {each.name: each for each in parse_document(text).operations}


def test_operations_are_named_by_their_id_or_by_method_and_path() -> None:
    assert set(operations()) == {"getPet", "delete_pets_petId", "createPet"}


def test_the_schema_has_parameters_of_every_place() -> None:
    schema = operations()["getPet"].schema

    assert set(schema["properties"]) == {"petId", "fields", "X-Trace"}
    assert schema["required"] == ["petId"]
    assert schema["properties"]["petId"] == {"$ref": "#/$defs/Number", "description": "Its number."}
    assert schema["$defs"] == {"Number": {"type": "integer", "exclusiveMinimum": 0}}
    assert schema["properties"]["X-Trace"]["pattern"] == "^[a-z]+$"
    assert operations()["getPet"].description == "Gets a pet.\n\nBy its number."


@pytest.mark.parametrize(
    ("pet", "fits"),
    [
        ({"name": "ada"}, True),
        ({"name": "ada", "nick": None, "friends": [{"name": "bo"}]}, True),
        ({"name": ""}, False),
        ({"name": "ada", "friends": [{"name": ""}]}, False),
        ({"name": "ada", "friends": [{"name": "b"}] * 4}, False),
        ({"name": "ada", "other": 1}, False),
        ({"name": "ada", "kind": "cow"}, False),
    ],
)
def test_a_body_is_checked_by_every_keyword_of_its_schema(pet: dict[str, Any], fits: bool) -> None:
    operation = operations()["createPet"]
    assert operation.body_key == "request_body"

    validator = jsonschema_rs.validator_for(dict(operation.schema))

    assert validator.is_valid({"request_body": pet}) is fits


def test_references_out_of_the_document_are_not_followed() -> None:
    text = """
openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      requestBody: {content: {application/json: {schema: {$ref: "https://evil.example/schema.json"}}}}
    get:
      parameters: [{$ref: "file:///etc/passwd"}, {$ref: "#/nowhere"}, {name: q, in: query, schema: {$ref: "#/a/b"}}]
"""

    found = operations(text)

    assert found["a"].schema["$defs"] == {"schema.json": {}}
    assert set(found["get_a"].schema["properties"]) == {"q"}


def test_references_in_a_circle_end() -> None:
    text = """
openapi: 3.1.0
paths:
  /a:
    get: {operationId: a, parameters: [{$ref: "#/components/parameters/A"}]}
components:
  parameters: {A: {$ref: "#/components/parameters/B"}, B: {$ref: "#/components/parameters/A"}}
"""

    assert operations(text)["a"].parameters == ()


@pytest.mark.parametrize("text", ["", "[]", "{", "swagger: '2.0'", "openapi: 2.0", "a: [", "openapi: 4.0.0"])
def test_what_is_no_openapi_document_is_refused(text: str) -> None:
    with pytest.raises(UpstreamError):
        parse_document(text)


@pytest.mark.parametrize("paths", ["[]", "{/a: 1}", "{a: {get: {}}}", "{/a: {get: 1}}", "{/a: {get: {parameters: 1}}}"])
def test_odd_documents_do_no_harm(paths: str) -> None:
    assert len(parse_document(f"openapi: 3.1.0\npaths: {paths}").operations) <= 1
