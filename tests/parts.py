"""A pytest plugin: the parts into which all tests are divided. `--part test` runs what `make test` does, `--part proof`
what it leaves to `make proof`, and `--part measured` those of the first whose coverage is measured."""

import pytest

_MEASURED = ("tests/unit/", "tests/spec/", "tests/contracts/", "tests/gateway/")
_SLOW_TOO = "tests/spec/"
_NOT_MEASURED = (
    "tests/spec/test_tenant_walls.py",
    "tests/spec/test_whole_table.py",
    "tests/spec/test_repeats.py",
    "tests/spec/test_mixed_tenants.py",
    "tests/spec/test_fuzz.py",
)
"""Each runs the same code thousands of times."""

SQLITE_IS_ENOUGH = (
    # Decided before a store is reached: arguments, addresses, formats, policies, the protocol.
    "tests/gateway/listing/",
    "tests/gateway/oauth/test_terminal.py",
    "tests/gateway/playbooks/test_governed.py",
    "tests/gateway/playbooks/test_steps.py",
    "tests/gateway/protocol/test_notifications.py",
    "tests/gateway/protocol/test_prompts.py",
    "tests/gateway/protocol/test_questions.py",
    "tests/gateway/protocol/test_resources.py",
    "tests/gateway/slice/test_approvers.py",
    "tests/gateway/slice/test_binding.py",
    "tests/gateway/slice/test_calls.py",
    "tests/gateway/slice/test_inputs.py",
    "tests/gateway/slice/test_metadata_addresses.py",
    "tests/gateway/slice/test_pin_mutations.py",
    "tests/gateway/slice/test_policy.py",
    "tests/gateway/slice/test_promises.py",
    "tests/sign_in/",
    "tests/gateway/slice/test_verification.py",
    "tests/gateway/traces/",
    "tests/spec/notebooks/test_checking.py",
    "tests/spec/notebooks/test_reading.py",
    "tests/spec/notebooks/test_refusals.py",
    "tests/spec/notebooks/test_schemas.py",
    "tests/spec/search/test_modes.py",
    "tests/spec/test_answer_size.py",
    "tests/spec/test_argument_errors.py",
    "tests/spec/test_blank_arguments.py",
    "tests/spec/test_call_limits.py",
    "tests/spec/test_console_login.py",
    "tests/spec/test_cut_answers.py",
    "tests/spec/test_durations.py",
    "tests/spec/test_event_kinds.py",
    "tests/spec/test_human_secret_notice.py",
    "tests/spec/test_impostors.py",
    "tests/spec/test_json_objects.py",
    "tests/spec/test_fast_path.py",
    "tests/spec/test_metrics.py",
    "tests/spec/test_openapi.py",
    "tests/spec/test_page_size.py",
    "tests/spec/test_payloads.py",
    "tests/spec/test_token_routes.py",
    "tests/spec/test_tool_list.py",
    "tests/spec/test_web_tokens.py",
    # PostgreSQL keeps no pages: each is read anew.
    "tests/spec/test_kept_pages.py",
    # Made of what other tests run on both stores: the same statements, read or shown in another way.
    "tests/gateway/protocol/test_client_confirmation.py",
    "tests/gateway/protocol/test_elicited_answers.py",
    "tests/spec/test_agent_names.py",
    "tests/spec/test_background_failures.py",
    "tests/spec/test_client.py",
    "tests/spec/test_client_events.py",
    "tests/spec/test_client_methods.py",
    "tests/spec/test_client_notebooks.py",
    "tests/spec/test_draft_reading.py",
    "tests/spec/test_draft_events.py",
    "tests/spec/test_event_stream.py",
    "tests/spec/test_exports.py",
    "tests/spec/test_looking_back.py",
    "tests/spec/test_plan_reading.py",
    "tests/spec/test_prompts.py",
    "tests/spec/test_resource_updates.py",
    "tests/spec/test_resources.py",
    "tests/spec/test_scratchpad_resources.py",
    # Their statements are run on both stores by the mixed tenants, which call every tool; their races are, too.
    "tests/e2e/test_cli_trash.py",
    "tests/gateway/oauth/test_connect.py",
    "tests/gateway/playbooks/test_runs.py",
    "tests/gateway/protocol/test_subscriptions.py",
    "tests/gateway/slice/test_added_upstreams.py",
    "tests/gateway/slice/test_call_details.py",
    "tests/gateway/slice/test_call_list.py",
    "tests/gateway/slice/test_intents.py",
    "tests/gateway/slice/test_limits.py",
    "tests/gateway/slice/test_who.py",
    "tests/spec/notebooks/test_eviction.py",
    "tests/spec/notebooks/test_namespaces.py",
    "tests/spec/notebooks/test_notebook_events.py",
    "tests/spec/notebooks/test_scratchpads.py",
    "tests/spec/notebooks/test_trash.py",
    "tests/spec/search/test_vowel_signs.py",
    "tests/spec/test_adoption.py",
    "tests/spec/test_answer_tokens.py",
    "tests/spec/test_answers.py",
    "tests/spec/test_brief.py",
    "tests/spec/test_cell_redaction.py",
    "tests/spec/test_compression.py",
    "tests/spec/test_directed_messages.py",
    "tests/spec/test_every_text_redacted.py",
    "tests/spec/test_header_mismatch.py",
    "tests/spec/test_identity.py",
    "tests/spec/test_inbox.py",
    "tests/spec/test_messages.py",
    "tests/spec/test_newest_pages.py",
    "tests/spec/test_notices.py",
    "tests/spec/test_open_questions.py",
    "tests/spec/test_page_bytes.py",
    "tests/spec/test_pauses.py",
    "tests/spec/test_questions.py",
    "tests/spec/test_redaction.py",
    "tests/spec/test_replanning.py",
    "tests/spec/test_shares.py",
    "tests/spec/test_suggestions.py",
    "tests/spec/test_table_app.py",
    "tests/spec/test_tables.py",
    "tests/spec/test_unnamed_agents.py",
    "tests/spec/test_usage.py",
    # Run on both stores through a balancer, to two servers (`BALANCED` in the Makefile), or by the same code as those.
    "tests/spec/test_answer_waits.py",
    "tests/spec/test_connections.py",
    "tests/spec/test_subscriptions.py",
    "tests/spec/test_subscriptions_http.py",
    # Kept in the memory of one process; what two of them do stays on both stores.
    "tests/e2e/test_delivery.py::test_an_answer_",
    "tests/e2e/test_delivery.py::test_another_connection_",
    "tests/e2e/test_delivery.py::test_messages_in_an_answer_",
    "tests/e2e/test_delivery.py::test_what_was_read_does_not_",
    # On both stores the same processes are lost; `tests/e2e/test_crash.py` asks what each store keeps.
    "tests/e2e/test_embedding_crash.py",
    "tests/restarts/",
    # Volume.
    "tests/search_quality/",
    "tests/spec/notebooks/test_growing.py",
    "tests/spec/test_fuzz.py",
    "tests/spec/test_repeats.py",
    "tests/spec/test_whole_table.py",
)
"""Tests that `make test` runs on SQLite alone, by the beginning of their ids. What is not named here runs on both
stores; what must, is said in docs/explanation/testing.md."""

_RACES = ("_at_once", "_twenty_")
"""Both stores decide them, each in its own way: these run on both, by a part of the name of the test, in any file."""

_REFUSED_EARLY = ("test_a_bad_", "test_one_bad_")
"""Arguments that no store ever sees, by the beginning of the name of the test, in any file."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", choices=("test", "proof", "measured"), help="run one of the parts of all tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("part")
    if part is None:
        return
    chosen = [item for item in items if _is_in(part, item)]
    config.hook.pytest_deselected(items=[item for item in items if not _is_in(part, item)])
    items[:] = chosen


def _is_in(part: str, item: pytest.Item) -> bool:
    is_proof = bool(item.get_closest_marker("proof")) or (_is_on_postgresql(item) and _is_sqlite_enough(item))
    match part:
        case "proof":
            return is_proof
        case "measured":
            return not is_proof and _is_measured(item)
        case _:
            return not is_proof


def _is_measured(item: pytest.Item) -> bool:
    """What runs in the process of the tests, on the embedded store: tracing slows servers down to half their speed."""
    if not item.nodeid.startswith(_MEASURED) or item.nodeid.startswith(_NOT_MEASURED) or _is_on_postgresql(item):
        return False
    return item.nodeid.startswith(_SLOW_TOO) or item.get_closest_marker("slow") is None


def _is_sqlite_enough(item: pytest.Item) -> bool:
    if item.name.startswith(_REFUSED_EARLY):
        return True
    return item.nodeid.startswith(SQLITE_IS_ENOUGH) and not any(part in item.name for part in _RACES)


def _is_on_postgresql(item: pytest.Item) -> bool:
    return (
        isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and "postgresql" in item.callspec.params.values()
    )
