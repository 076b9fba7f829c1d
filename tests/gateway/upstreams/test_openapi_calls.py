"""Calls to a web service by its OpenAPI document: inputs in their places, answers as they are, within bounds."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from longtable.governance.model import Hints
from longtable.kernel.errors import InvalidArgument, NotFound, UpstreamError, UpstreamTimeout
from longtable.upstreams.entries import OpenApiEntry, ResourceLimits
from longtable.upstreams.openapi_upstream import OpenApiUpstream
from longtable.upstreams.port import UpstreamCall, UpstreamResult
from longtable.upstreams.references import SecretMask
from tests.gateway.upstreams.conftest import text_of
from tests.gateway.upstreams.servers import Served

pytestmark = pytest.mark.slow

STRING: dict[str, Any] = {"schema": {"type": "string"}}
LIST: dict[str, Any] = {"schema": {"type": "array"}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/items/{id}/parts": {
            "get": {
                "operationId": "get_parts",
                "parameters": [
                    {"name": "id", "in": "path", **STRING},
                    {"name": "many", "in": "query", **LIST},
                    {"name": "few", "in": "query", "explode": False, **LIST},
                    {"name": "filter", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                    {"name": "flag", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "X-Trace", "in": "header", **STRING},
                    {"name": "theme", "in": "cookie", **STRING},
                ],
            },
            "delete": {"operationId": "remove_parts", "parameters": [{"name": "id", "in": "path", **STRING}]},
        },
        "/items": {
            "post": {"operationId": "add_item", "requestBody": {"content": {"application/json": {"schema": {}}}}},
            "put": {
                "operationId": "send_form",
                "requestBody": {"content": {"application/x-www-form-urlencoded": {"schema": {}}}},
            },
        },
        **{
            f"/{name}": {"get": {"operationId": name, "parameters": [{"name": "size", "in": "query"}]}}
            for name in ("pets", "missing", "broken", "large", "picture", "slow", "away", "spelled", "deep")
        },
    },
}

Serve = Callable[..., OpenApiUpstream]


@pytest.fixture(scope="module")
def address() -> Any:
    with Served() as servers:
        yield servers.start("web_service").address


@pytest.fixture
async def serve(address: str, tmp_path: Path) -> AsyncIterator[Serve]:
    results: list[OpenApiUpstream] = []

    def make(**more: Any) -> OpenApiUpstream:
        file = tmp_path / "openapi.json"
        file.write_text(json.dumps(DOCUMENT))
        limits = ResourceLimits(**{key: more.pop(key) for key in tuple(more) if key in ResourceLimits.__slots__})
        headers = more.setdefault("headers", {})
        fields = {"document": str(file), "base_url": f"{address}/api", **more}
        results.append(
            OpenApiUpstream(
                OpenApiEntry(name="web", pack="web", limits=limits, mask=SecretMask(headers.values()), **fields)
            )
        )
        return results[-1]

    yield make
    for upstream in results:
        await upstream.close()


async def call(upstream: OpenApiUpstream, tool: str, **inputs: Any) -> UpstreamResult:
    return await upstream.call(UpstreamCall(tool, inputs))


async def sent(upstream: OpenApiUpstream, tool: str, **inputs: Any) -> dict[str, Any]:
    result = await call(upstream, tool, **inputs)
    assert result.structured is not None
    return dict(result.structured)


async def test_methods_say_what_an_operation_does(serve: Serve) -> None:
    definitions = {each.remote: each.hints for each in await serve().definitions()}

    assert definitions["pets"] == Hints(read_only=True, open_world=True)
    assert definitions["add_item"] == Hints(read_only=False, open_world=True)
    assert definitions["remove_parts"] == Hints(read_only=False, destructive=True, idempotent=True, open_world=True)


async def test_inputs_stand_in_their_places(serve: Serve) -> None:
    inputs = {
        "id": "a/b ü?",
        "many": ["x", "y&z"],
        "few": [1, 2],
        "filter": {"a": 1, "b": "c"},
        "flag": True,
        "X-Trace": "t-1",
        "theme": "dark; a=b",
    }

    got = await sent(serve(), "get_parts", **inputs)

    assert got["path"] == "/api/items/a%2Fb%20%C3%BC%3F/parts"
    assert got["query"] == "many=x&many=y%26z&few=1%2C2&filter%5Ba%5D=1&filter%5Bb%5D=c&flag=true"
    assert (got["headers"]["x-trace"], got["headers"]["cookie"]) == ("t-1", "theme=dark%3B%20a%3Db")


async def test_a_body_is_sent_as_json_or_as_a_form(serve: Serve) -> None:
    upstream = serve()

    as_json = await sent(upstream, "add_item", body={"name": "ü", "parts": [1]})
    as_form = await sent(upstream, "send_form", body={"a": "b c", "d": [1, 2]})

    assert (as_json["method"], json.loads(as_json["body"])) == ("POST", {"name": "ü", "parts": [1]})
    assert as_json["headers"]["content-type"] == "application/json"
    assert as_form["body"] == "a=b+c&d=1&d=2"


async def test_the_headers_of_the_file_go_with_every_call(serve: Serve) -> None:
    got = await sent(serve(headers={"Authorization": "Bearer ours"}), "add_item", body={})

    assert got["headers"]["authorization"] == "Bearer ours"
    assert got["headers"]["user-agent"] == "longtable"


@pytest.mark.parametrize("value", ["..", ".", "", None])
async def test_an_input_cannot_lead_to_another_path(serve: Serve, value: str | None) -> None:
    with pytest.raises(InvalidArgument):
        await call(serve(), "get_parts", id=value)


@pytest.mark.parametrize("value", ["a\r\nHost: evil", "ü"])
async def test_an_input_cannot_add_a_header(serve: Serve, value: str) -> None:
    with pytest.raises(InvalidArgument):
        await call(serve(), "get_parts", **{"id": "1", "X-Trace": value})


async def test_an_answer_is_text_and_object(serve: Serve) -> None:
    result = await call(serve(), "pets")

    assert json.loads(text_of(result)) == ["ada", "bo"]
    assert result.structured == {"result": ["ada", "bo"]}
    assert result.meta == {"status": 200}


async def test_a_refusal_of_the_service_keeps_its_details(serve: Serve) -> None:
    result = await call(serve(), "missing")

    assert result.is_error
    assert result.structured == {"detail": "no such pet", "id": 7}
    assert "HTTP 404" in text_of(result)
    assert "no such pet" in text_of(result)


async def test_five_failures_of_the_service_open_the_circuit(serve: Serve) -> None:
    upstream = serve()
    answers = [await call(upstream, "broken") for _ in range(5)]

    with pytest.raises(UpstreamError) as refused:
        await call(upstream, "pets")

    assert all(result.is_error and "out of order" in text_of(result) for result in answers)
    assert (upstream.health, refused.value.details["retry_after"] > 0) == ("open", True)


async def test_an_answer_that_is_too_large_is_cut_and_marked(serve: Serve) -> None:
    result = await call(serve(max_response_bytes=5_000), "large", size=500_000)

    assert result.truncated
    assert 4_000 < len(text_of(result)) <= 5_000


async def test_pictures_are_pictures(serve: Serve) -> None:
    result = await call(serve(), "picture")

    assert result.content == [{"type": "image", "data": "iVBORw==", "mimeType": "image/png"}]


async def test_a_text_in_an_encoding_that_nobody_knows_is_read_as_utf_8(serve: Serve) -> None:
    result = await call(serve(), "spelled")

    assert text_of(result) == "grün"
    assert result.structured is None


@pytest.mark.parametrize("levels", [300, 100_000])
async def test_an_answer_that_is_nested_too_deeply_is_text_alone(serve: Serve, levels: int) -> None:
    result = await call(serve(), "deep", size=levels)

    assert text_of(result) == "[" * levels + "]" * levels
    assert result.structured is None


async def test_inputs_that_make_an_address_too_long_are_refused_before_anything_is_sent(serve: Serve) -> None:
    upstream = serve()

    with pytest.raises(InvalidArgument, match="address"):
        await call(upstream, "pets", size="x" * 70_000)

    assert (await call(upstream, "pets")).structured == {"result": ["ada", "bo"]}


async def test_a_slow_service_is_given_up(serve: Serve) -> None:
    with pytest.raises(UpstreamTimeout):
        await call(serve(timeout=0.3), "slow")


async def test_a_redirect_to_another_host_is_not_followed(serve: Serve) -> None:
    result = await call(serve(), "away")

    assert result.is_error
    assert "redirects are not followed" in text_of(result)


async def test_a_document_can_be_fetched_with_its_own_server(serve: Serve, address: str) -> None:
    upstream = serve(document=f"{address}/openapi.json", base_url=None)

    result = await call(upstream, "listPets")

    assert result.structured == {"result": ["ada", "bo"]}


async def test_a_private_service_that_the_operator_did_not_list_is_not_reached(serve: Serve) -> None:
    with pytest.raises(UpstreamError, match="private"):
        await call(serve(base_url="https://10.255.255.1/api"), "pets")


async def test_an_operation_that_is_not_let_through_is_not_there(serve: Serve) -> None:
    upstream = serve(deny=("remove_*",))

    names = {each.remote for each in await upstream.definitions()}

    assert "remove_parts" not in names
    with pytest.raises(NotFound):
        await call(upstream, "remove_parts", id="1")


async def test_a_document_that_cannot_be_had_is_a_failure_with_its_reason(serve: Serve, address: str) -> None:
    upstream = serve(document=f"{address}/nothing-here.json")

    with pytest.raises(UpstreamError):
        await upstream.definitions()

    assert upstream.health == "failing"
    assert upstream.problem
