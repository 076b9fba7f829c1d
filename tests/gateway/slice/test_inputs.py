"""Inputs: the schema of a tool is kept whole, checked before anything runs, and what is ours never reaches the tool."""

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # the package has no types
import pytest

from tests.gateway.slice.gateway import GET, GatewayServer, names, use
from tests.spec.test_argument_errors import LIBRARY_PHRASES

pytestmark = pytest.mark.slow

TREE, NAMED = "mindscape_tool_shop_get_tree", "mindscape_tool_shop_get_named"
RESERVED = "mindscape_tool_shop_get_reserved"
OURS: dict[str, Any] = {
    "_context": {"original_message": "do it", "conversation_id": "c1"},
    "idempotency_key": "k1",
    "surface_type": "cursor",
    "surface_user_id": "u1",
}
FITTING: list[dict[str, Any]] = [
    {"tree": {"name": "a", "children": [{"name": "b", "children": []}]}, "size": 4},
    {"tree": {"name": "a"}, "example": {"$ref": "#/$defs/node"}, "default": "word"},
]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"size": 4}, "inputs"),
    ({"tree": {"name": "a", "children": [{"name": "B"}]}}, "inputs.tree.children"),
    ({"tree": {"name": "a"}, "size": 3}, "inputs.size"),
    ({"tree": {"name": "a"}, "size": 12}, "inputs.size"),
    ({"tree": {"name": "a"}, "other": 1}, "inputs"),
    ({"tree": {"name": "a"}, "default": "NO"}, "inputs.default"),
    ({"tree": {"name": "a"}, "example": {"$ref": "#/properties/inputs/$defs/node"}}, "inputs.example"),
]


async def test_every_keyword_of_a_schema_is_kept_and_its_references_lead_somewhere(gateway: GatewayServer) -> None:
    listed = await names(gateway.agent())
    schema = listed[TREE]["inputSchema"]
    own = schema["properties"]["inputs"]

    jsonschema.Draft202012Validator.check_schema(schema)
    checks = jsonschema.Draft202012Validator(schema)

    assert own["properties"]["size"] == {"type": "integer", "minimum": 1, "maximum": 10, "multipleOf": 2}
    assert (own["required"], own["additionalProperties"]) == (["tree"], False)
    assert own["properties"]["tree"] == {"$ref": "#/properties/inputs/$defs/node"}
    assert own["properties"]["example"] == {"const": {"$ref": "#/$defs/node"}}
    assert own["properties"]["default"] == {"$ref": "#/properties/inputs/$defs/word"}
    for fitting in FITTING:
        checks.validate({"inputs": fitting, "workspace_id": "w"})
    for wrong, _ in WRONG:
        assert not checks.is_valid({"inputs": wrong})


async def test_a_schema_with_an_address_of_its_own_is_left_as_it_is(gateway: GatewayServer) -> None:
    schema = (await names(gateway.agent()))[NAMED]["inputSchema"]
    checks = jsonschema.Draft202012Validator(schema)

    assert schema["properties"]["inputs"]["$id"] == "https://example.org/named.json"
    assert checks.is_valid({"inputs": {"word": "abc"}})
    assert not checks.is_valid({"inputs": {"word": "abcd"}})
    assert (await use(gateway.agent(), NAMED, inputs={"word": "abc"})).code == "SUCCESS"
    assert (await use(gateway.agent(), NAMED, inputs={"word": "abcd"})).code == "INVALID_ARGUMENT"


async def test_every_listed_schema_is_one(gateway: GatewayServer) -> None:
    for tool in (await names(gateway.agent())).values():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert set(tool["inputSchema"]["properties"]) - {"confirm_token"} == {"inputs"}
        assert "required" not in tool["inputSchema"]


@pytest.mark.parametrize("flat", [False, True], ids=["nested", "flat"])
async def test_inputs_are_checked_before_anything_runs(gateway: GatewayServer, flat: bool) -> None:
    for wrong, path in WRONG:
        response = await use(gateway.agent(), TREE, wrong if flat else {"inputs": wrong})
        assert response.code == "INVALID_ARGUMENT"
        assert response.details["errors"][0]["path"].startswith(path)
    simple = await use(gateway.agent(), GET, {"id": "seven"} if flat else {"inputs": {"id": "seven"}})
    before = gateway.ran()
    for fitting in FITTING:
        assert (await use(gateway.agent(), TREE, fitting if flat else {"inputs": fitting})).code == "SUCCESS"

    assert (simple.code, simple.details["errors"][0]["path"]) == ("INVALID_ARGUMENT", "inputs.id")
    assert before == []
    assert gateway.ran() == FITTING


async def test_wrong_inputs_are_explained_like_those_of_our_own_tools(gateway: GatewayServer) -> None:
    responses = [await use(gateway.agent(), TREE, inputs=wrong) for wrong, _ in WRONG]
    simple = await use(gateway.agent(), GET, inputs={"id": "seven"})

    words = [json.dumps(answer.details["errors"]) for answer in [*responses, simple]]
    assert not [each for each in words if any(phrase in each for phrase in LIBRARY_PHRASES)]
    assert responses[2].details["errors"][0]["message"] == "must be an integer of 1 to 10 (multipleOf 2)"
    assert simple.message == "inputs.id: must be an integer."


@pytest.mark.parametrize("where", ["nested", "flat", "among the inputs"])
async def test_what_is_ours_never_reaches_the_tool(gateway: GatewayServer, where: str) -> None:
    await gateway.table.session("sess_one")
    ours = {**OURS, "workspace_id": "sess_one"}
    arguments: dict[str, Any] = {
        "nested": {"inputs": {"id": 1}, **ours},
        "flat": {"id": 1, **ours},
        "among the inputs": {
            "inputs": {"id": 1, **{name: ours[name] for name in ("_context", "idempotency_key", "workspace_id")}}
        },
    }[where]

    response = await use(gateway.agent(), GET, arguments)
    again = await use(gateway.agent(), GET, arguments)

    assert (response.code, again.code) == ("SUCCESS", "SUCCESS")
    assert response.meta["intent_id"] == "i1"
    assert gateway.ran() == [{"id": 1}]


async def test_a_tool_may_have_arguments_named_like_ours(gateway: GatewayServer) -> None:
    theirs = {
        name: f"its {name}" for name in ("workspace_id", "confirm_token", "idempotency_key", "_context", "inputs")
    }

    nested = await use(gateway.agent(), RESERVED, inputs={**theirs, "conversation_id": "its"})
    flat = await use(gateway.agent(), RESERVED, conversation_id="its", surface_type="ours")

    assert (nested.code, flat.code) == ("SUCCESS", "SUCCESS")
    assert gateway.ran() == [{**theirs, "conversation_id": "its"}, {"conversation_id": "its"}]


async def test_arguments_of_the_wrong_shape_are_refused(gateway: GatewayServer) -> None:
    wrong: list[dict[str, Any]] = [
        {"inputs": "text"},
        {"inputs": [1]},
        {"inputs": {"id": 1}, "id": 2},
        {"inputs": {"id": 1}, "_context": "text"},
        {"id": 1, "confirm_token": 5},
        {"id": 1, "confirm_token": "nul\0"},
        {"id": 1, "idempotency_key": "x" * 129},
        {"id": 1, "workspace_id": 5},
    ]

    codes = [(await use(gateway.agent(), GET, arguments)).code for arguments in wrong]

    assert codes == ["INVALID_ARGUMENT"] * len(wrong)
    assert gateway.ran() == []


async def test_inputs_that_are_too_large_are_refused(gateway: GatewayServer) -> None:
    response = await use(gateway.agent(), "mindscape_tool_shop_list_posts", inputs={"x": "y" * 1_100_000})

    assert response.code == "PAYLOAD_TOO_LARGE"
    assert gateway.ran() == []
