"""Tools of a Mindscape backend: how they are listed, called and told of."""

import pytest

from longtable.kernel.errors import ConfirmationRequired, InvalidArgument, NotFound
from tests.gateway.mindscape.gateway import BackendGateway, local
from tests.gateway.mindscape.reference import ReferenceBackend

ALICE = local()


async def test_tools_and_playbooks_are_offered_under_names_of_pack_and_action(gateway: BackendGateway) -> None:
    names = set(await gateway.listed(ALICE))

    assert "mindscape_tool_shop_list_orders" in names
    assert "mindscape_run_wordpress_delete_post" in names
    assert "mindscape_tool_default_workspace_query_database" in names
    assert {name for name in names if "weekly_digest" in name} == {"mindscape_playbook_shop_weekly_digest"}


async def test_the_pack_of_a_tool_is_not_doubled(gateway: BackendGateway) -> None:
    names = set(await gateway.listed(ALICE))

    assert "mindscape_run_core_workspace_package_report" in names
    assert not [name for name in names if "core_core" in name]


async def test_every_keyword_of_a_schema_is_kept(gateway: BackendGateway) -> None:
    shown = (await gateway.listed(ALICE))["mindscape_run_wordpress_delete_post"]

    inputs = shown["inputSchema"]["properties"]["inputs"]
    assert inputs["additionalProperties"] is False
    assert inputs["$defs"] == {"id": {"type": "integer", "minimum": 1}}
    assert "workspace_id" not in shown["inputSchema"].get("required", [])


async def test_odd_packs_get_names_of_their_own_and_can_be_called(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(odd_packs=True)

    names = {name for name, tool in (await gateway.listed(ALICE)).items() if tool["_meta"]["pack"] in ("a", "a_b")}
    reading = next(name for name in await gateway.listed(ALICE) if "my-pack" in name)
    result = await gateway.calls(ALICE, reading)

    assert len(names) == 2
    assert result.structured is not None
    assert result.structured["status"] == "completed"


async def test_a_call_is_sent_as_the_backend_wants_it(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    result = await gateway.calls(ALICE, "mindscape_tool_shop_list_orders", inputs={"day": "2026-01-02"})

    [sent] = await backend.requests("POST /tools/execute")
    [workspace] = await backend.workspaces()
    assert sent["query"] == {"profile_id": "default-user"}
    assert sent["body"] == {
        "workspace_id": workspace["id"],
        "product_surface_id": "mcp-gateway",
        "operation_type": "read",
        "execution_backend": "local",
        "tool_name": "shop.list_orders",
        "arguments": {"day": "2026-01-02"},
    }
    assert result.structured is not None
    assert result.structured["outputs"] == {"echo": {"day": "2026-01-02"}}
    assert set(result.structured) == {"status", "inputs", "outputs", "logs", "_metadata"}
    assert (result.structured["inputs"], result.structured["logs"]) == ({}, [])


async def test_what_is_ours_never_reaches_a_tool(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    context = {"original_message": "orders, please", "surface_type": "cursor"}

    await gateway.calls(ALICE, "mindscape_tool_shop_list_orders", day="2026-01-02", confirm_token="x", _context=context)

    [sent] = await backend.requests("POST /tools/execute")
    assert sent["body"]["arguments"] == {"day": "2026-01-02"}


async def test_a_tool_that_takes_a_workspace_gets_that_of_the_call_and_no_other(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    name = "mindscape_tool_default_workspace_query_database"

    await gateway.calls(ALICE, name, inputs={"query": "select 1"})
    with pytest.raises(InvalidArgument):
        await gateway.calls(ALICE, name, inputs={"query": "select 1", "workspace_id": "somebody-elses"})

    [sent] = await backend.requests("POST /tools/execute")
    [workspace] = await backend.workspaces()
    assert sent["body"]["arguments"] == {"query": "select 1", "workspace_id": workspace["id"]}


@pytest.mark.parametrize(
    ("error", "reported"),
    [("the shop is closed", {"code": "UNKNOWN", "message": "the shop is closed"}), ({"code": "X1"}, {"code": "X1"})],
)
async def test_a_tool_that_failed_with_status_200_is_an_error(
    gateway: BackendGateway, backend: ReferenceBackend, error: object, reported: object
) -> None:
    await backend.has(failing_tools={"shop.list_orders": error})

    result = await gateway.calls(ALICE, "mindscape_tool_shop_list_orders")

    assert result.is_error
    assert result.structured is not None
    assert (result.structured["status"], result.structured["error"]) == ("failed", reported)


async def test_an_artifact_that_may_not_be_disclosed_is_a_failure_with_its_codes(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    codes = [f"c{number}" for number in range(30)]
    await backend.has(results={"shop.list_orders": {"artifact_created": False, "blocking_codes": codes}})

    result = await gateway.calls(ALICE, "mindscape_tool_shop_list_orders")

    assert result.is_error
    assert result.structured is not None
    assert result.structured["error"]["code"] == "ARTIFACT_DISCLOSURE_BLOCKED"
    assert result.structured["error"]["details"] == codes[:20]


async def test_an_artifact_that_a_person_must_review_is_no_failure(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    await backend.has(results={"shop.list_orders": {"artifact_created": False, "review_requirements": ["legal"]}})

    result = await gateway.calls(ALICE, "mindscape_tool_shop_list_orders")

    assert (result.status, result.is_error) == ("confirmation_required", False)


async def test_a_result_beyond_the_limit_is_cut_and_says_so(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    await backend.has(results={"shop.list_orders": {"text": "x" * 1_100_000}})

    result = await gateway.calls(ALICE, "mindscape_tool_shop_list_orders")

    assert result.meta["truncated"] is True
    assert result.structured is not None
    assert result.structured["outputs"]["truncated"] is True
    assert len(result.structured["outputs"]["text"]) == 1_048_576


async def test_a_governed_tool_waits_for_a_person_and_then_runs_once(
    gateway: BackendGateway, backend: ReferenceBackend
) -> None:
    name, inputs = "mindscape_run_shop_update_status", {"order": 7}

    with pytest.raises(ConfirmationRequired) as refusal:
        await gateway.calls(ALICE, name, inputs=inputs)
    assert await backend.times("POST /tools/execute") == 0
    await gateway.person_says(refusal.value.details["confirmation_id"])
    await gateway.calls(ALICE, name, inputs=inputs, confirm_token=refusal.value.details["confirm_token"])

    [sent] = await backend.requests("POST /tools/execute")
    assert sent["body"]["operation_type"] == "modify"


async def test_a_name_that_is_not_listed_is_refused(gateway: BackendGateway, backend: ReferenceBackend) -> None:
    with pytest.raises(NotFound):
        await gateway.calls(ALICE, "mindscape_run_default_wordpress.delete_post", inputs={"post_id": 1})

    assert await backend.times("POST /tools/execute") == 0
