"""How a backend's ids and declarations are read."""

import pytest

from longtable.governance.model import Facts, ToolDefinition, ToolIdentity
from longtable.upstreams.mindscape_results import playbook_result, status_of
from longtable.upstreams.mindscape_tools import identity_of, operation_type, read_definitions


@pytest.mark.parametrize(
    ("tool_id", "pack", "action"),
    [
        ("wordpress.get_posts", "wordpress", "get_posts"),
        ("core.workspace_package_report", "core", "workspace_package_report"),
        ("mcp.github.search_issues", "mcp", "github.search_issues"),
        ("wp.my-site.post.create_draft", "wp", "my-site.post.create_draft"),
        ("web_generation.publish_site", "web_generation", "publish_site"),
        ("workspace_query_database", "default", "workspace_query_database"),
        (".odd", "default", ".odd"),
        ("odd.", "default", "odd."),
    ],
)
def test_the_pack_is_what_stands_before_the_first_dot(tool_id: str, pack: str, action: str) -> None:
    assert identity_of(tool_id) == ToolIdentity(pack, action)


@pytest.mark.parametrize(
    ("code", "pack", "identity"),
    [
        ("blog_post", "creative", "creative.blog_post"),
        ("creative.blog_post", "creative", "creative.blog_post"),
        ("ig_batch", "ig_harvest", "ig_harvest.ig_batch"),
        ("daily_planning", None, "default.daily_planning"),
    ],
)
def test_a_playbook_has_its_pack_once(code: str, pack: str | None, identity: str) -> None:
    [found] = read_definitions({"playbooks": [{"playbook_code": code, "capability_code": pack, "name": "N"}]})

    assert str(found.identity) == identity
    assert found.is_playbook


@pytest.mark.parametrize(
    ("action", "operation"),
    [
        ("list_orders", "read"),
        ("get_posts", "read"),
        ("update_status", "modify"),
        ("create_list", "modify"),
        ("checkout", "payment"),
        ("charge_check_card", "payment"),
        ("deletePost", "delete"),
        ("DELETE_post", "delete"),
        ("get_and_delete", "delete"),
        ("publish_site", "publish"),
        ("send_mailing_list", "publish"),
        ("getaway", "modify"),
        ("anything", "modify"),
    ],
)
def test_the_backend_is_told_honestly_what_a_call_does(action: str, operation: str) -> None:
    assert operation_type(ToolDefinition("mindscape", ToolIdentity("shop", action), f"shop.{action}")) == operation


@pytest.mark.parametrize("facts", [Facts(read_only=False), Facts(risk_class="destructive")])
def test_what_is_declared_to_write_is_no_read(facts: Facts) -> None:
    declared = ToolDefinition("mindscape", ToolIdentity("shop", "get_orders"), "shop.get_orders", facts=facts)

    assert operation_type(declared) == "modify"


@pytest.mark.parametrize("rubbish", [None, [], "x", {"tools": 3}, {"tools": [3, {"tool_id": 4}], "playbooks": {}}])
def test_rubbish_lists_nothing(rubbish: object) -> None:
    assert read_definitions(rubbish) == []


def test_a_schema_without_bottom_is_left_out() -> None:
    schema: dict[str, object] = {}
    for _ in range(100_000):
        schema = {"not": schema}

    found = read_definitions({"tools": [{"tool_id": "a.b", "input_schema": schema}, {"tool_id": "a.c"}]})

    assert [each.remote for each in found] == ["a.c"]


def test_what_a_backend_declares_is_kept_where_it_has_the_form_it_should_have() -> None:
    [found] = read_definitions({"tools": [{"tool_id": "a.b", "read_only": "yes", "danger_level": "high"}]})

    assert found.facts == Facts(None, None, None, "high")
    assert found.input_schema == {"type": "object"}


@pytest.mark.parametrize(
    ("answered", "status"),
    [
        ({"status": "queued", "execution_id": "e", "result": {"status": "queued"}}, "running"),
        ({"execution_mode": "conversation", "execution_id": "e"}, "running"),
        ({"execution_mode": "workflow", "execution_id": "e", "status": "completed", "digest": 1}, "completed"),
        ({"status": "failed", "error": "boom"}, "failed"),
        ({"status": "error", "error": {"code": "E"}}, "failed"),
    ],
)
def test_a_playbook_is_done_only_when_it_is(answered: dict[str, object], status: str) -> None:
    assert playbook_result("p", answered).status == status


def test_flattened_results_of_a_playbook_are_its_outputs() -> None:
    result = playbook_result(
        "p", {"execution_mode": "workflow", "execution_id": "e", "status": "completed", "digest": 1}
    )

    assert result.structured is not None
    assert result.structured["outputs"] == {"digest": 1}
    assert result.structured["execution_id"] == "e"


@pytest.mark.parametrize(("word", "status"), [("PAUSED", "running"), ("Cancelled", "failed"), (None, "completed")])
def test_the_backends_words_mean_three_things(word: object, status: str) -> None:
    assert status_of(word) == status
