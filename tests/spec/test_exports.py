"""Exports: everything in a session, or the whole audit log, as a file for the owner."""

import hashlib
import json
from itertools import pairwise
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY
from tests.browser import audited, bearer, signed_in
from tests.sse import listens
from tests.table import Table

pytestmark = pytest.mark.slow

SESSION = "/sessions/sess_one/export"


@pytest.fixture
async def filled(table: Table) -> Table:
    """A session with something of everything."""
    await table.session("sess_one", purpose="Write\n# the post")
    ada, bob = table.agent("ada", "sess_one"), table.agent("bob", "sess_one")
    await ada.adds_note("the shop\n## is closed", tags=["price"])
    await bob.adds_note("it is open", supersedes="n1")
    for content in ("first", "second", "third"):
        await ada.calls("write_draft_section", section_id="intro", content=content, title="Introduction")
    await ada.calls("add_tasks", tasks=[{"description": "ask the\nshop", "assigned_to": "bob"}])
    await bob.calls("update_task", task_id="t1", status="completed", note="they answered")
    await ada.calls("add_question", question="How much?", options=["3 EUR", "4 EUR"])
    await bob.calls("add_message", content="for all")
    await bob.calls("add_message", content="for me alone", visibility="private")
    async with signed_in(table.http) as browser:
        await browser.post("/sessions/sess_one/answers", {"answers": [{"question_id": "q1", "answer": "3 EUR"}]})
    return table


def code_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


async def exported(table: Table, path: str = SESSION) -> Any:
    async with signed_in(table.http) as browser:
        response = await browser.get(path)
    assert response.status_code == 200, response.text
    return response


async def test_a_session_is_exported_as_one_document_with_everything_in_it(filled: Table) -> None:
    response = await exported(filled)

    document = response.json()
    assert response.headers["content-type"] == "application/json"
    assert response.headers["content-disposition"] == 'attachment; filename="sess_one.json"'
    assert (response.headers["cache-control"], response.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert (document["format"], document["version"]) == ("longtable-session", 1)
    assert document["exported_at"].endswith("Z")
    assert (document["session"]["session_id"], document["session"]["status"]) == ("sess_one", "active")
    assert [(note["id"], note["content"]) for note in document["notes"]] == [
        ("n1", "the shop\n## is closed"),
        ("n2", "it is open"),
    ]
    (section,) = document["sections"]
    assert (section["section_id"], section["title"], section["version"]) == ("intro", "Introduction", 3)
    assert [version["content"] for version in section["versions"]] == ["first", "second", "third"]
    assert [(task["id"], task["status"], task["notes"][0]["text"]) for task in document["tasks"]] == [
        ("t1", "completed", "they answered")
    ]
    assert [(question["answer"], question["by_human"]) for question in document["questions"]] == [("3 EUR", True)]
    assert [(message["content"], message["visibility"]) for message in document["messages"]] == [
        ("for all", "public"),
        ("for me alone", "private"),
    ]
    kinds = [event["kind"] for event in document["events"]]
    assert kinds[0] == "session/created"
    assert kinds.count("scratchpad/note_added") == 2


async def test_a_session_is_exported_as_a_text_to_read(filled: Table) -> None:
    response = await exported(filled, f"{SESSION}?format=md")

    text = response.text
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.headers["content-disposition"] == 'attachment; filename="sess_one.md"'
    assert headings == [
        "# Session sess_one",
        "## Purpose",
        "## Plan",
        "## Draft",
        "### Introduction",
        "## Notes",
        "## Questions",
        "## Messages",
    ]
    assert "- [x] **t1** ask the shop (completed" in text
    assert "  - bob: they answered" in text
    assert "\nthird\n" in text
    assert "first" not in text
    assert "> the shop\n> ## is closed" in text
    assert "> How much?" in text
    assert "> 3 EUR" in text
    assert "> for me alone" in text


@pytest.mark.parametrize("end", ["closed", "expired"])
async def test_a_session_that_is_over_is_exported_as_well(filled: Table, end: str) -> None:
    if end == "closed":
        await filled.agent("ada", "sess_one").calls("close_session")
    else:
        filled.clock.ahead = 2 * DAY

    document = (await exported(filled)).json()

    assert document["session"]["status"] == end
    assert len(document["notes"]) == 2


async def test_an_empty_session_is_exported_too(table: Table, session: str) -> None:
    document = (await exported(table)).json()
    text = (await exported(table, f"{SESSION}?format=md")).text

    assert [document[name] for name in ("notes", "sections", "tasks", "questions", "messages")] == [[]] * 5
    assert text.count("None.") == 5
    assert "None was given." in text


async def test_what_was_redacted_stays_redacted(filled: Table) -> None:
    async with signed_in(filled.http) as browser:
        done = await browser.post("/sessions/sess_one/redact", {"kind": "note", "id": "n1"})
    assert done.status_code == 200

    for path in (SESSION, f"{SESSION}?format=md"):
        assert "is closed" not in (await exported(filled, path)).text


async def test_more_than_a_page_of_everything_is_exported_in_order(table: Table, session: str) -> None:
    ada = table.agent("ada", session)
    for number in range(1, 121):
        await ada.adds_note(f"note {number}")
    for number in range(1, 61):
        await ada.calls("add_message", content=f"message {number}")
    await ada.calls("write_draft_section", section_id="long", content="x" * 300_000)

    document = (await exported(table)).json()

    assert [note["content"] for note in document["notes"]] == [f"note {number}" for number in range(1, 121)]
    assert [message["id"] for message in document["messages"]] == list(range(1, 61))
    assert len(document["sections"][0]["versions"][0]["content"]) == 300_000


async def test_an_export_comes_in_pieces(table: Table, session: str) -> None:
    ada = table.agent("ada", session)
    for section in range(10):
        await ada.calls("write_draft_section", section_id=f"s{section}", content="x" * 200_000)

    async with signed_in(table.http) as browser:
        cookie = f"{table.http.authenticator.cookie_name}={browser.cookie}"
        async with listens(table.http, SESSION, cookie=cookie) as answer:
            sizes = []
            while (chunk := await answer.chunks.get()) is not None:
                sizes.append(len(chunk))

    assert len(sizes) >= 10
    assert max(sizes) < 300_000


async def test_an_export_is_audited_with_who_took_it(filled: Table) -> None:
    await exported(filled)

    (record,) = await audited(filled.app, "default", "export_session")
    assert (record["event_type"], record["outcome"], record["agent_id"]) == (
        "session_exported",
        "SUCCESS",
        "human:owner",
    )
    assert (record["object"], record["session_id"], record["surface"]) == ("session:sess_one", "sess_one", "console")


@pytest.mark.parametrize("path", [SESSION, "/audit/export"])
@pytest.mark.parametrize("role", [Role.HUMAN, Role.ORCHESTRATOR, Role.READER])
async def test_nobody_but_the_owner_exports(company: Table, role: Role, path: str) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")

    refused = await company.agent(token=await bearer(company.app, role)).client.get(path)

    assert code_of(refused) == (403, "FORBIDDEN")
    operation = "export_session" if path == SESSION else "export_audit_log"
    assert [record["outcome"] for record in await audited(company.app, "acme", operation)] == ["FORBIDDEN"]


async def test_with_auth_off_a_program_exports_what_it_may_see(filled: Table) -> None:
    exports = {name: await filled.agent(name).client.get(SESSION) for name in ("ada", "bob")}

    said = {name: [message["content"] for message in export.json()["messages"]] for name, export in exports.items()}
    assert said == {"ada": ["for all"], "bob": ["for all", "for me alone"]}
    assert (await filled.agent("ada").client.get("/audit/export")).status_code == 200


async def test_a_session_of_another_tenant_does_not_exist(company: Table) -> None:
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    client = company.agent(token=await bearer(company.app, Role.OWNER, "rival")).client

    assert code_of(await client.get(SESSION)) == (404, "SESSION_NOT_FOUND")


@pytest.mark.parametrize("query", ["format=xml", "format=md&format=json", "pages=1", "format="])
async def test_a_wrong_way_to_export_is_refused(table: Table, session: str, query: str) -> None:
    async with signed_in(table.http) as browser:
        assert code_of(await browser.get(f"{SESSION}?{query}")) == (400, "INVALID_ARGUMENT")
        assert code_of(await browser.get("/audit/export?format=md")) == (400, "INVALID_ARGUMENT")
        assert code_of(await browser.get("/sessions/-/export")) == (400, "INVALID_SESSION_ID")


async def test_the_audit_log_is_exported_whole_with_the_record_of_the_export_at_its_end(company: Table) -> None:
    agent = company.agent("ada", "sess_one", "acme-secret")
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    for _ in range(1_100):
        await agent.client.get("/sessions/sess_one")
    secret = await bearer(company.app, Role.OWNER)

    response = await company.agent(token=secret).client.get("/audit/export")

    records = [json.loads(line) for line in response.text.splitlines()]
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["content-disposition"] == 'attachment; filename="audit.jsonl"'
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert all(after["previous"] == before["digest"] for before, after in pairwise(records))
    assert records[-1]["event_type"] == "audit_exported"
    assert {record["tenant"] for record in records} == {"acme"}
    assert all(len(record["digest"]) == len(hashlib.sha256().hexdigest()) for record in records)
