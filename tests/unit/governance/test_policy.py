"""What a tool may do: what is named, declared, hinted and ruled about it, and the strictest of that."""

from dataclasses import replace
from typing import Any

import pytest

from longtable.governance.model import Facts, Hints, Layer, ToolDefinition, ToolIdentity
from longtable.governance.policy import Policy
from longtable.governance.rules import parse_rules
from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.errors import ConfigError


def tool(canonical: str, **fields: Any) -> ToolDefinition:
    pack, _, action = canonical.partition(".")
    return ToolDefinition("upstream", ToolIdentity(pack, action), action, **fields)


def rules(*given: dict[str, Any]) -> Policy:
    return Policy(parse_rules(list(given), "rules"))


@pytest.mark.parametrize(
    ("canonical", "layer"),
    [
        ("wordpress.get_posts", Layer.PRIMITIVE),
        ("my-pack.get_x", Layer.PRIMITIVE),
        ("mcp.github.search_issues", Layer.PRIMITIVE),
        ("creative.read_draft", Layer.PRIMITIVE),
        ("shop.checkout", Layer.GOVERNED),
        ("shop.charge_check_card", Layer.GOVERNED),
        ("shop.send_mailing_list", Layer.GOVERNED),
        ("shop.getaway", Layer.GOVERNED),
        ("shop.nuke_status_page", Layer.GOVERNED),
        ("shop.settings_info_wipe", Layer.GOVERNED),
        ("shop.create_order", Layer.GOVERNED),
        ("shop.purge_cache", Layer.GOVERNED),
        ("shop.execute_sql", Layer.GOVERNED),
        ("default.filesystem_write_file", Layer.GOVERNED),
        ("shop.DeletePost", Layer.GOVERNED),
        ("wordpress.DELETE_post", Layer.GOVERNED),
        ("my-pack.delete_all", Layer.GOVERNED),
        ("shop.update_status", Layer.GOVERNED),
        ("seo.administer_poll", Layer.GOVERNED),
        ("default.wordpress.delete_post", Layer.GOVERNED),
        ("my-pack.internal_reset", Layer.INTERNAL),
        ("shop.debug", Layer.INTERNAL),
        ("shop.runMigrate", Layer.INTERNAL),
        ("system.get_time", Layer.INTERNAL),
        ("SYSTEM.get_time", Layer.INTERNAL),
        ("builtin.system.get_time", Layer.INTERNAL),
        ("shop.\uff41\uff44\uff4d\uff49\uff4e_panel", Layer.INTERNAL),
        ("shop.ad\u200bmin_panel", Layer.INTERNAL),
        ("shop.g\u0435t_posts", Layer.GOVERNED),
    ],
)
def test_a_name_gets_the_safe_layer(canonical: str, layer: Layer) -> None:
    decision = Policy().decide(tool(canonical))

    assert decision.layer is layer
    assert decision.confirm == ("human" if layer is Layer.GOVERNED else "none")


@pytest.mark.parametrize("action", ["delete_everything", "publish_site", "blog_post"])
def test_a_playbook_that_nobody_vouches_for_needs_a_person(action: str) -> None:
    decision = Policy().decide(tool(f"creative.{action}", is_playbook=True))

    assert (decision.layer, decision.confirm) == (Layer.GOVERNED, "human")


def test_an_internal_playbook_is_not_offered() -> None:
    assert Policy().decide(tool("default.system_admin", is_playbook=True)).layer is Layer.INTERNAL


@pytest.mark.parametrize(
    "facts",
    [
        Facts(risk_class="destructive"),
        Facts(side_effect_level="external_write"),
        Facts(danger_level="high"),
        Facts(read_only=False),
    ],
)
def test_what_a_backend_declares_raises_the_risk_of_a_harmless_name(facts: Facts) -> None:
    assert Policy().decide(tool("shop.get_orders", facts=facts)).layer is Layer.GOVERNED


def test_that_a_backend_calls_it_harmless_does_not_help_a_name_that_nobody_knows() -> None:
    harmless = Facts(risk_class="readonly", side_effect_level="none", read_only=True, danger_level="low")

    assert Policy().decide(tool("shop.checkout", facts=harmless)).layer is Layer.GOVERNED


def test_annotations_raise_a_risk_and_never_lower_it() -> None:
    policy = Policy()

    assert policy.decide(tool("files.read_file", hints=Hints(destructive=True))).layer is Layer.GOVERNED
    assert policy.decide(tool("files.tidy", hints=Hints(read_only=True))).layer is Layer.GOVERNED
    assert policy.decide(tool("files.delete", hints=Hints(read_only=True), trust="full")).layer is Layer.GOVERNED


def test_a_fully_trusted_upstream_is_believed_where_the_name_says_nothing() -> None:
    assert Policy().decide(tool("files.tree", hints=Hints(read_only=True), trust="full")).layer is Layer.PRIMITIVE


def test_one_line_allows_a_whole_trusted_upstream() -> None:
    policy = rules({"match": "files.*", "layer": "tool"})

    assert policy.decide(tool("files.write_file")).layer is Layer.PRIMITIVE
    assert policy.decide(tool("others.write_file")).layer is Layer.GOVERNED


def test_no_rule_brings_an_internal_tool_out() -> None:
    assert rules({"match": "*", "layer": "tool"}).decide(tool("shop.admin_reset")).layer is Layer.INTERNAL


def test_of_several_rules_the_strictest_holds() -> None:
    policy = rules({"match": "files.*", "layer": "tool"}, {"match": "files.delete_*", "layer": "run"})

    assert policy.decide(tool("files.delete_file")).layer is Layer.GOVERNED
    assert policy.decide(tool("files.write_file")).layer is Layer.PRIMITIVE


def test_a_rule_may_look_at_the_arguments() -> None:
    small = {"type": "object", "properties": {"amount": {"type": "number", "maximum": 10}}, "required": ["amount"]}
    policy = rules({"match": "shop.pay", "layer": "tool", "when": small})

    assert policy.decide(tool("shop.pay"), {"amount": 5}).confirm == "none"
    assert policy.decide(tool("shop.pay"), {"amount": 50}).confirm == "human"
    assert policy.decide(tool("shop.pay")).confirm == "human"


def test_a_change_of_the_rules_is_a_change_of_the_policy() -> None:
    assert Policy().version != rules({"match": "a.*", "layer": "run"}).version


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"layer": "tool"}, "rules[0].match"),
        ({"match": "a.*"}, "rules[0]"),
        ({"match": "a.*", "layer": "free"}, "rules[0].layer"),
        ({"match": "a.*", "confirm": "maybe"}, "rules[0].confirm"),
        ({"match": "a.*", "rate": "often"}, "rules[0].rate"),
        ({"match": "a.*", "layer": "tool", "when": {"type": "nonsense"}}, "rules[0].when"),
        ({"match": "a.*", "layer": "tool", "extra": 1}, "rules[0].extra"),
    ],
)
def test_a_mistake_in_a_rule_is_told_with_its_place(given: dict[str, Any], place: str) -> None:
    with pytest.raises(ConfigError) as refused:
        rules(given)

    assert refused.value.details["place"] == place
    assert "\n" not in refused.value.message


ALICE = Caller("acme", Role.AGENT, "alice", "generic", Surface.HTTP, session_id="sess_one")


@pytest.mark.parametrize(
    ("who", "holds"),
    [
        ({"agents": ["alice"]}, True),
        ({"agents": "AL*"}, True),
        ({"agents": ["bob", "carol"]}, False),
        ({"roles": ["agent", "local"]}, True),
        ({"roles": ["orchestrator"]}, False),
        ({"tenants": ["acm?"]}, True),
        ({"tenants": ["rival"]}, False),
        ({"sessions": ["sess_*"]}, True),
        ({"sessions": ["sess_two"]}, False),
        ({"agents": ["alice"], "tenants": ["rival"]}, False),
        ({"agents": ["alice"], "roles": ["agent"], "tenants": ["acme"], "sessions": ["*"]}, True),
    ],
)
def test_a_rule_that_says_who_holds_for_those_who_match_all_of_it(who: dict[str, Any], holds: bool) -> None:
    policy = rules({"match": "shop.*", "layer": "deny", **who})

    decisions = [policy.for_caller(ALICE).decide(tool("shop.get_a")), policy.decide(tool("shop.get_a"))]

    assert [decision.listed for decision in decisions] == [not holds, True]


def test_callers_with_the_same_rules_share_an_audience_and_others_do_not() -> None:
    policy = rules({"match": "a.*", "layer": "deny", "agents": ["alice"]}, {"match": "b.*", "layer": "deny"})
    bob, carol = replace(ALICE, agent="bob"), replace(ALICE, agent="carol")

    audiences = [policy.for_caller(each).audience for each in (ALICE, bob, carol)]

    assert audiences[0] != audiences[1] == audiences[2]
    assert policy.for_caller(bob) is policy.for_caller(carol)
    assert policy.for_caller(bob).version == policy.version


@pytest.mark.parametrize(
    ("who", "problem"),
    [
        ({"agent": ["alice"]}, "is not a key of a rule"),
        ({"agents": []}, "one or more agents"),
        ({"sessions": [7]}, "one or more sessions"),
        ({"tenants": None}, "one or more tenants"),
        ({"roles": ["boss"]}, "boss is no role; there are agent, orchestrator"),
    ],
)
def test_who_is_read_strictly(who: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        rules({"match": "a.*", "layer": "deny", **who})


@pytest.mark.parametrize("name", ["query", "run_query", "read_query", "query_sql", "executeSql", "cypher_query"])
def test_what_takes_a_program_is_governed_unless_a_rule_reads_its_argument(name: str) -> None:
    only_reads = {"properties": {"sql": {"pattern": "^SELECT [^;]*$"}}, "required": ["sql"]}
    by_argument = rules({"match": f"db.{name}", "layer": "tool", "when": only_reads})

    assert Policy().decide(tool(f"db.{name}")).layer is Layer.GOVERNED
    assert by_argument.decide(tool(f"db.{name}"), {"sql": "SELECT 1"}).layer is Layer.PRIMITIVE
    assert by_argument.decide(tool(f"db.{name}"), {"sql": "DROP TABLE a"}).layer is Layer.GOVERNED
