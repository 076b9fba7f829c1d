"""The audit log: everything that was done or refused, chained so that nobody can change it unseen."""

import json

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import to_iso
from tests.table import Agent, Table


async def test_the_log_names_who_did_what_to_which_object(table: Table, alice: Agent) -> None:
    await alice.adds_note("x")
    await alice.calls("add_message", content="y")

    log = await table.agent("auditor").calls("get_audit_log")

    types = [entry["event_type"] for entry in log["entries"]]
    assert types[:3] == ["message_added", "note_added", "session_created"]
    note = log["entries"][1]
    assert set(note) == {
        "seq",
        "event_type",
        "agent_id",
        "session_id",
        "metadata",
        "timestamp",
        "outcome",
        "surface",
        "object",
        "digest",
    }
    assert (note["agent_id"], note["session_id"], note["outcome"]) == ("alice", "sess_one", "SUCCESS")
    assert (note["surface"], note["object"]) == ("http", "note:n1")


async def test_a_record_proves_with_which_arguments_a_call_was_made_without_telling_them(
    table: Table, alice: Agent
) -> None:
    for content in ("one", "one", "another"):
        await alice.adds_note(content)

    exported = (await table.agent("auditor").client.get("/audit/export")).text

    records = [json.loads(line) for line in exported.splitlines()]
    first, same, other = (each["arguments_digest"] for each in records if each.get("event_type") == "note_added")
    assert len(first) == 64
    assert first == same != other


@pytest.mark.in_process("asks for the record at once, which another server may not have stored yet")
async def test_a_refused_call_is_on_record_with_its_session_and_a_digest_of_its_arguments(table: Table) -> None:
    provisioned = (await table.agent("alice").calls("add_note", content="x"))["session_id"]
    for question in ("q9", "q9", "q8"):
        await table.agent("alice").tries("withdraw_question", question_id=question)

    exported = (await table.agent("auditor").client.get("/audit/export")).text

    records = [json.loads(line) for line in exported.splitlines()]
    refused = [each for each in records if each.get("outcome") == "NOT_FOUND"]
    first, same, other = (each["arguments_digest"] for each in refused)
    assert [each["session_id"] for each in refused] == [provisioned] * 3
    assert len(first) == 64
    assert first == same != other


@pytest.mark.in_process("asks for the record at once, which another server may not have stored yet")
async def test_a_refused_watch_is_on_record_with_the_session_that_it_named(table: Table, session: str) -> None:
    listener = table.agent("listener")

    await listener.posts("scratchpad/watch", {"session_id": session, "events": ["no/such"]})

    log = await listener.calls("get_audit_log", event_type="events_subscribed")
    assert [(entry["outcome"], entry["session_id"]) for entry in log["entries"]] == [("INVALID_ARGUMENT", session)]


async def test_records_are_chosen_by_type_agent_and_time_and_read_page_by_page(table: Table, alice: Agent) -> None:
    before = to_iso(table.clock())
    for n in range(5):
        await alice.adds_note(str(n))
    auditor = table.agent("auditor")

    notes = await auditor.calls("get_audit_log", event_type="note_added", agent_id="alice", since=before, limit=2)
    more = await auditor.calls("get_audit_log", event_type="note_added", limit=10, cursor=notes["next_cursor"])

    assert [entry["object"] for entry in notes["entries"]] == ["note:n5", "note:n4"]
    assert [entry["object"] for entry in more["entries"]] == ["note:n3", "note:n2", "note:n1"]
    assert (await auditor.calls("get_audit_log", agent_id="nobody"))["entries"] == []


async def test_only_owner_and_orchestrator_read_it_and_only_their_own_tenants(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    await company.agent(token="rival-secret").calls("create_session", session_id="sess_rival")
    human = (await company.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)).secret
    credential = Credential("acme", Role.AGENT, "bot", agent="bot", session_id="sess_acme")
    agent = (await company.app.tokens.create(credential, None)).secret

    log = json.dumps(await company.agent(token="acme-secret").calls("get_audit_log"))

    assert "sess_acme" in log
    assert "rival" not in log
    for secret in (human, agent):
        assert (await company.agent(token=secret).tries("get_audit_log"))["code"] == "FORBIDDEN"


async def test_over_rest_the_log_is_read_and_its_chain_verified(company: Table) -> None:
    client = (await company.bearer(Role.OWNER, "boss")).client
    await client.post("/sessions", json={"session_id": "sess_acme"})

    log = (await client.get("/audit?limit=1")).json()
    state = (await client.post("/audit/verify")).json()

    assert log["entries"][0]["event_type"] == "session_created"
    assert (state["ok"], state["holds"], state["broken_at"]) == (True, True, None)


@pytest.mark.parametrize(
    "arguments", [{"limit": 0}, {"since": "then"}, {"cursor": "x"}, {"tenant": "rival"}, {"from_seq": 2**63 - 1}]
)
async def test_a_bad_way_to_read_the_log_is_refused(table: Table, arguments: dict[str, object]) -> None:
    assert (await table.agent("a").tries("get_audit_log", **arguments))["code"] == "INVALID_ARGUMENT"
