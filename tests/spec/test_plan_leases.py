"""Claims: one agent for a task at a time, for as long as its lease runs."""

import asyncio
import json
from typing import Any

import pytest

from longtable.kernel.caller import Role
from longtable.kernel.clock import SECOND, from_iso
from tests.spec.plan_races import check_claims
from tests.spec.test_identity import token
from tests.spec.test_plan import adds, tasks_of, updates
from tests.spec.test_writes import audit_of
from tests.table import Agent, Refused, Table

pytestmark = pytest.mark.slow


async def claims(agent: Agent, task: str | None = None, **more: Any) -> dict[str, Any]:
    arguments = {} if task is None else {"task_id": task}
    return await agent.calls("claim_task", **arguments, **more)


async def test_a_claim_puts_the_task_into_the_hands_of_one_agent_for_ten_minutes(table: Table, alice: Agent) -> None:
    await adds(alice, "one")

    claim = await claims(alice)

    task = claim["task"]
    assert (task["id"], task["status"], task["assigned_to"], task["version"]) == ("t1", "in_progress", "alice", 2)
    assert task["lease_expires_at"] == claim["lease_expires_at"]
    assert abs(from_iso(claim["lease_expires_at"]) - table.clock() - 600 * SECOND) < 30 * SECOND
    assert claim["lease"] not in str(await alice.calls("read_plan"))


async def test_where_nothing_is_ready_the_answer_is_no_task(alice: Agent) -> None:
    await adds(alice, {"assigned_to": "bob"}, {"depends_on": ["#0"]})

    assert await claims(alice) == {"ok": True, "task": None}


async def test_ones_own_tasks_come_first_then_anybodys_by_priority_and_age(alice: Agent) -> None:
    await adds(
        alice,
        {"priority": "low"},
        {"priority": "medium"},
        {"priority": "high", "assigned_to": "bob"},
        {"priority": "high"},
        {"priority": "high"},
        {"priority": "low", "assigned_to": "alice"},
        {"priority": "medium", "assigned_to": "alice"},
        {"priority": "high", "depends_on": ["#0"]},
    )

    order = [(await claims(alice))["task"] for _ in range(7)]

    assert [task and task["id"] for task in order] == ["t7", "t6", "t4", "t5", "t2", "t1", None]


async def test_what_becomes_ready_can_be_claimed(alice: Agent) -> None:
    await adds(alice, "one", {"depends_on": ["#0"]})
    claim = await claims(alice)
    assert (await claims(alice))["task"] is None

    await updates(alice, "t1", status="completed", lease=claim["lease"])

    assert (await claims(alice))["task"]["id"] == "t2"


@pytest.mark.parametrize(
    ("task", "code", "words"),
    [
        ("t1", "CONFLICT", "held by bob"),
        ("t2", "CONFLICT", "assigned to carol"),
        ("t3", "CONFLICT", "completed"),
        ("t4", "CONFLICT", "cancelled"),
        ("t5", "CONFLICT", "blocked"),
        ("t6", "CONFLICT", "failed"),
        ("t7", "CONFLICT", "in_progress"),
        ("t8", "DEPENDENCY_UNMET", "t1, t2"),
        ("t99", "NOT_FOUND", "t99"),
        ("n1", "INVALID_ARGUMENT", "task_id"),
    ],
)
async def test_a_task_that_cannot_be_had_is_refused_with_the_reason(
    alice: Agent, bob: Agent, task: str, code: str, words: str
) -> None:
    await adds(alice, "1", {"assigned_to": "carol"}, "3", "4", "5", "6", "7", {"depends_on": ["#0", "#1", "#2"]})
    await claims(bob, "t1")
    for number, status in {3: "completed", 4: "cancelled", 5: "blocked", 6: "failed", 7: "in_progress"}.items():
        await updates(alice, f"t{number}", status=status)
    before = await tasks_of(alice)

    with pytest.raises(Refused, match=f"{code}.*{words}"):
        await claims(alice, task)

    assert await tasks_of(alice) == before


@pytest.mark.parametrize("tool", ["claim_task", "renew_task"])
@pytest.mark.parametrize("seconds", [0, 86_401, "soon", 1.5])
async def test_a_lease_runs_for_a_second_to_a_day(alice: Agent, tool: str, seconds: Any) -> None:
    await adds(alice, "one")
    lease = {} if tool == "claim_task" else {"lease": (await claims(alice, lease_seconds=86_400))["lease"]}

    with pytest.raises(Refused, match=r"INVALID_ARGUMENT.*lease_seconds"):
        await alice.calls(tool, task_id="t1", lease_seconds=seconds, **lease)


async def test_of_twenty_who_want_one_task_one_gets_it(table: Table, alice: Agent, session: str) -> None:
    await adds(alice, "one")

    answers = await asyncio.gather(
        *(table.agent(f"agent-{n}", session).tries("claim_task", task_id="t1") for n in range(20))
    )

    assert [answer["ok"] for answer in answers].count(True) == 1
    assert {answer["error"]["code"] for answer in answers if not answer["ok"]} == {"CONFLICT"}


@pytest.mark.slow
async def test_agents_who_race_claim_each_task_once_and_in_order(table: Table, session: str) -> None:
    await check_claims(table, session, agents=16, tasks=120)


async def test_twenty_renewals_at_once_all_hold_and_are_no_new_version(alice: Agent) -> None:
    await adds(alice, "one")
    claim = await claims(alice)

    answers = await asyncio.gather(
        *(alice.calls("renew_task", task_id="t1", lease=claim["lease"], lease_seconds=1000 + n) for n in range(20))
    )

    task = (await tasks_of(alice))["t1"]
    assert task["version"] == 2
    assert task["lease_expires_at"] in {answer["lease_expires_at"] for answer in answers}
    assert {(answer["task_id"], answer["lease"]) for answer in answers} == {("t1", claim["lease"])}


async def test_a_claim_repeated_with_its_key_gives_the_same_lease(alice: Agent) -> None:
    await adds(alice, "one", "two")

    answers = await asyncio.gather(*(claims(alice, idempotency_key="key-1") for _ in range(20)))

    assert all(answer == answers[0] for answer in answers)
    assert list(await tasks_of(alice, status="in_progress")) == ["t1"]


async def test_while_a_lease_runs_others_change_nothing(alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")
    claim = await claims(alice)

    for change in ({"status": "completed"}, {"note": "me too"}, {"assigned_to": "bob"}, {"description": "two"}):
        with pytest.raises(Refused, match=r"CONFLICT.*held by alice"):
            await updates(bob, "t1", **change)

    assert (await tasks_of(bob))["t1"] == claim["task"]


async def test_the_holder_needs_no_lease_and_whoever_has_the_lease_need_not_be_the_holder(
    alice: Agent, bob: Agent
) -> None:
    await adds(alice, "one")
    claim = await claims(alice)

    await updates(alice, "t1", note="by name")
    task = await updates(bob, "t1", status="completed", lease=claim["lease"])

    assert (task["status"], task["assigned_to"]) == ("completed", "alice")


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER])
async def test_those_who_oversee_may_change_what_an_agent_holds(company: Table, role: Role) -> None:
    boss = company.agent("boss", "sess_acme", "acme-secret")
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    scout = company.agent(token=await token(company, "acme", Role.AGENT, agent="scout", session_id="sess_acme"))
    other = company.agent(token=await token(company, "acme", Role.AGENT, agent="other", session_id="sess_acme"))
    overseer = company.agent(None, "sess_acme", await token(company, "acme", role, name="ana"))
    await adds(boss, "one")
    claim = await claims(scout)

    with pytest.raises(Refused, match="CONFLICT"):
        await updates(other, "t1", status="cancelled")
    task = await updates(overseer, "t1", status="cancelled")

    assert (task["status"], task["old_status"]) == ("cancelled", "in_progress")
    with pytest.raises(Refused, match="LEASE_LOST"):
        await updates(scout, "t1", status="completed", lease=claim["lease"])


@pytest.fixture
async def held(company: Table) -> Table:
    """Ada holds the task t1; an orchestrator speaks for her, and for others."""
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_acme")
    ada = company.agent("ada", "sess_acme", "acme-secret")
    await adds(ada, "one")
    await claims(ada)
    return company


@pytest.mark.parametrize(
    "change", [{"status": "completed"}, {"assigned_to": "bob"}, {"note": "x"}, {"status": "pending"}]
)
async def test_who_speaks_for_one_agent_does_not_change_what_another_holds(held: Table, change: dict[str, str]) -> None:
    bob = held.agent("bob", "sess_acme", "acme-secret")

    with pytest.raises(Refused, match="CONFLICT") as refused:
        await updates(bob, "t1", **change)

    assert refused.value.details["held_by"] == "ada"
    assert (await tasks_of(bob))["t1"]["notes"] == []


async def test_who_speaks_for_one_agent_overrules_another_by_force_and_it_is_recorded(held: Table) -> None:
    bob = held.agent("bob", "sess_acme", "acme-secret")

    task = await updates(bob, "t1", status="completed", force=True)

    recorded = json.loads((await audit_of(held, "acme"))[-1]["metadata"])
    assert task["status"] == "completed"
    assert [(note["author"], note["text"]) for note in (await tasks_of(bob))["t1"]["notes"]] == [
        ("bob", "Changed by force while ada held it.")
    ]
    assert (recorded["forced"], recorded["held_by"]) == (True, "ada")


@pytest.mark.parametrize("name", [None, "acme"])
async def test_an_orchestrator_in_its_own_name_needs_no_force(held: Table, name: str | None) -> None:
    orchestrator = held.agent(name, "sess_acme", "acme-secret")

    task = await updates(orchestrator, "t1", status="cancelled")

    assert (task["status"], (await tasks_of(orchestrator))["t1"]["notes"]) == ("cancelled", [])


async def test_with_auth_off_no_force_takes_a_task_from_its_holder(alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")
    await claims(alice)

    with pytest.raises(Refused, match="CONFLICT"):
        await updates(bob, "t1", status="completed", force=True)


async def test_a_lease_that_ran_out_frees_the_task_by_the_clock(table: Table, alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")
    first = await claims(alice, lease_seconds=60)
    assert (await claims(bob))["task"] is None

    table.clock.ahead = 61 * SECOND

    seen = (await tasks_of(bob, ready=True))["t1"]
    assert (seen["status"], seen["assigned_to"], "lease_expires_at" in seen) == ("pending", None, False)
    assert (await bob.calls("read_plan"))["summary"]["pending"] == 1
    second = await claims(bob)
    assert (second["task"]["id"], second["task"]["assigned_to"]) == ("t1", "bob")
    assert second["lease"] > first["lease"]
    events = (await bob.calls("read_events", kinds=["scratchpad/checklist_updated"]))["events"]
    assert [(event["old_status"], event["new_status"]) for event in events] == [("pending", "in_progress")] * 2


async def test_a_stale_lease_completes_nothing(table: Table, alice: Agent, bob: Agent) -> None:
    await adds(alice, "one", {"depends_on": ["#0"]})
    stale = (await claims(alice, lease_seconds=60))["lease"]
    table.clock.ahead = 61 * SECOND

    with pytest.raises(Refused, match="LEASE_LOST"):
        await updates(alice, "t1", status="completed", lease=stale)
    fresh = (await claims(bob, "t1"))["lease"]
    with pytest.raises(Refused, match="LEASE_LOST"):
        await updates(alice, "t1", status="completed", lease=stale)
    with pytest.raises(Refused, match="LEASE_LOST"):
        await alice.calls("renew_task", task_id="t1", lease=stale)
    with pytest.raises(Refused, match="CONFLICT"):
        await updates(alice, "t1", status="completed")

    assert (await updates(bob, "t1", status="completed", lease=fresh))["assigned_to"] == "bob"


async def test_a_lease_is_renewed_from_now_on(table: Table, alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")
    claim = await claims(alice, lease_seconds=60)
    table.clock.ahead = 50 * SECOND

    renewed = await alice.calls("renew_task", task_id="t1", lease=claim["lease"], lease_seconds=60)
    table.clock.ahead = 100 * SECOND

    assert renewed["lease"] == claim["lease"]
    assert renewed["lease_expires_at"] > claim["lease_expires_at"]
    assert (await tasks_of(bob))["t1"]["status"] == "in_progress"


async def test_to_renew_a_lease_that_ran_out_is_one_version_more(table: Table, alice: Agent) -> None:
    await adds(alice, "one")
    lease = (await claims(alice, lease_seconds=60))["lease"]
    table.clock.ahead = 61 * SECOND

    await alice.calls("renew_task", task_id="t1", lease=lease)

    assert (await tasks_of(alice))["t1"]["version"] == 3


async def test_a_lease_that_ran_out_is_renewed_while_nobody_took_the_task(
    table: Table, alice: Agent, bob: Agent
) -> None:
    await adds(alice, "one", {"assigned_to": "alice"})
    lease = (await claims(alice, "t1", lease_seconds=60))["lease"]
    table.clock.ahead = 61 * SECOND
    await updates(bob, "t1", note="Is anybody on this?")
    await claims(alice)

    await alice.calls("renew_task", task_id="t1", lease=lease)

    assert (await tasks_of(bob))["t1"]["assigned_to"] == "alice"
    with pytest.raises(Refused, match="CONFLICT"):
        await claims(bob, "t1")


@pytest.mark.parametrize(
    ("change", "assigned_to"),
    [
        ({"status": "pending"}, None),
        ({"status": "in_progress"}, None),
        ({"status": "completed"}, None),
        ({"status": "blocked"}, None),
        ({"assigned_to": "bob"}, "bob"),
    ],
)
async def test_a_lease_that_ran_out_is_gone_once_somebody_decides_about_the_task(
    table: Table, alice: Agent, bob: Agent, change: dict[str, Any], assigned_to: str | None
) -> None:
    await adds(alice, "one")
    lease = (await claims(alice, lease_seconds=60))["lease"]
    table.clock.ahead = 61 * SECOND

    task = await updates(bob, "t1", **change)

    assert (task["old_status"], task["assigned_to"]) == ("pending", assigned_to)
    with pytest.raises(Refused, match="LEASE_LOST"):
        await alice.calls("renew_task", task_id="t1", lease=lease)


@pytest.mark.parametrize(
    ("status", "assigned_to"),
    [("pending", None), ("completed", "alice"), ("blocked", "alice"), ("failed", "alice"), ("cancelled", "alice")],
)
async def test_to_leave_a_task_ends_the_lease_and_to_give_it_back_frees_it(
    alice: Agent, status: str, assigned_to: str | None
) -> None:
    await adds(alice, "one")
    lease = (await claims(alice))["lease"]

    task = await updates(alice, "t1", status=status, lease=lease)

    assert (task["assigned_to"], "lease_expires_at" in task) == (assigned_to, False)
    with pytest.raises(Refused, match="LEASE_LOST"):
        await updates(alice, "t1", note="late", lease=lease)
    with pytest.raises(Refused, match="LEASE_LOST"):
        await alice.calls("renew_task", task_id="t1", lease=lease)


async def test_to_hand_a_task_on_ends_the_lease_and_lets_the_other_claim_it(alice: Agent, bob: Agent) -> None:
    await adds(alice, "one")
    lease = (await claims(alice))["lease"]

    task = await updates(alice, "t1", assigned_to="bob", lease=lease)

    assert (task["status"], task["old_status"], task["assigned_to"]) == ("pending", "in_progress", "bob")
    assert (await claims(bob))["task"]["id"] == "t1"


async def test_claims_and_renewals_are_in_the_audit_without_the_lease(table: Table, alice: Agent) -> None:
    await adds(alice, "one", "two")
    lease = (await claims(alice))["lease"]
    await alice.calls("renew_task", task_id="t1", lease=lease)

    records = await audit_of(table)

    recorded = [(record["event_type"], record["object"]) for record in records if record["object"]]
    assert recorded[-3:] == [("tasks_added", "task:t1"), ("task_claimed", "task:t1"), ("task_renewed", "task:t1")]
    assert lease not in str(records)
