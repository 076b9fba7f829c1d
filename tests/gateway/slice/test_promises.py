"""What a tool promises to answer with: clients throw an answer away that does not fit it, also one of ours."""

from collections.abc import AsyncIterator
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # the package has no types
import pytest

from tests.gateway.hostile.entries import hostile_json
from tests.gateway.slice.gateway import AUTH_ON, GatewayServer, approve, names, opened, use
from tests.stores import Store

pytestmark = pytest.mark.slow

GET, FELL = "mindscape_tool_wood_get_tree", "mindscape_run_wood_delete_tree"
LARGE = 2_000
SMALL_CAP = {"max_response_bytes": 4_096}


@pytest.fixture
async def wood(store: Store, tmp_path: Path) -> AsyncIterator[GatewayServer]:
    async with opened(store, tmp_path, AUTH_ON, servers={"wood": hostile_json("promising", **SMALL_CAP)}) as gateway:
        yield gateway


async def test_every_answer_fits_what_the_list_promises(wood: GatewayServer) -> None:
    alice = wood.agent("alice", token="acme-secret")
    listed = await names(alice)

    required = await use(alice, FELL, inputs={"leaves": 2})
    await approve(await wood.person(), required)
    response = {
        "read": (GET, await use(alice, GET)),
        "asked": (FELL, required),
        "felled": (FELL, await use(alice, FELL, inputs={"leaves": 2}, confirm_token=required.details["confirm_token"])),
        "wrong": (GET, await use(alice, GET, inputs={"leaves": "many"})),
        "large": (GET, await use(alice, GET, inputs={"leaves": LARGE})),
    }

    for name, each in response.values():
        jsonschema.Draft7Validator(listed[name]["outputSchema"]).validate(each.structured)
    assert [each.code for _, each in response.values()] == [
        *("SUCCESS", "CONFIRMATION_REQUIRED", "SUCCESS", "INVALID_ARGUMENT", "SUCCESS")
    ]
    assert response["read"][1].structured == {"name": "root", "children": [{"name": "leaf", "children": []}]}
    assert (response["large"][1].structured, response["large"][1].meta["truncated"]) == ({"truncated": True}, True)


async def test_what_the_tool_promises_is_kept_and_its_references_lead_somewhere(wood: GatewayServer) -> None:
    schema = (await names(wood.agent("alice", token="acme-secret")))[GET]["outputSchema"]
    leaf = {"name": "leaf", "children": []}

    checks = jsonschema.Draft7Validator(schema)

    assert schema["type"] == "object"
    assert checks.is_valid({"name": "root", "children": [leaf]})
    assert not checks.is_valid({"name": "root", "children": [{**leaf, "name": 1}]})
    assert not checks.is_valid({"name": "root", "children": [{"name": "leaf"}]})
    assert not checks.is_valid({"name": "root", "children": [], "more": 1})
