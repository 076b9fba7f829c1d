"""Memory: what an agent keeps for itself, and nobody else reads."""

import asyncio
from typing import Any

import pytest

from longtable.kernel.clock import HOUR
from tests.table import Agent, Refused, Table, open_table


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        "",
        "text ü \u2028",
        [],
        [1, [2, {"a": None}]],
        [{"a": None, "b": ""}],
        {},
        {"a": {"b": [1]}},
    ],
    ids=str,
)
async def test_any_json_value_comes_back_as_it_was(alice: Agent, value: Any) -> None:
    set_ = await alice.calls("set_memory", key="k", value=value)

    read = await alice.calls("get_memory", key="k")

    assert (read["value"], read["version"], read["scope"]) == (value, 1, "global")
    assert (set_["version"], set_["expires_at"]) == (1, None)


async def test_memory_is_the_agents_own_across_sessions_and_hidden_from_others(table: Table) -> None:
    one, two = await table.session("sess_one"), await table.session("sess_two")
    await table.agent("ann", one).calls("set_memory", key="plan", value="mine")

    assert (await table.agent("ann", two).calls("get_memory", key="plan"))["value"] == "mine"
    with pytest.raises(Refused, match="NOT_FOUND"):
        await table.agent("bob", one).calls("get_memory", key="plan")
    assert (await table.agent("bob", one).calls("list_memory"))["entries"] == []
    assert (await table.agent("bob", one).calls("delete_memory", key="plan"))["deleted"] is False
    assert (await table.agent("ann", one).calls("get_memory", key="plan"))["value"] == "mine"


async def test_what_is_kept_in_a_session_is_apart_from_what_is_kept_across(table: Table) -> None:
    one, two = await table.session("sess_one"), await table.session("sess_two")
    ann = table.agent("ann")
    await ann.calls("set_memory", key="k", value="across")
    await ann.calls("set_memory", key="k", value="in one", session_id=one)

    assert (await ann.calls("get_memory", key="k"))["value"] == "across"
    kept = await ann.calls("get_memory", key="k", session_id=one)
    assert (kept["value"], kept["scope"]) == ("in one", "session")
    with pytest.raises(Refused, match="NOT_FOUND"):
        await ann.calls("get_memory", key="k", session_id=two)
    with pytest.raises(Refused, match="SESSION_MISMATCH"):
        await table.agent("ann", two).calls("get_memory", key="k", session_id=one)


async def test_a_bound_agent_can_name_its_own_session_and_no_other(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    ann = company.agent("ann", "sess_acme", "acme-secret")

    await ann.calls("set_memory", key="k", value=1, session_id="sess_acme")

    assert (await ann.tries("set_memory", key="k", value=1, session_id="sess_other"))["code"] == "SESSION_MISMATCH"
    assert (await company.agent("ann", None, "acme-secret").calls("list_memory"))["entries"] == []


async def test_versions_guard_against_overwriting(alice: Agent) -> None:
    await alice.calls("set_memory", key="k", value=1, expected_version=0)
    await alice.calls("set_memory", key="k", value=2, expected_version=1)

    with pytest.raises(Refused, match="VERSION_CONFLICT") as refusal:
        await alice.calls("set_memory", key="k", value=3, expected_version=1)

    assert refusal.value.details["current_version"] == 2
    assert (await alice.calls("get_memory", key="k"))["value"] == 2


async def test_of_twenty_writes_at_once_to_one_version_one_wins(alice: Agent) -> None:
    await alice.calls("set_memory", key="k", value="start")

    outcomes = await asyncio.gather(
        *(alice.tries("set_memory", key="k", value=n, expected_version=1) for n in range(20))
    )

    codes = [outcome["code"] for outcome in outcomes]
    assert (codes.count("SUCCESS"), codes.count("VERSION_CONFLICT")) == (1, 19)
    assert (await alice.calls("get_memory", key="k"))["version"] == 2


async def test_what_expires_is_gone_and_counts_no_more(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path, max_memory="2") as table:
        ann = table.agent("ann")
        await ann.calls("set_memory", key="brief", value=1, expires_in="30m")
        await ann.calls("set_memory", key="lasting", value=1, expires_in=7200)
        with pytest.raises(Refused, match="CAPACITY_LIMIT_REACHED"):
            await ann.calls("set_memory", key="third", value=1)
        table.clock.ahead = HOUR

        with pytest.raises(Refused, match="NOT_FOUND"):
            await ann.calls("get_memory", key="brief")
        await table.app.jobs.run()
        await ann.calls("set_memory", key="third", value=1)
        assert [entry["key"] for entry in (await ann.calls("list_memory"))["entries"]] == ["lasting", "third"]


async def test_keys_are_listed_by_prefix_page_by_page_without_values(alice: Agent) -> None:
    for key in ("a/1", "a/2", "a/3", "b/1", "a%"):
        await alice.calls("set_memory", key=key, value="x" * 10)

    first = await alice.calls("list_memory", prefix="a/", limit=2)
    second = await alice.calls("list_memory", prefix="a/", limit=2, cursor=first["next_cursor"])

    assert [entry["key"] for page in (first, second) for entry in page["entries"]] == ["a/1", "a/2", "a/3"]
    assert "value" not in first["entries"][0]
    assert first["entries"][0]["value_size"] == 12
    assert [entry["key"] for entry in (await alice.calls("list_memory", prefix="a%"))["entries"]] == ["a%"]


@pytest.mark.parametrize(
    ("arguments", "code", "field"),
    [
        ({"value": 1}, "INVALID_ARGUMENT", "key"),
        ({"key": "k"}, "INVALID_ARGUMENT", "value"),
        ({"key": "", "value": 1}, "INVALID_ARGUMENT", "key"),
        ({"key": "a b", "value": 1}, "INVALID_ARGUMENT", "key"),
        ({"key": "a\n", "value": 1}, "INVALID_ARGUMENT", "key"),
        ({"key": "k" * 256, "value": 1}, "INVALID_ARGUMENT", "key"),
        ({"key": "k", "value": "x" * 1_048_577}, "PAYLOAD_TOO_LARGE", "value"),
        ({"key": "k", "value": 1, "expires_in": "soon"}, "INVALID_ARGUMENT", "expires_in"),
        ({"key": "k", "value": 1, "expires_in": 0}, "INVALID_ARGUMENT", "expires_in"),
        ({"key": "k", "value": 1, "expected_version": -1}, "INVALID_ARGUMENT", "expected_version"),
        ({"key": "k", "value": {"a": "\ud800"}}, "INVALID_ARGUMENT", "value"),
    ],
)
async def test_bad_memory_is_refused_by_the_name_of_its_field(
    alice: Agent, arguments: dict[str, Any], code: str, field: str
) -> None:
    envelope = await alice.tries("set_memory", **arguments)

    assert envelope["code"] == code
    assert field in envelope["error"]
    assert (await alice.calls("list_memory"))["entries"] == []


async def test_a_value_that_no_answer_could_show_is_refused(alice: Agent) -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]

    with pytest.raises(Refused) as refused:
        await alice.calls("set_memory", key="deep", value=deep)

    assert refused.value.code == "PAYLOAD_TOO_LARGE"


async def test_who_has_not_seen_the_current_value_does_not_delete_it(alice: Agent) -> None:
    for value in (1, 2):
        await alice.calls("set_memory", key="k", value=value)

    with pytest.raises(Refused, match="expected_version: 'k' is at version 2") as refusal:
        await alice.calls("delete_memory", key="k", expected_version=1)
    kept = await alice.calls("get_memory", key="k")
    deleted = await alice.calls("delete_memory", key="k", expected_version=2)

    assert (refusal.value.code, refusal.value.details["current_version"]) == ("VERSION_CONFLICT", 2)
    assert (kept["value"], deleted["deleted"]) == (2, True)


async def test_of_twenty_deletions_of_one_version_one_succeeds(alice: Agent) -> None:
    await alice.calls("set_memory", key="k", value=1)

    answers = await asyncio.gather(*(alice.tries("delete_memory", key="k", expected_version=1) for _ in range(20)))

    assert sorted(answer["code"] for answer in answers) == ["SUCCESS", *["VERSION_CONFLICT"] * 19]


async def test_deleting_twice_says_that_nothing_was_left(alice: Agent) -> None:
    await alice.calls("set_memory", key="k", value=1)

    assert [(await alice.calls("delete_memory", key="k"))["deleted"] for _ in range(2)] == [True, False]


async def test_what_has_expired_is_not_there_to_be_deleted(table: Table) -> None:
    ann = table.agent("ann")
    await ann.calls("set_memory", key="brief", value=1, expires_in="30m")
    table.clock.ahead = HOUR

    assert (await ann.calls("delete_memory", key="brief"))["deleted"] is False
    assert (await ann.calls("set_memory", key="brief", value=2))["version"] == 1
