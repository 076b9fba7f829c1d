"""Reading the draft: whole, by section, by version, by words; compared, and taken back."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from longtable.fulltext import index
from longtable.fulltext.words import parse_query
from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, MINUTE
from longtable.storage.database import Transaction
from tests.spec.test_draft import order_of, writes
from tests.spec.test_draft_events import events
from tests.stores import Store
from tests.table import Agent, Refused, Table, open_table

pytestmark = pytest.mark.slow

MIB = 1_048_576


async def found_by_words(table: Table, query: str, session_id: str = "sess_one", tenant: str = "default") -> list[str]:
    async def body(tx: Transaction) -> list[str]:
        match = index.match(tx, index.MatchRequest("section", [session_id], parse_query(query)))
        return sorted(row["ref"] for row in await tx.all(match.sql, **match.parameters))

    await table.app.slices.words.index_all()
    return await table.app.database.read(tenant, body)


async def test_a_section_that_is_not_there_is_refused_by_the_name_of_the_argument(alice: Agent) -> None:
    for tool, argument in (("read_section", "section_name"), ("read_draft", "section_id")):
        with pytest.raises(Refused, match=f"{argument}: there is no section other"):
            await alice.calls(tool, **{argument: "other"})


async def test_the_whole_draft_is_read_in_order_with_its_texts(alice: Agent, bob: Agent) -> None:
    await writes(alice, "body", "The middle.")
    await writes(bob, "intro", "", title="Welcome", position=0)

    sections = (await alice.calls("read_draft"))["sections"]

    assert [section.pop("updated_at")[-1] for section in sections] == ["Z", "Z"]
    assert sections == [
        {"section_id": "intro", "title": "Welcome", "version": 1, "author": "bob", "content": ""},
        {"section_id": "body", "title": "Body", "version": 1, "author": "alice", "content": "The middle."},
    ]


async def test_an_empty_draft_has_no_sections(alice: Agent) -> None:
    assert (await alice.calls("read_draft"))["sections"] == []
    assert (await alice.calls("list_sections"))["sections"] == []


@pytest.mark.parametrize("tool", ["read_draft", "list_sections"])
async def test_the_outline_comes_without_texts(alice: Agent, tool: str) -> None:
    await writes(alice, "intro", "long text")

    result = await alice.calls(tool, **({"include_content": False} if tool == "read_draft" else {}))

    assert [sorted(section) for section in result["sections"]] == [
        ["author", "section_id", "title", "updated_at", "version"]
    ]


async def test_one_section_is_read_as_it_stands_and_as_it_was(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one", title="First")
    await writes(bob, "intro", "two", title="Second")

    now = await alice.calls("read_draft", section_id="intro")
    then = await alice.calls("read_draft", section_id="intro", version=1)
    bare = await alice.calls("read_draft", section_id="intro", include_content=False)

    assert (now["section"]["content"], now["section"]["title"], now["versions"]) == ("two", "Second", 2)
    assert (then["section"]["content"], then["section"]["title"], then["versions"]) == ("one", "First", 2)
    assert (then["section"]["author"], then["section"]["version"]) == ("alice", 1)
    assert "content" not in bare["section"]
    assert "sections" not in now
    assert (await bob.calls("read_section", section_name="intro"))["section"] == now["section"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "words"),
    [
        ("read_draft", {"section_id": "other"}, "NOT_FOUND", "other"),
        ("read_draft", {"section_id": "notes"}, "NOT_FOUND", "read_section"),
        ("read_draft", {"section_id": "intro", "version": 3}, "NOT_FOUND", "version"),
        ("read_draft", {"section_id": "intro", "version": 10**30}, "NOT_FOUND", "version"),
        ("read_draft", {"section_id": "intro", "version": 0}, "INVALID_ARGUMENT", "version"),
        ("read_draft", {"version": 1}, "INVALID_ARGUMENT", "version"),
        ("read_draft", {"section_id": "In tro"}, "INVALID_ARGUMENT", "section_id"),
        ("read_draft", {"include_content": "no"}, "INVALID_ARGUMENT", "include_content"),
        ("read_section", {}, "INVALID_ARGUMENT", "section_name"),
        ("read_section", {"section_name": "other"}, "NOT_FOUND", "other"),
        ("read_section", {"section_name": "In tro"}, "INVALID_ARGUMENT", "section_name"),
        ("list_sections", {"limit": 3}, "INVALID_ARGUMENT", "limit"),
        ("diff_draft", {"section_id": "intro"}, "INVALID_ARGUMENT", "from_version"),
        ("diff_draft", {"section_id": "intro", "from_version": 0}, "INVALID_ARGUMENT", "from_version"),
        ("diff_draft", {"section_id": "intro", "from_version": 3}, "NOT_FOUND", "from_version"),
        ("diff_draft", {"section_id": "intro", "from_version": 1, "to_version": 3}, "NOT_FOUND", "to_version"),
        ("diff_draft", {"section_id": "other", "from_version": 1}, "NOT_FOUND", "other"),
        ("revert_draft_section", {"section_id": "intro"}, "INVALID_ARGUMENT", "to_version"),
        ("revert_draft_section", {"section_id": "intro", "to_version": 3}, "NOT_FOUND", "to_version"),
        ("revert_draft_section", {"section_id": "intro", "to_version": 0}, "INVALID_ARGUMENT", "to_version"),
        ("revert_draft_section", {"section_id": "other", "to_version": 1}, "NOT_FOUND", "other"),
        (
            "revert_draft_section",
            {"section_id": "intro", "to_version": 1, "expected_version": 1},
            "VERSION_CONFLICT",
            "expected_version",
        ),
    ],
)
async def test_what_cannot_be_read_or_taken_back_is_refused_in_words_and_changes_nothing(
    table: Table, alice: Agent, tool: str, arguments: dict[str, Any], code: str, words: str
) -> None:
    await writes(alice, "intro", "one")
    await writes(alice, "intro", "two")
    before = await events(table, alice, "*")

    with pytest.raises(Refused) as refusal:
        await alice.calls(tool, **arguments)

    assert refusal.value.code == code
    assert words in str(refusal.value)
    assert await events(table, alice, "*") == before


async def test_two_versions_are_compared_as_a_unified_diff(alice: Agent) -> None:
    for text in ("a\nb\n", "a\nB\n", "a\nB\nc\n"):
        await writes(alice, "intro", text)

    to_now = await alice.calls("diff_draft", section_id="intro", from_version=1)
    back = await alice.calls("diff_draft", section_id="intro", from_version=2, to_version=1)
    same = await alice.calls("diff_draft", section_id="intro", from_version=2, to_version=2)

    header = ["--- intro version 1", "+++ intro version 3", "@@ -1,2 +1,3 @@"]
    assert to_now["diff"].splitlines() == [*header, " a", "-b", "+B", "+c"]
    assert (to_now["from_version"], to_now["to_version"]) == (1, 3)
    assert back["diff"].splitlines()[2:] == ["@@ -1,2 +1,2 @@", " a", "-B", "+b"]
    assert same["diff"] == ""


async def test_a_revert_is_a_new_version_with_the_old_title_and_text(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one", title="First")
    await writes(alice, "intro", "two", title="Second")

    result = await bob.calls("revert_draft_section", section_id="intro", to_version=1, expected_version=2)

    stamp = result["section"]
    assert (stamp["version"], stamp["title"], stamp["author"], stamp["created"]) == (3, "First", "bob", False)
    history = [await alice.calls("read_draft", section_id="intro", version=n) for n in (1, 2, 3)]
    assert [read["section"]["content"] for read in history] == ["one", "two", "one"]


async def test_a_revert_that_comes_too_late_learns_what_changed(alice: Agent) -> None:
    for text in ("one\n", "two\n", "three\n"):
        await writes(alice, "intro", text)

    with pytest.raises(Refused) as refusal:
        await alice.calls("revert_draft_section", section_id="intro", to_version=1, expected_version=2)

    assert refusal.value.details["current_version"] == 3
    assert refusal.value.details["diff"].splitlines()[3:] == ["-two", "+three"]


async def test_twenty_reverts_at_the_same_moment_are_twenty_versions(alice: Agent, bob: Agent) -> None:
    await writes(alice, "intro", "one")

    results = await asyncio.gather(
        *((alice, bob)[n % 2].calls("revert_draft_section", section_id="intro", to_version=1) for n in range(20))
    )

    assert sorted(result["section"]["version"] for result in results) == list(range(2, 22))


async def test_the_notes_can_be_read_as_one_text(alice: Agent, bob: Agent) -> None:
    await alice.adds_note("Coffee costs 3 EUR.", tags=["price"], source="https://example.org")
    await bob.adds_note("Coffee costs 4 EUR.", supersedes="n1")

    section = (await alice.calls("read_section", section_name="notes"))["section"]

    assert (section["section_id"], section["title"], section["version"]) == ("notes", "Notes", 0)
    first, second = section["content"].split("## ")[1:]
    assert first.startswith("n1, alice, ")
    for words in ("Tags: price", "Source: https://example.org", "Superseded by: n2", "Coffee costs 3 EUR."):
        assert words in first
    assert "Supersedes: n1" in second
    assert "Tags" not in second


async def test_a_full_corkboard_says_how_many_notes_are_left_out(alice: Agent) -> None:
    for _ in range(17):
        await alice.adds_note("x" * 65_536)

    content = (await alice.calls("read_section", section_name="notes", max_chars=0))["section"]["content"]

    assert content.count("## n") == 15
    assert content.endswith("*2 more notes are left out here; read_notes has them.*\n")


@pytest.mark.parametrize("name", ["notes", "plan", "user_answers"])
async def test_a_virtual_section_is_always_there(alice: Agent, name: str) -> None:
    result = await alice.calls("read_section", section_name=name)

    assert (result["section"]["section_id"], result["versions"]) == (name, 0)
    assert isinstance(result["section"]["content"], str)
    assert await order_of(alice) == []


async def test_a_section_is_found_by_the_words_of_its_current_version_only(table: Table, alice: Agent) -> None:
    await writes(alice, "intro", "A treatise on coffee", title="Beverages")
    await writes(alice, "intro", "A treatise on tea")
    await writes(alice, "body", "coffee again")

    assert await found_by_words(table, "tea") == ["intro"]
    assert await found_by_words(table, "beverages") == ["intro"]
    assert await found_by_words(table, "coffee") == ["body"]
    await alice.calls("revert_draft_section", section_id="intro", to_version=1)
    assert await found_by_words(table, "coffee") == ["body", "intro"]


async def test_a_mebibyte_of_different_words_is_kept_and_found_by_those_it_begins_with(
    table: Table, alice: Agent
) -> None:
    words = "".join(f"w{n:06d} " for n in range(MIB // 8))

    await writes(alice, "large", words)

    assert await found_by_words(table, "w000123") == ["large"]
    await writes(alice, "large", "small")
    assert await found_by_words(table, "w000123") == []


async def test_a_draft_too_large_for_one_answer_is_read_section_by_section(table: Table, alice: Agent) -> None:
    for n in range(16):
        await writes(alice, f"s{n}", "x" * MIB)
    assert len((await alice.calls("read_draft", max_chars=0))["sections"]) == 16
    await writes(alice, "one_more", "x")

    with pytest.raises(Refused, match=r"PAYLOAD_TOO_LARGE.*include_content=false"):
        await alice.calls("read_draft", max_chars=0)

    assert len((await alice.calls("read_draft", include_content=False))["sections"]) == 17
    assert (await alice.calls("read_draft", section_id="s15"))["versions"] == 1


async def test_another_session_or_tenant_sees_nothing_of_it(company: Table) -> None:
    agents = {}
    for tenant, session in (("acme", "sess_one"), ("acme", "sess_two"), ("rival", "sess_one")):
        await company.agent(token=f"{tenant}-secret").calls("create_session", session_id=session)
        agents[tenant, session] = company.agent("writer", session, f"{tenant}-secret")
    ours = agents.pop(("acme", "sess_one"))
    await writes(ours, "intro", "ours alone")

    for (tenant, session), other in agents.items():
        assert (await other.calls("read_draft"))["sections"] == []
        assert await found_by_words(company, "alone", session, tenant) == []
        for tool in ("read_draft", "diff_draft", "revert_draft_section"):
            numbers = {"diff_draft": {"from_version": 1}, "revert_draft_section": {"to_version": 1}}.get(tool, {})
            with pytest.raises(Refused, match="NOT_FOUND"):
                await other.calls(tool, section_id="intro", **numbers)
        assert (await writes(other, "intro", "theirs"))["version"] == 1
        assert not any(event["actor"] == "ours" for event in await events(company, other, "*"))

    assert (await ours.calls("read_draft", section_id="intro"))["section"]["content"] == "ours alone"
    assert (await ours.calls("read_draft", section_id="intro"))["versions"] == 1


async def test_a_reader_reads_and_does_not_write(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_ours")
    await writes(company.agent("writer", "sess_ours", "acme-secret"), "intro", "one")
    issued = await company.app.tokens.create(Credential("acme", Role.READER, "guest"), None)
    guest = company.agent(session="sess_ours", token=issued.secret)

    assert (await guest.calls("read_draft", section_id="intro"))["section"]["content"] == "one"
    for tool, arguments in (("write_draft_section", {"content": "x"}), ("revert_draft_section", {"to_version": 1})):
        with pytest.raises(Refused, match="FORBIDDEN"):
            await guest.calls(tool, section_id="intro", **arguments)


async def test_over_rest_the_draft_has_its_routes(table: Table, session: str) -> None:
    client = table.agent("alice").client
    place = f"/sessions/{session}/draft"

    first = await client.put(f"{place}/intro", json={"content": "one\n", "title": "Welcome"})
    again = await client.put(f"{place}/intro", json={"content": "two\n", "expected_version": 1})
    late = await client.put(f"{place}/intro", json={"content": "mine", "expected_version": 1})
    diff = await client.get(f"{place}/intro/diff", params={"from_version": 1})
    revert = await client.post(f"{place}/intro/revert", json={"to_version": 1})
    one = await client.get(f"{place}/intro", params={"version": 2})
    whole = await client.get(place, params={"include_content": "false"})

    assert (first.status_code, first.json()["section"]["created"]) == (201, True)
    assert (again.status_code, again.json()["section"]["created"]) == (200, False)
    assert (late.status_code, late.json()["error"]["details"]["current_version"]) == (409, 2)
    assert diff.json()["diff"].splitlines()[3:] == ["-one", "+two"]
    assert revert.json()["section"]["version"] == 3
    assert (one.json()["section"]["content"], one.json()["versions"]) == ("two\n", 3)
    assert [section["title"] for section in whole.json()["sections"]] == ["Welcome"]
    assert (await client.put(f"{place}/plan", json={"content": ""})).status_code == 400
    assert (await client.get(f"{place}/other")).status_code == 404


async def test_the_draft_of_a_purged_session_is_gone_with_all_its_versions(table: Table, alice: Agent) -> None:
    await writes(alice, "intro", "to be forgotten")
    await writes(alice, "intro", "forgotten as well")
    table.clock.ahead = DAY + MINUTE
    await table.app.jobs.run()
    table.clock.ahead += 30 * DAY

    await table.app.jobs.run()

    again = table.agent("alice", await table.session("sess_one"))
    assert await order_of(again) == []
    assert await found_by_words(table, "forgotten") == []
    assert (await writes(again, "intro", "a new start"))["version"] == 1


async def test_the_draft_survives_a_restart(store: Store, tmp_path: Path) -> None:
    async with open_table(store, tmp_path) as table:
        alice = table.agent("alice", await table.session())
        await writes(alice, "intro", "one")
        await writes(alice, "intro", "two")

    async with open_table(store, tmp_path) as table:
        kept = await table.agent("alice", "sess_one").calls("read_draft", section_id="intro", version=1)
        assert (kept["section"]["content"], kept["versions"]) == ("one", 2)
