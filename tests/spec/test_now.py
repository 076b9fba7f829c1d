"""Now: who does what over all open sessions, what each waits for, and what took how long."""

import asyncio
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, MINUTE, to_iso
from longtable.log.kinds import EVENT_KINDS
from longtable.log.sentences import DESCRIBED
from longtable.now.model import Span, TaskStatusChange, task_spans
from tests.e2e.servers import until
from tests.table import Agent, Table, person

ACME = "acme-secret"


async def seen(client: httpx2.AsyncClient) -> dict[str, Any]:
    answer = await client.get("/now")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def agents(client: httpx2.AsyncClient) -> dict[str, dict[str, Any]]:
    return {each["agent"]: each for each in (await seen(client))["agents"]}


async def joined(company: Table, *names: str, session: str = "sess_one") -> list[Agent]:
    await company.agent(token=ACME).calls("create_session", session_id=session, purpose=f"for {session}")
    return [company.agent(name, session, ACME) for name in names]


async def test_every_agent_of_every_open_session_is_shown_the_newest_first(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    (bob,) = await joined(company, "bob", session="sess_two")
    (cid,) = await joined(company, "cid", session="sess_over")
    await cid.adds_note("gone")
    await company.agent(token=ACME).calls("close_session", session_id="sess_over")
    await ada.adds_note("early")
    await bob.adds_note("late")

    body = await seen(await person(company))

    assert set(body) == {"ok", "agents", "spans"}
    shown = [(each["agent"], each["session_id"], each["purpose"]) for each in body["agents"]]
    assert shown[:2] == [("bob", "sess_two", "for sess_two"), ("ada", "sess_one", "for sess_one")]
    assert "sess_over" not in {session for _, session, _ in shown}


async def test_an_agent_has_its_task_its_lease_its_last_action_and_its_hours(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    await bob.calls("add_tasks", tasks=[{"description": "Measure\nthe roof"}])
    claimed = await ada.calls("claim_task")

    row = (await agents(await person(company)))["ada"]

    assert list(row) == ["agent", "session_id", "purpose", "task", "lease_until", "last", "events_per_hour"]
    assert row["task"] == {"task_id": "t1", "title": "Measure the roof"}
    assert row["lease_until"] == claimed["lease_expires_at"]
    assert (row["last"]["kind"], row["last"]["text"]) == ("scratchpad/task_claimed", "claimed “Measure the roof”")
    assert row["events_per_hour"] == [0] * 23 + [2]


async def test_a_task_that_an_agent_began_without_a_claim_is_its_task(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    await bob.calls("add_tasks", tasks=[{"description": "Measure the roof"}])
    await ada.calls("update_task", task_id="t1", status="in_progress")

    shown = await agents(await person(company))

    assert shown["ada"]["task"] == {"task_id": "t1", "title": "Measure the roof"}
    assert "task" not in shown["bob"]


async def test_hours_that_are_over_move_on_and_out(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    people = await person(company)
    await ada.adds_note("one")
    first = (await agents(people))["ada"]["events_per_hour"]
    company.clock.ahead = 2 * HOUR
    await ada.adds_note("two")
    await ada.adds_note("three")
    second = (await agents(people))["ada"]["events_per_hour"]

    assert (sum(first), first[-1]) == (1, 1)
    assert (second[-3], second[-2], second[-1]) == (1, 0, 2)


async def test_whoever_asked_a_blocking_question_waits_for_answers_since_then(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    added = await ada.calls("add_question", question="Which colour?", blocking=True)
    await bob.calls("add_question", question="Which day?")
    people = await person(company)

    row = await agents(people)

    assert (row["ada"]["waits_for"], row["ada"]["waits_since"]) == ("answers", added["question"]["asked_at"])
    assert "waits_for" not in row["bob"]
    await people.post("/sessions/sess_one/answers", json={"answers": {"q1": "red"}})
    assert "waits_for" not in (await agents(people))["ada"]


async def test_whoever_waits_for_messages_is_shown_so_while_it_does(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    await ada.adds_note("here")
    people = await person(company)
    waiting = asyncio.create_task(ada.calls("wait_for_messages", timeout_seconds=20))
    await until(lambda: bool(company.app.waits.current("acme")))

    row = (await agents(people))["ada"]
    await bob.calls("add_message", content="hello")
    await waiting

    assert row["waits_for"] == "messages"
    assert row["last"]["at"] <= row["waits_since"]
    assert "waits_for" not in (await agents(people))["ada"]


async def test_spans_tell_tasks_and_waits_for_people(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    await bob.calls("add_tasks", tasks=[{"description": "Measure"}, {"description": "Paint"}])
    began = to_iso(company.clock())
    await ada.calls("claim_task")
    company.clock.ahead = MINUTE
    await ada.calls("update_task", task_id="t1", status="completed")
    await ada.calls("claim_task")
    await ada.calls("add_question", question="Which colour?")
    people = await person(company)

    spans = (await seen(people))["spans"]

    assert [(span["kind"], span["label"], "to" in span) for span in spans] == [
        ("wait", "Which colour?", False),
        ("task", "Paint", False),
        ("task", "Measure", True),
    ]
    assert set(spans[2]) == {"agent", "session_id", "kind", "label", "from", "to"}
    assert began <= spans[2]["from"] < spans[2]["to"]


async def test_a_lease_that_has_run_out_is_nobodys_task(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    await bob.calls("add_tasks", tasks=[{"description": "Measure"}])
    await ada.calls("claim_task", lease_seconds=60)
    company.clock.ahead = 2 * MINUTE

    assert "task" not in (await agents(await person(company)))["ada"]


async def test_it_is_for_people(company: Table) -> None:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one")
    agent = await company.app.tokens.create(Credential("acme", Role.AGENT, "a", "ada", None, "sess_one"), None)
    others = (Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER, Role.READER)
    clients = {Role.AGENT: company.agent(token=agent.secret).client}
    clients |= {role: await person(company, role) for role in others}
    roles = {role: (await client.get("/now")).status_code for role, client in clients.items()}

    assert roles == {"agent": 403, "orchestrator": 403, "human": 200, "owner": 200, "reader": 403}


async def test_nothing_of_another_tenant_is_shown(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    await ada.adds_note("ours")

    assert (await seen(await person(company, tenant="globex")))["agents"] == []


async def test_what_agents_say_in_private_is_shown_to_people_and_not_to_an_anonymous_caller(table: Table) -> None:
    ada = table.agent("ada", await table.session("sess_one"))
    await ada.adds_note("seen")
    await ada.calls("add_message", content="between us", visibility="private")

    answer = await table.agent("bob").client.get("/now")

    assert answer.status_code == 200
    assert "between us" not in answer.text


def test_every_kind_of_event_has_words() -> None:
    assert set(EVENT_KINDS) == DESCRIBED


@pytest.mark.parametrize(
    ("moves", "spans"),
    [
        pytest.param([("pending", "in_progress", 5), ("in_progress", "completed", 9)], [(5, 9)], id="done"),
        pytest.param([("in_progress", "failed", 9)], [(2, 9)], id="begun before"),
        pytest.param(
            [("pending", "in_progress", 5), ("pending", "in_progress", 8), ("in_progress", "completed", 9)],
            [(5, 8), (8, 9)],
            id="claimed again after its lease",
        ),
    ],
)
def test_changes_of_tasks_become_spans(moves: list[tuple[str, str, int]], spans: list[tuple[int, int]]) -> None:
    found = task_spans([TaskStatusChange("s", "t1", "ada", old, new, at) for old, new, at in moves], [], since=2)

    assert found == [Span("ada", "s", "task", "t1", begin, end) for begin, end in spans]
