"""Redaction of whatever can be written at the table: no read, event, repeated answer or file holds it afterwards."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.log.verify import verify_chain
from tests.table import Agent, Table

pytestmark = pytest.mark.slow

SECRET = "hunter2passphrase"
TOMBSTONE = "[redacted by the owner]"
HERE = "sess_acme"
TITLE = {"section_id": "plan-b", "title": f"About {SECRET}", "content": "clean"}
QUESTION = {
    "question": f"Is it {SECRET}?",
    "context": f"Because of {SECRET}.",
    "options": [f"yes, {SECRET}", "no"],
    "blocking": True,
}
TASKS = [
    {"description": "harmless"},
    {"description": f"Change {SECRET}", "metadata": {"old": SECRET}, "assigned_to": "ann"},
]
PAD = {
    "scratch_id": "vault",
    "metadata": {"title": SECRET, "description": SECRET, "summary": SECRET, "tags": [SECRET, "kept"], "by": SECRET},
    "cells": [{"language": "txt", "content": "clean"}],
}
THINGS: list[dict[str, Any]] = [
    {"kind": "title", "id": "plan-b"},
    {"kind": "question", "id": "q1"},
    {"kind": "answer", "id": "q2"},
    {"kind": "task", "id": "t2"},
    {"kind": "task_note", "id": "t2", "number": 1},
    {"kind": "session", "id": HERE},
    {"kind": "reservation", "id": "src/vault"},
]


async def secret_of(table: Table, role: Role, tenant: str = "acme") -> str:
    return (await table.app.tokens.create(Credential(tenant, role, "boss"), None)).secret


async def owner(table: Table, tenant: str = "acme") -> Any:
    return table.agent(token=await secret_of(table, Role.OWNER, tenant)).client


@pytest.fixture
async def ann(company: Table) -> Agent:
    """A session in which the secret stands wherever an agent or a person can write, each write with a key."""
    creation = {"session_id": HERE, "purpose": f"find {SECRET}", "metadata": {"hint": SECRET}}
    await company.agent(token="acme-secret").calls("create_session", **creation, idempotency_key="k")
    ann, boss = company.agent("ann", HERE, "acme-secret"), await owner(company)
    await ann.calls("write_draft_section", **TITLE, idempotency_key="k")
    await ann.calls("write_draft_section", section_id="plan-b", content="clean, too")
    await ann.calls("add_question", **QUESTION, idempotency_key="k")
    await ann.calls("add_question", question="Which password?", idempotency_key="k2")
    await ann.calls("check_pause", idempotency_key="k")
    for answers in ({"q1": f"yes, {SECRET}"}, {"q2": f"It is {SECRET}."}):
        held = await boss.post(f"/sessions/{HERE}/answers", json={"answers": answers, "hold_seconds": 60})
        undone = await boss.delete(
            f"/holds/{held.json()['held']['hold_id']}", headers={"Idempotency-Key": next(iter(answers))}
        )
        assert undone.status_code == 200, undone.text
        # Passed on by an agent at first, which a person's own answer replaces.
        await company.agent(token="acme-secret").client.post(f"/sessions/{HERE}/answers", json={"answers": answers})
        await boss.post(f"/sessions/{HERE}/answers", json={"answers": answers})
    await ann.calls("add_tasks", tasks=TASKS, idempotency_key="k")
    await ann.calls("update_task", task_id="t2", note=f"It was {SECRET}.")
    await ann.calls("update_task", task_id="t2", note="harmless")
    await ann.calls("claim_task", task_id="t2", idempotency_key="k")
    await ann.calls("update_task", task_id="t2", description=f"Change {SECRET} at once")
    await ann.calls("reserve", paths=["src/vault"], reason=f"for {SECRET}", idempotency_key="k")
    for place in ({}, {"session_id": HERE}):
        await ann.calls("set_memory", key="door", value={"code": SECRET}, idempotency_key="k", **place)
    await ann.calls("scratch_create", **PAD, idempotency_key="k")
    return ann


async def redacts_all(table: Table) -> list[dict[str, Any]]:
    boss = await owner(table)
    answers = [await boss.post(f"/sessions/{HERE}/redact", json=thing) for thing in THINGS]
    answers += [
        await boss.post("/memory/redact", json={"agent": "ann", "key": "door", **place})
        for place in ({}, {"session_id": HERE})
    ]
    answers.append(await boss.post("/scratchpads/vault/redact", json={}))
    assert [answer.status_code for answer in answers] == [200] * len(answers), [answer.text for answer in answers]
    return [answer.json()["redacted"] for answer in answers]


async def everything(table: Table, ann: Agent) -> str:
    """All that anybody of the tenant can read, and what a repeated call is told."""
    boss = await owner(table)
    seen: list[Any] = [
        await ann.calls("read_draft"),
        await ann.calls("read_draft", section_id="plan-b", version=1),
        (await ann.calls("search_context", query=SECRET))["results"],
        await ann.calls("get_answered_questions"),
        await ann.calls("read_plan"),
        await ann.calls("brief"),
        await ann.calls("get_session"),
        await ann.calls("list_reservations"),
        await ann.calls("get_memory", key="door"),
        await ann.calls("get_memory", key="door", session_id=HERE),
        await ann.calls("scratch_read", scratch_id="vault"),
        await ann.calls("scratch_list_tags"),
        (await ann.calls("scratch_search", query=SECRET, mode="keyword"))["hits"],
        await ann.calls("read_events", limit=1000, max_chars=0),
        await ann.calls("write_draft_section", **TITLE, idempotency_key="k"),
        await ann.calls("check_pause", idempotency_key="k"),
        await ann.calls("add_tasks", tasks=TASKS, idempotency_key="k"),
        await ann.calls("claim_task", task_id="t2", idempotency_key="k"),
        await ann.calls("scratch_create", **PAD, idempotency_key="k"),
    ]
    paths = ("workspace", "questions", "plan", "activity")
    seen += [(await boss.get(f"/sessions/{HERE}/{path}")).text for path in paths]
    seen += [(await boss.get(path)).text for path in ("/now", "/sessions", "/audit?limit=1000", "/questions", "/holds")]
    seen.append((await boss.get("/search", params={"query": SECRET, "kinds": ["task", "question"]})).json()["hits"])
    return json.dumps(seen)


async def test_after_redaction_nothing_that_anybody_reads_holds_a_text(company: Table, ann: Agent) -> None:
    assert SECRET in await everything(company, ann)

    redacted = await redacts_all(company)

    assert SECRET not in await everything(company, ann)
    assert redacted[4] == {"kind": "task_note", "id": "t2", "number": 1}
    assert (await verify_chain(company.app.database, "acme")).holds


async def test_nor_does_any_row_or_file_of_the_store(company: Table, ann: Agent, store: Any) -> None:
    await redacts_all(company)
    await company.app.ledger.flush()

    if store.kind == "sqlite":
        for path in Path(store.address).parent.iterdir():
            assert SECRET.encode() not in path.read_bytes(), path.name
    else:
        assert SECRET not in await company.app.database.read("*", every_row)


async def every_row(tx: Any) -> str:
    tables = await tx.all("SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()")
    return str([await tx.all(f"SELECT * FROM {row['table_name']}") for row in tables])


async def test_each_kind_leaves_the_rest_as_it_was(company: Table, ann: Agent) -> None:
    await redacts_all(company)

    tasks = (await ann.calls("read_plan"))["tasks"]
    assert [task["description"] for task in tasks] == ["harmless", TOMBSTONE]
    assert [note["text"] for note in tasks[1]["notes"]] == [TOMBSTONE, "harmless"]
    first, second = (await ann.calls("get_answered_questions"))["questions"]
    assert (first["question"], first.get("context"), first.get("options")) == (TOMBSTONE, None, None)
    assert first["answer"] == TOMBSTONE, "it was one of the options"
    assert (second["question"], second["answer"]) == ("Which password?", TOMBSTONE)
    draft = await ann.calls("read_draft", section_id="plan-b")
    assert (draft["section"]["title"], draft["section"]["content"]) == (TOMBSTONE, "clean, too")
    pad = (await ann.calls("scratch_read", scratch_id="vault"))["scratchpad"]
    assert (pad["title"], pad["tags"], pad["cells"][0]["content"]) == (TOMBSTONE, [], "clean")
    assert (await ann.calls("get_memory", key="door"))["value"] == TOMBSTONE


async def test_listeners_are_told_what_was_redacted_but_nothing_of_memory(company: Table, ann: Agent) -> None:
    await redacts_all(company)

    events = (await ann.calls("read_events", kinds=["scratchpad/redacted"], max_chars=0))["events"]
    assert [event["object_kind"] for event in events] == [thing["kind"] for thing in THINGS]
    audit = (await (await owner(company)).get("/audit?event_type=content_redacted&limit=100")).json()["entries"]
    assert len(audit) == len(THINGS) + 3


async def test_a_held_answer_is_never_given_once_it_is_redacted(company: Table, ann: Agent) -> None:
    await ann.calls("add_question", question="And now?")
    boss = await owner(company)
    waiting = {"answers": {"q3": SECRET}, "hold_seconds": 30}
    assert (await boss.post(f"/sessions/{HERE}/answers", json=waiting)).status_code == 200

    answer = await boss.post(f"/sessions/{HERE}/redact", json={"kind": "answer", "id": "q3"})

    assert answer.status_code == 200
    assert (await boss.get("/holds")).json()["count"] == 0
    assert [each["id"] for each in (await ann.calls("get_pending_questions"))["questions"]] == ["q3"]


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"kind": "question", "id": "q9"}, 404, "id"),
    ({"kind": "question", "id": "9"}, 400, "id"),
    ({"kind": "answer", "id": "t1"}, 400, "id"),
    ({"kind": "task", "id": "t9"}, 404, "id"),
    ({"kind": "task", "id": "t2", "number": 1}, 400, "number"),
    ({"kind": "task_note", "id": "t2"}, 400, "number"),
    ({"kind": "task_note", "id": "t2", "number": 9}, 404, "id"),
    ({"kind": "title", "id": "nowhere"}, 404, "id"),
    ({"kind": "title", "id": "plan-b", "version": 1}, 400, "version"),
    ({"kind": "session", "id": "another"}, 404, "id"),
    ({"kind": "reservation", "id": "src/other"}, 404, "id"),
    ({"kind": "everything", "id": "x"}, 400, "kind"),
]


async def test_what_cannot_be_redacted_is_refused_by_its_field_and_changes_nothing(company: Table, ann: Agent) -> None:
    before, boss = await ann.calls("read_plan"), await owner(company)

    for thing, status, field in REFUSED:
        answer = await boss.post(f"/sessions/{HERE}/redact", json=thing)
        assert answer.status_code == status, answer.text
        assert answer.json()["error"]["error"].startswith(f"{field}:"), answer.text

    assert await ann.calls("read_plan") == before


async def test_only_an_owner_of_the_tenant_redacts(company: Table, ann: Agent) -> None:
    human, rival = await secret_of(company, Role.HUMAN), await owner(company, "rival")
    calls: list[tuple[str, dict[str, Any]]] = [(f"/sessions/{HERE}/redact", thing) for thing in THINGS]
    calls += [("/memory/redact", {"agent": "ann", "key": "door"}), ("/scratchpads/vault/redact", {})]

    for path, body in calls:
        for secret in (human, "acme-secret"):
            assert (await company.agent(token=secret).client.post(path, json=body)).status_code == 403
        assert (await rival.post(path, json=body)).status_code == 404

    assert SECRET in await everything(company, ann)


async def test_twenty_redactions_at_once_all_stand(company: Table, ann: Agent) -> None:
    await ann.calls("add_tasks", tasks=[{"description": f"{SECRET} {number}"} for number in range(18)])
    boss = await owner(company)
    things = [{"kind": "task", "id": f"t{number}"} for number in range(3, 21)] + [THINGS[1], THINGS[2]]

    answers = await asyncio.gather(*(boss.post(f"/sessions/{HERE}/redact", json=thing) for thing in things))

    assert [answer.status_code for answer in answers] == [200] * 20
    tasks = (await ann.calls("read_plan", max_chars=0))["tasks"]
    assert [task["description"] for task in tasks[2:]] == [TOMBSTONE] * 18
