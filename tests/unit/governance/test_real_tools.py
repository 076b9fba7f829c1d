"""What a name says about the effect of a tool, for a thousand tools of published servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from longtable.governance.model import Layer, ToolDefinition, ToolIdentity
from longtable.governance.policy import Policy

TABLE = Path(__file__).with_name("real_tools.txt")


def tools(expected: str) -> Iterator[tuple[str, str]]:
    for line in TABLE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            server, effect, *names = line.split()
            yield from ((server, name) for name in names if effect == expected)


def layer(pack: str, name: str) -> Layer:
    return Policy().decide(ToolDefinition(pack, ToolIdentity(pack, name), name)).layer


def test_no_tool_that_changes_anything_runs_unasked() -> None:
    acting = list(tools("acts"))

    assert len(acting) > 400
    assert [tool for tool in acting if layer(*tool) is Layer.PRIMITIVE] == []


def test_nine_in_ten_tools_that_only_read_run_unasked() -> None:
    reading = list(tools("reads"))
    governed = [tool for tool in reading if layer(*tool) is not Layer.PRIMITIVE]

    assert len(reading) > 400
    assert len(governed) <= len(reading) / 10, governed


@pytest.mark.parametrize(
    "name",
    [
        *("checkOut", "check_out", "status_set", "list_clear", "get-token-revoke", "getUserAndBan", "query_sql"),
        *("get_user_and_frobnicate", "log_event", "read_query", "run_sql", "query", "search_and_post", "GetThenPin"),
    ],
)
def test_a_verb_that_changes_something_counts_wherever_it_stands(name: str) -> None:
    assert layer("shop", name) is Layer.GOVERNED


@pytest.mark.parametrize(
    "name",
    [
        *("git_status", "git_diff", "git_diff_staged", "git_log", "git_show", "getCommit", "list_pull_requests"),
        *("get_issue_comments", "describeTable", "zotero_get_tags", "web-search", "workspace_query_database"),
    ],
)
def test_a_noun_after_a_reading_verb_is_what_is_read(name: str) -> None:
    assert layer("shop", name) is Layer.PRIMITIVE
