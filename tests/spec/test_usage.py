"""Usage: what agents report of their models, by a tool or beside a call, and what people see of it."""

import asyncio
from typing import Any

import httpx2
import pytest

from longtable.kernel.caller import Caller, Role, Surface
from longtable.kernel.clock import DAY
from longtable.usage.model import usage_in
from tests.table import Agent, Table, person

ACME = "acme-secret"
REPORT = {"model": "m-1", "input_tokens": 100, "output_tokens": 20, "cost": 0.25}


async def joined(company: Table, *names: str, session: str = "sess_one") -> list[Agent]:
    await company.agent(token=ACME).calls("create_session", session_id=session, purpose=f"for {session}", ttl="7d")
    return [company.agent(name, session, ACME) for name in names]


async def seen(people: httpx2.AsyncClient, query: str = "") -> dict[str, Any]:
    answer = await people.get(f"/usage{query}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_reports_are_added_up_by_agent_session_and_day(company: Table) -> None:
    ada, bob = await joined(company, "ada", "bob")
    (elsewhere,) = await joined(company, "ada", session="sess_two")
    await ada.calls("add_tasks", tasks=[{"description": "measure"}])
    await ada.calls("report_usage", **REPORT, task_id="t1")
    await bob.calls("report_usage", model="m-2", input_tokens=1, output_tokens=2)
    company.clock.ahead = DAY
    total = await elsewhere.calls("report_usage", **REPORT)
    people = await person(company)

    by = {way: await seen(people, f"?by={way}") for way in ("agent", "session", "day")}

    assert total["total"] == {"input_tokens": 100, "output_tokens": 20, "cost": 0.25, "reports": 1}
    assert by["agent"]["usage"] == [
        {"agent": "ada", "input_tokens": 200, "output_tokens": 40, "cost": 0.5, "reports": 2},
        {"agent": "bob", "input_tokens": 1, "output_tokens": 2, "reports": 1},
    ]
    assert [(row["session_id"], row["purpose"], row["reports"]) for row in by["session"]["usage"]] == [
        ("sess_one", "for sess_one", 2),
        ("sess_two", "for sess_two", 1),
    ]
    days = [row["day"] for row in by["day"]["usage"]]
    assert (len(days), days) == (2, sorted(days, reverse=True))
    assert {way: each["total"]["input_tokens"] for way, each in by.items()} == dict.fromkeys(by, 201)
    assert (await seen(people, "?by=session&agent=bob"))["total"] == {
        "input_tokens": 1,
        "output_tokens": 2,
        "reports": 1,
    }
    assert (await seen(people, "?by=agent&session_id=sess_two"))["total"]["input_tokens"] == 100


async def test_twenty_reports_at_once_all_count(company: Table) -> None:
    (ada,) = await joined(company, "ada")

    await asyncio.gather(*(ada.calls("report_usage", **REPORT) for _ in range(20)))

    assert (await seen(await person(company)))["total"] == {
        "input_tokens": 2000,
        "output_tokens": 400,
        "cost": 5.0,
        "reports": 20,
    }


@pytest.mark.parametrize(
    "meta",
    [
        {"longtable/usage": {"model": "m-1", "input_tokens": 7, "output_tokens": 3, "cost": 0.5}},
        {
            "gen_ai.response.model": "m-1",
            "gen_ai.usage.input_tokens": 7,
            "gen_ai.usage.output_tokens": 3,
            "gen_ai.usage.cost": 0.5,
        },
    ],
    ids=["ours", "OpenTelemetry"],
)
async def test_what_stands_beside_a_call_counts_too(company: Table, meta: dict[str, Any]) -> None:
    (ada,) = await joined(company, "ada")

    for name in ("read_notes", "read_plan"):
        await ada.posts("tools/call", {"name": name, "arguments": {}, "_meta": meta})
    await company.app.slices.call_usage.save()

    row = {"agent": "ada", "input_tokens": 14, "output_tokens": 6, "cost": 1.0, "reports": 2}
    assert (await seen(await person(company)))["usage"] == [row]


BESIDE = {"longtable/usage": {"model": "m-1", "input_tokens": 7, "output_tokens": 3}}


async def test_a_call_that_is_repeated_with_its_key_counts_once(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    note = {"name": "add_note", "arguments": {"content": "wet"}, "_meta": {**BESIDE, "longtable/idempotency_key": "k"}}
    as_argument = {"name": "add_note", "arguments": {"content": "dry", "idempotency_key": "other"}, "_meta": BESIDE}

    await asyncio.gather(*(ada.posts("tools/call", params) for params in (note, as_argument) for _ in range(5)))
    await company.app.slices.call_usage.save()

    assert (await seen(await person(company)))["total"] == {"input_tokens": 14, "output_tokens": 6, "reports": 2}


async def test_a_call_that_failed_counts_with_its_repetition_where_it_has_a_key(company: Table) -> None:
    (ada,) = await joined(company, "ada")
    missing = {"name": "update_task", "arguments": {"task_id": "t1", "note": "wet"}}
    keyed = {**missing, "_meta": {**BESIDE, "longtable/idempotency_key": "k"}}

    await ada.posts("tools/call", keyed)
    await ada.calls("add_tasks", tasks=[{"description": "measure"}])
    await ada.posts("tools/call", keyed)
    await ada.posts("tools/call", {"name": "read_section", "arguments": {"section_id": "none"}, "_meta": BESIDE})
    await company.app.slices.call_usage.save()

    assert (await seen(await person(company)))["total"] == {"input_tokens": 14, "output_tokens": 6, "reports": 2}


@pytest.mark.in_process("reports very often")
@pytest.mark.parametrize("agents", [("ada",), ("ada", "bob")])
async def test_absurd_reports_break_no_page_that_people_see(company: Table, agents: tuple[str, ...]) -> None:
    ada, *_ = await joined(company, *agents)
    absurd = {"longtable/usage": {"model": "m-1", "input_tokens": 10**12, "output_tokens": 0, "cost": 10**9}}
    for _ in range(2):
        for name in agents:
            caller = Caller("acme", Role.AGENT, name, "generic", Surface.HTTP, "sess_one")
            for _ in range(9_000 // len(agents)):
                company.app.slices.call_usage.record(caller, absurd)
        await company.app.slices.call_usage.save()

    reported = await ada.calls("report_usage", **{**REPORT, "cost": 10**9})
    total = (await seen(await person(company)))["total"]

    assert reported["total"]["cost"] == pytest.approx(9.2e12, rel=0.03)
    assert total["cost"] == pytest.approx(9.2e12 * len(agents), rel=0.03)
    assert total["reports"] == 18_001


@pytest.mark.parametrize(
    "meta",
    [
        {"longtable/usage": "much"},
        {"longtable/usage": {"input_tokens": -1, "output_tokens": 2}},
        {"gen_ai.usage.input_tokens": True},
        {"gen_ai.usage.input_tokens": 10**13, "gen_ai.usage.output_tokens": 1},
        {"gen_ai.usage.input_tokens": "7"},
        {},
    ],
)
def test_what_cannot_be_read_beside_a_call_is_left_alone(meta: dict[str, Any]) -> None:
    assert usage_in(meta) is None


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"input_tokens": -1}, "INVALID_ARGUMENT", "input_tokens"),
        ({"cost": -0.1}, "INVALID_ARGUMENT", "cost"),
        ({"model": "x" * 201}, "INVALID_ARGUMENT", "model"),
        ({"task_id": "seven"}, "INVALID_ARGUMENT", "task_id"),
        ({"task_id": "t7"}, "NOT_FOUND", "task_id"),
    ],
)
async def test_a_bad_report_is_refused_and_counts_nothing(
    company: Table, change: dict[str, Any], code: str, field: str
) -> None:
    (ada,) = await joined(company, "ada")

    refused = (await ada.tries("report_usage", **{**REPORT, **change}))["error"]

    assert (refused["code"], field in refused["error"]) == (code, True)
    assert (await seen(await person(company)))["usage"] == []


async def test_the_sums_are_for_people(company: Table) -> None:
    await joined(company, "ada")
    roles = (Role.ORCHESTRATOR, Role.HUMAN, Role.OWNER, Role.READER)

    statuses = [(await (await person(company, role)).get("/usage?by=day")).status_code for role in roles]

    assert statuses == [403, 200, 200, 403]
    assert (await (await person(company)).get("/usage?by=moon")).status_code == 400
