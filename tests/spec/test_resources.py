"""Resources: what a session holds under addresses, with the same answers and the same checks as the tools."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY
from tests.listening import local, server_for
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

SAME: dict[str, tuple[str, dict[str, Any]]] = {
    "notes": ("read_notes", {"limit": 500, "max_chars": 0}),
    "draft": ("read_draft", {}),
    "draft/intro": ("read_draft", {"section_id": "intro"}),
    "plan": ("read_plan", {"max_chars": 0}),
    "messages": ("get_messages", {"limit": 1000, "max_chars": 0}),
}
BOTH_REVISIONS = pytest.mark.parametrize("mode", ["legacy", "auto"])


def uri(part: str, session: str = "sess_one") -> str:
    return f"longtable://session/{session}/{part}"


async def reads(agent: Agent, address: str) -> dict[str, Any]:
    answer = (await agent.posts("resources/read", {"uri": address}, **{"Mcp-Name": address})).json()
    assert "result" in answer, answer
    contents = answer["result"]["contents"]
    assert [(content["uri"], content["mimeType"]) for content in contents] == [(address, "application/json")]
    body: dict[str, Any] = json.loads(contents[0]["text"])
    return body


async def refusal(agent: Agent, address: str) -> tuple[int, str, str]:
    answer = (await agent.posts("resources/read", {"uri": address}, **{"Mcp-Name": address})).json()
    problem = answer["error"]
    return problem["code"], problem["data"]["code"], problem["message"]


@pytest.fixture
async def full(alice: Agent) -> Agent:
    """Somebody who has left a thing of every kind in the session."""
    await alice.adds_note("a note")
    await alice.calls("write_draft_section", section_id="intro", content="text")
    await alice.calls("add_tasks", tasks=[{"description": "a task"}])
    await alice.calls("add_question", question="why?")
    await alice.calls("add_message", content="hello")
    return alice


async def test_a_session_lists_its_parts_and_each_section_of_its_draft(full: Agent) -> None:
    listed = (await full.posts("resources/list", {})).json()["result"]["resources"]

    parts = ["notes", "draft", "plan", "questions", "messages", "brief", "draft/intro"]
    assert [resource["uri"] for resource in listed] == [uri(part) for part in parts]
    assert {resource["mimeType"] for resource in listed} == {"application/json"}


async def test_the_templates_say_what_there_can_be(alice: Agent) -> None:
    listed = (await alice.posts("resources/templates/list", {})).json()["result"]["resourceTemplates"]

    parts = ["notes", "draft", "plan", "questions", "messages", "brief", "draft/{section_id}"]
    session = [uri(part, "{session_id}") for part in parts]
    assert [template["uriTemplate"] for template in listed] == [*session, "longtable://scratchpad/{scratch_id}"]


@pytest.mark.parametrize("part", SAME)
async def test_a_resource_says_the_same_as_the_tool_that_reads_it(full: Agent, part: str) -> None:
    tool, arguments = SAME[part]

    as_resource = await reads(full, uri(part))

    by_tool = await full.calls(tool, **arguments)
    by_tool.pop("inbox", None)
    as_resource["timestamp"] = by_tool.get("timestamp", as_resource.get("timestamp"))
    assert {key: value for key, value in as_resource.items() if value is not None} == {
        key: value for key, value in by_tool.items() if value is not None
    }


async def test_the_questions_are_all_of_them_whatever_became_of_them(full: Agent) -> None:
    found = await reads(full, uri("questions"))

    assert [question["question"] for question in found["questions"]] == ["why?"]


async def test_reading_a_resource_is_told_to_nobody(full: Agent) -> None:
    await reads(full, uri("draft"))
    await reads(full, uri("draft/intro"))
    await full.adds_note("the last")

    kinds = [event["kind"] for event in (await full.calls("read_events", wait_seconds=0))["events"]]
    assert kinds[-1] == "scratchpad/note_added"
    assert "scratchpad/section_read" not in kinds


async def test_a_message_that_only_a_resource_has_shown_still_waits_for_the_agent(full: Agent, bob: Agent) -> None:
    await reads(bob, uri("messages"))

    hint = (await bob.calls("read_notes"))["inbox"]

    assert hint["messages"] == 1


async def test_private_messages_are_shown_to_their_sender_alone(alice: Agent, bob: Agent) -> None:
    await alice.calls("add_message", content="mine", visibility="private")
    await alice.calls("add_message", content="ours")

    by_alice, by_bob = await reads(alice, uri("messages")), await reads(bob, uri("messages"))

    assert [message["content"] for message in by_alice["messages"]] == ["mine", "ours"]
    assert [message["content"] for message in by_bob["messages"]] == ["ours"]


async def test_a_foreign_session_is_answered_like_one_that_does_not_exist(company: Table) -> None:
    acme, rival = (company.agent(token=f"{name}-secret") for name in ("acme", "rival"))
    await rival.calls("create_session", session_id="sess_rival")

    foreign, unknown = await refusal(acme, uri("notes", "sess_rival")), await refusal(acme, uri("notes", "sess_none"))

    assert foreign == unknown
    assert foreign[:2] == (-32602, "SESSION_NOT_FOUND")
    assert (await reads(rival, uri("notes", "sess_rival")))["ok"]


@pytest.mark.parametrize("other", ["sess_two", "sess_none", "!"])
async def test_a_caller_bound_to_a_session_reads_no_other(table: Table, alice: Agent, other: str) -> None:
    await table.session("sess_two")

    assert (await refusal(alice, uri("notes", other)))[:2] == (-32000, "SESSION_MISMATCH")


@pytest.mark.parametrize(
    "address",
    [
        "longtable://scratchpad/none",
        "longtable://scratchpad/",
        "longtable://scratchpad/-",
        "longtable://session/sess_one",
        uri("nothing"),
        uri("notes/n1"),
        uri("draft/No!"),
        uri("notes?x=1"),
        "file:///etc/passwd",
        "",
    ],
)
async def test_an_address_of_nothing_is_not_found(alice: Agent, address: str) -> None:
    assert (await refusal(alice, address))[:2] == (-32602, "NOT_FOUND")


async def test_a_section_that_was_not_written_is_not_found(alice: Agent) -> None:
    assert (await refusal(alice, uri("draft/intro")))[:2] == (-32602, "NOT_FOUND")


async def test_an_expired_session_is_not_read_any_more(table: Table) -> None:
    orchestrator = table.agent("orchestrator")
    await table.session("sess_short", ttl="60s")
    assert (await reads(orchestrator, uri("notes", "sess_short")))["ok"]

    table.clock.ahead += DAY

    assert (await refusal(orchestrator, uri("notes", "sess_short")))[:2] == (-32000, "SESSION_EXPIRED")


async def test_a_caller_without_a_session_has_no_resources_where_none_is_provided(company: Table) -> None:
    listed = (await company.agent(token="acme-secret").posts("resources/list", {})).json()["result"]["resources"]

    assert listed == []


async def test_naming_a_session_does_not_make_one(table: Table) -> None:
    async with Client(server_for(table.app, local("alice"))) as client:
        with pytest.raises(MCPError, match="no such session"):
            await client.read_resource(uri("notes", "sess_none"))
        sessions = (await client.call_tool("list_sessions", {})).structured_content

    assert sessions is not None
    assert [session["session_id"] for session in sessions["sessions"]] == []


async def test_a_read_is_on_record_like_that_of_the_tool(company: Table) -> None:
    acme = company.agent(token="acme-secret")
    await acme.calls("create_session", session_id="sess_acme")
    await reads(acme, uri("notes", "sess_acme"))
    await company.app.ledger.flush()

    read = (await acme.calls("get_audit_log", event_type="notes_read"))["entries"]

    assert [(entry["outcome"], entry["session_id"]) for entry in read] == [("SUCCESS", "sess_acme")]


@BOTH_REVISIONS
async def test_the_official_client_reads_resources_in_both_revisions(table: Table, full: Agent, mode: str) -> None:
    async with Client(server_for(table.app, local("carol", "sess_one")), mode=mode) as client:
        listed = (await client.list_resources()).resources
        contents = (await client.read_resource(str(listed[0].uri))).contents
        templates = (await client.list_resource_templates()).resource_templates

    assert json.loads(contents[0].text)["notes"][0]["content"] == "a note"  # type: ignore[union-attr]  # it is text
    assert (len(templates), len(listed)) == (8, 7)


@BOTH_REVISIONS
async def test_what_works_is_advertised_and_nothing_else(table: Table, mode: str) -> None:
    async with Client(server_for(table.app, local("carol")), mode=mode) as client:
        offered = client.server_capabilities

    assert offered is not None
    assert offered.resources is not None
    assert offered.tools is not None
    assert (offered.resources.subscribe, offered.resources.list_changed) == (True, True)
    assert offered.tools.list_changed is True
    assert offered.prompts is not None
    assert offered.prompts.list_changed is True
    assert None not in (offered.logging, offered.completions)


async def test_a_missing_resource_has_the_code_of_the_older_revisions_there(table: Table) -> None:
    async with Client(server_for(table.app, local("carol")), mode="legacy") as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri("notes", "sess_none"))

    assert (refused.value.error.code, refused.value.error.data["code"]) == (-32002, "SESSION_NOT_FOUND")


async def test_a_reader_of_another_tenant_lists_its_own_session_only(company: Table) -> None:
    acme = company.agent(token="acme-secret")
    await acme.calls("create_session", session_id="sess_acme")
    reader = Caller("acme", Role.READER, "reader", "generic", Surface.HTTP, "sess_acme", bound=True)

    async with Client(server_for(company.app, reader)) as client:
        listed = (await client.list_resources()).resources

    assert {str(resource.uri).split("/")[3] for resource in listed} == {"sess_acme"}


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
async def test_a_cursor_that_no_list_gave_is_a_wrong_parameter(table: Table, session: str, method: str) -> None:
    ann = table.agent("ann", session)

    refused = (await ann.posts(method, {"cursor": "nowhere"})).json()["error"]
    without, empty = [(await ann.posts(method, params)).json()["result"] for params in ({}, {"cursor": ""})]

    assert (refused["code"], refused["data"]["code"]) == (-32602, "INVALID_ARGUMENT")
    assert refused["data"]["details"]["errors"][0]["path"] == "cursor"
    assert empty == without
