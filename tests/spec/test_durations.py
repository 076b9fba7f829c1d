"""Lengths of time in arguments: an integer is seconds, a text has a unit, in every tool alike."""

from collections.abc import Iterator
from typing import Any

import pytest

from longtable.kernel.clock import SECOND, from_iso
from longtable.kernel.errors import InvalidArgument
from longtable.toolkit.arguments import parse_arguments
from longtable.toolkit.tool import Tool
from scripts import docs
from tests.spec.test_plan import adds
from tests.table import Agent, Refused, Table

NAMES = ("ttl", "expires_in")
SINCE = ["brief", "get_messages", "get_answered_questions", "get_audit_log", "get_usage"]


def lengths() -> Iterator[tuple[Tool[Any], str]]:
    for tool in docs.every_tool():
        for name in tool.arguments.model_fields:
            if name in NAMES or name.endswith("_seconds"):
                yield tool, name


LENGTHS = pytest.mark.parametrize(
    ("tool", "name"), [pytest.param(*each, id=f"{each[0].name}-{each[1]}") for each in lengths()]
)


def fault(tool: Tool[Any], name: str, value: Any) -> str | None:
    """What is said about this argument."""
    try:
        parse_arguments(tool.arguments, {name: value})
    except InvalidArgument as refusal:
        return next((each["message"] for each in refusal.details["errors"] if each["path"] == name), None)
    return None


def test_there_are_lengths_in_many_tools() -> None:
    assert len(list(lengths())) >= 10


@LENGTHS
def test_every_length_is_seconds_or_a_text_with_a_unit(tool: Tool[Any], name: str) -> None:
    assert [value for value in (20, "20", "20s") if fault(tool, name, value) is not None] == []


@LENGTHS
@pytest.mark.parametrize("value", ["soon", "1h30m", "-1s", "1.5h", "20 s s", True, [20], {"s": 20}, "9" * 11 + "s"])
def test_another_form_is_refused_with_those_that_are_allowed(tool: Tool[Any], name: str, value: Any) -> None:
    message = fault(tool, name, value)

    assert message == "must be seconds, or a text such as 90s, 15m, 24h, 7d"


@LENGTHS
def test_a_length_beyond_the_limit_is_refused_with_the_limit(tool: Tool[Any], name: str) -> None:
    for value in (10**12, "9999999999d", -1):
        message = fault(tool, name, value)
        assert message is not None
        assert message.startswith("must be ")
        assert " to " in message


@LENGTHS
def test_its_schema_and_its_words_tell_the_unit(tool: Tool[Any], name: str) -> None:
    schema = tool.input_schema()["properties"][name]

    assert [choice["type"] for choice in schema["anyOf"]] in (["integer", "string"], ["number", "string"])
    assert "seconds" in schema["description"]


@pytest.mark.parametrize(("ttl", "seconds"), [(3600, 3600), ("3600", 3600), ("90s", 90), ("15m", 900), ("7d", 604_800)])
async def test_a_session_lives_so_long(table: Table, ttl: Any, seconds: int) -> None:
    created = await table.agent("boss").calls("create_session", ttl=ttl)
    extended = await table.agent("boss").client.post(f"/sessions/{created['session_id']}/extend", json={"ttl": ttl})

    for answer in (created, extended.json()):
        assert abs(from_iso(answer["expires_at"]) - table.clock() - seconds * SECOND) < 30 * SECOND


async def test_a_lease_and_a_memory_last_so_long(table: Table, alice: Agent) -> None:
    await adds(alice, "one")

    claimed = await alice.calls("claim_task", lease_seconds="2h")
    kept = await alice.calls("set_memory", key="k", value=1, expires_in="2h")

    for moment in (claimed["lease_expires_at"], kept["expires_at"]):
        assert abs(from_iso(moment) - table.clock() - 7200 * SECOND) < 30 * SECOND


async def test_a_wait_takes_a_text_and_parts_of_a_second(alice: Agent) -> None:
    assert (await alice.calls("wait_for_messages", timeout_seconds="0s"))["messages"] == []
    assert (await alice.calls("read_events", after=10**9, wait_seconds=0.01))["events"] == []
    with pytest.raises(Refused, match="0s to 50s"):
        await alice.calls("wait_for_messages", timeout_seconds="15m")


@pytest.mark.parametrize("name", SINCE)
def test_a_point_in_time_may_be_told_by_its_age(name: str) -> None:
    tool = next(each for each in docs.every_tool() if each.name == name)
    good, bad = ["2026-01-31T12:00:00Z", "2026-01-31", "24h", "90s", "9999999999d"], ["soon", "1h30m", "-1s", "24"]

    assert [value for value in good if fault(tool, "since", value) is not None] == []
    assert [value for value in bad if "or an age such as 15m, 24h, 7d" not in (fault(tool, "since", value) or "")] == []


async def test_what_is_older_than_an_age_is_left_out(table: Table) -> None:
    alice = table.agent("alice", await table.session("sess_one"))
    await alice.calls("add_message", content="Hello.")
    await alice.calls("add_note", content="A fact.")

    for _ in range(2):
        assert (await alice.calls("get_messages", since="1h"))["count"] == 1
        assert (await alice.calls("get_messages", since="9999999999d"))["count"] == 1
        assert (await alice.calls("get_messages", since="0s"))["count"] == 0
        assert (await alice.calls("get_messages", until="1h"))["count"] == 0
    assert (await alice.calls("brief", since="1h"))["notes"]["newest"]
    assert "newest" not in (await alice.calls("brief", since="0s")).get("notes", {})
    assert (await alice.calls("get_audit_log", since="1h"))["entries"]
