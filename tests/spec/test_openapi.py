"""The description of REST: complete, true, and readable without a script."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # the package has no types

from longtable.console.authorization_pages import AuthorizationPages
from longtable.console.routes import Console
from longtable.toolkit.arguments import parse_arguments
from tests.spec.openapi_document import answer_schema, at, check, resolved
from tests.stores import Store
from tests.table import Table, open_table

pytestmark = pytest.mark.slow

Json = dict[str, Any]

METHODS = {"get", "post", "put", "patch", "delete"}
HOSTILE = "<script>alert('1')</script>\" onload=\"x"


@pytest.fixture
async def document(table: Table) -> Json:
    response = await table.agent().client.get("/openapi.json")
    found: Json = response.json()
    return found


@pytest.fixture
async def hostile(store: Store, tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(store, tmp_path, server_name=HOSTILE, enable_metrics="true") as opened:
        yield opened


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def parts(value: Any) -> Iterator[Json]:
    """Every object in the document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(inner)


async def test_the_document_has_the_form_of_openapi_3_1(document: Json) -> None:
    assert document["openapi"] == "3.1.0"
    assert set(document) == {"openapi", "info", "servers", "security", "tags", "paths", "components"}
    assert {"title", "version"} <= set(document["info"])
    assert all(re.fullmatch(r"/[^?#]*", path) and set(document["paths"][path]) <= METHODS for path in document["paths"])
    names = [name for kind in document["components"].values() for name in kind]
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9._-]+", name)] == []


async def test_every_reference_in_the_document_leads_somewhere(document: Json) -> None:
    references = {part["$ref"] for part in parts(document) if "$ref" in part}

    assert references
    assert all(at(document, reference) for reference in references)


async def test_no_named_part_is_left_unused(document: Json) -> None:
    references = {part["$ref"] for part in parts(document) if "$ref" in part}
    kinds = ("schemas", "responses", "parameters")
    named = {f"#/components/{kind}/{name}" for kind in kinds for name in document["components"][kind]}

    assert named == references


async def test_every_schema_in_the_document_is_a_schema(document: Json) -> None:
    schemas = [part["schema"] for part in parts(document) if "schema" in part]

    for schema in [*schemas, *document["components"]["schemas"].values()]:
        Draft202012Validator.check_schema(schema)


async def test_every_operation_has_an_id_of_its_own_a_declared_tag_and_answers(document: Json) -> None:
    found = [operation for _, _, operation in operations(document)]

    ids = [operation["operationId"] for operation in found]
    tags = {tag["name"] for tag in document["tags"]}
    answers = [resolved(document, answer) for operation in found for answer in operation["responses"].values()]
    assert len(ids) == len(set(ids))
    assert {tag for operation in found for tag in operation["tags"]} == tags
    assert all(answer["description"] for answer in answers)


async def test_every_operation_declares_the_parameters_in_its_path_and_none_twice(document: Json) -> None:
    for path, _, operation in operations(document):
        found = [resolved(document, parameter) for parameter in operation.get("parameters", [])]
        names = [(parameter["in"], parameter["name"]) for parameter in found]

        assert {name for place, name in names if place == "path"} == set(re.findall(r"{(\w+)}", path))
        assert len(names) == len(set(names))
        assert all(parameter["required"] for parameter in found if parameter["in"] == "path")


async def test_the_document_names_exactly_the_routes_that_are_served(hostile: Table) -> None:
    described = (await hostile.agent().client.get("/openapi.json")).json()

    served = {
        (method.lower(), route.path_format)
        for route in hostile.http.routes
        for method in route.methods or ()
        if method != "HEAD" and route.path not in Console.open_paths | AuthorizationPages.open_paths
        if not route.path.startswith(tuple(Console.open_folders))
    }
    assert {(method, path) for path, method, _ in operations(described)} == served
    assert ("get", "/metrics") in served


async def test_every_route_of_every_tool_is_described_under_its_name(table: Table, document: Json) -> None:
    expected = {tool.name for tool in table.app.dispatcher.tools.values() if tool.routes}

    assert expected <= {operation["operationId"] for _, _, operation in operations(document)}


async def test_the_codes_of_failures_are_listed(document: Json) -> None:
    codes = document["components"]["schemas"]["ErrorCode"]["enum"]

    assert {"INVALID_ARGUMENT", "UNAUTHORIZED", "SESSION_EXPIRED", "INTERNAL_ERROR"} <= set(codes)
    for _, _, operation in operations(document):
        if "x-roles" in operation:
            assert {"400", "401", "403", "404", "409", "410", "413", "503"} <= set(operation["responses"])


async def test_only_writes_take_an_idempotency_key(document: Json) -> None:
    reference = {"$ref": "#/components/parameters/Idempotency-Key"}

    taking = {op["operationId"] for _, _, op in operations(document) if reference in op.get("parameters", [])}

    assert {"add_note", "create_session", "close_session"} <= taking
    assert not {"read_notes", "list_sessions", "get_session"} & taking


async def test_every_example_of_a_request_is_accepted_by_its_tool(table: Table, document: Json) -> None:
    tools = table.app.dispatcher.tools
    for path, _, operation in operations(document):
        if "requestBody" not in operation:
            continue
        content = operation["requestBody"]["content"]["application/json"]
        placeholders = {part["name"]: part["schema"] for part in operation["parameters"] if part.get("in") == "path"}
        named = {name: 1 if schema.get("type") == "integer" else "text" for name, schema in placeholders.items()}
        named |= {"session_id": "session_0123456789abcdef"} if "{session_id}" in path else {}
        tool = tools[re.sub(r"_\d+$", "", operation["operationId"])]
        fits = {name: value for name, value in named.items() if name in tool.arguments.model_fields}

        check(document, content["schema"], content["example"])
        assert parse_arguments(tool.arguments, {**content["example"], **fits})


async def test_answers_have_the_shape_that_the_document_promises(table: Table, document: Json) -> None:
    client = table.agent("alice").client
    inside = "/sessions/sess_one"
    calls: list[tuple[str, str, str, Json | None]] = [
        ("post", "/sessions", "/sessions", {"session_id": "sess_one", "purpose": "x", "ttl": "2h"}),
        ("post", f"{inside}/notes", "/sessions/{session_id}/notes", {"content": "first"}),
        ("post", f"{inside}/notes", "/sessions/{session_id}/notes", {"content": "second", "supersedes": "n1"}),
        ("get", f"{inside}/notes?query=second", "/sessions/{session_id}/notes", None),
        ("get", f"{inside}/notes?limit=1", "/sessions/{session_id}/notes", None),
        ("get", "/sessions", "/sessions", None),
        ("get", inside, "/sessions/{session_id}", None),
        ("post", f"{inside}/extend", "/sessions/{session_id}/extend", {"ttl": "3h"}),
        ("post", f"{inside}/close", "/sessions/{session_id}/close", {}),
        ("get", "/health", "/health", None),
        ("get", "/ready", "/ready", None),
    ]
    for method, address, path, body in calls:
        response = await client.request(method, address, json=body)

        assert response.status_code < 300, response.text
        assert str(response.status_code) in document["paths"][path][method]["responses"]
        check(document, answer_schema(document, path, method, response.status_code), response.json())


@pytest.mark.parametrize(
    ("request_line", "body", "status"),
    [
        ("post /sessions/sess_one/notes", {"content": 1}, 400),
        ("post /sessions/sess_one/notes", {"content": "x" * 65_537}, 413),
        ("get /sessions/nowhere/notes", None, 404),
        ("post /sessions", {"session_id": "sess_one"}, 409),
        ("get /sessions/sess_one/notes?query=x&mode=semantic", None, 503),
    ],
)
async def test_failures_have_the_shape_that_the_document_promises(
    table: Table, session: str, document: Json, request_line: str, body: Json | None, status: int
) -> None:
    method, address = request_line.split(" ")
    path = re.sub(r"/sessions/\w+", "/sessions/{session_id}", address.partition("?")[0])

    response = await table.agent("alice").client.request(method, address, json=body)

    assert response.status_code == status, response.text
    assert str(status) in document["paths"][path][method]["responses"]
    check(document, answer_schema(document, path, method, status), response.json())


async def test_the_document_is_the_same_each_time(table: Table) -> None:
    client = table.agent().client

    first, second = await client.get("/openapi.json"), await client.get("/openapi.json")

    assert first.content == second.content
    assert first.headers["content-type"] == "application/json"


@pytest.mark.parametrize("path", ["/openapi.json", "/docs"])
async def test_the_description_needs_a_token_where_auth_is_on(company: Table, path: str) -> None:
    without = await company.agent().client.get(path)
    with_token = await company.agent(token="acme-secret").client.get(path)

    assert (without.status_code, without.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert with_token.status_code == 200


async def test_the_page_shows_every_route_with_an_example(table: Table, document: Json) -> None:
    page = (await table.agent().client.get("/docs")).text

    for path, method, operation in operations(document):
        section = page.partition(f'<details id="{operation["operationId"]}">')[2].partition("</details>")[0]
        assert path in section
        assert f'<span class="method">{method.upper()}</span>' in section
        assert "curl" in section


async def test_the_page_has_no_script_and_asks_no_other_host(table: Table) -> None:
    response = await table.agent().client.get("/docs")

    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "<script" not in response.text
    assert re.findall(r'(?:src|href)="(?![#/])[^"]*"', response.text) == []
    assert response.headers["content-type"].startswith("text/html")


async def test_the_page_escapes_what_an_operator_wrote(hostile: Table) -> None:
    page = (await hostile.agent().client.get("/docs")).text

    assert "<script" not in page
    assert "&lt;script&gt;" in page
