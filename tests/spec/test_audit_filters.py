"""The audit log, looked through: by session, by outcome and by time, over REST and by agents alike."""

from typing import Any

import httpx2
import pytest

from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR, to_iso
from longtable.log.audit_blocks import BLOCK
from longtable.records import service
from tests.table import Agent, Table, open_table

pytestmark = pytest.mark.slow


@pytest.fixture
async def owner(company: Table) -> httpx2.AsyncClient:
    return (await company.bearer(Role.OWNER, "boss")).client


@pytest.fixture
async def two_sessions(company: Table) -> list[Agent]:
    """An agent in each, who adds two notes and withdraws a question that was never asked."""
    agents = []
    for name in ("sess_one", "sess_two"):
        await company.agent(token="acme-secret").calls("create_session", session_id=name)
        agents.append(company.agent("ada", name, "acme-secret"))
        for number in range(2):
            await agents[-1].adds_note(str(number))
        await agents[-1].tries("withdraw_question", question_id="q9")
    return agents


async def test_records_are_chosen_by_session(owner: httpx2.AsyncClient, two_sessions: list[Agent]) -> None:
    log = (await owner.get("/audit?session_id=sess_one&event_type=note_added")).json()

    assert [(entry["session_id"], entry["object"]) for entry in log["entries"]] == [
        ("sess_one", "note:n2"),
        ("sess_one", "note:n1"),
    ]


@pytest.mark.in_process("what another server refused is on record within a second")
async def test_records_are_chosen_by_outcome(owner: httpx2.AsyncClient, two_sessions: list[Agent]) -> None:
    failed = (await owner.get("/audit?outcome=NOT_FOUND")).json()["entries"]
    failed_there = (await owner.get("/audit?outcome=NOT_FOUND&session_id=sess_two")).json()["entries"]
    went_well = (await owner.get("/audit?outcome=SUCCESS&session_id=sess_two")).json()["entries"]

    assert [entry["session_id"] for entry in failed] == ["sess_two", "sess_one"]
    assert [entry["session_id"] for entry in failed_there] == ["sess_two"]
    assert [entry["event_type"] for entry in went_well] == ["note_added", "note_added", "session_created"]
    assert (await owner.get("/audit?outcome=CONFLICT")).json()["entries"] == []


async def test_records_are_chosen_by_a_time_with_both_ends(
    company: Table, owner: httpx2.AsyncClient, two_sessions: list[Agent]
) -> None:
    company.clock.ahead = HOUR
    start = to_iso(company.clock())
    await two_sessions[0].adds_note("in between")
    end = to_iso(company.clock())
    company.clock.ahead = 2 * HOUR
    await two_sessions[0].adds_note("later")

    log = (await owner.get("/audit", params={"event_type": "note_added", "since": start, "until": end})).json()

    assert [entry["object"] for entry in log["entries"]] == ["note:n3"]


async def test_pages_of_a_filter_neither_repeat_nor_leave_out_a_record(
    owner: httpx2.AsyncClient, two_sessions: list[Agent]
) -> None:
    arguments = {"session_id": "sess_two", "limit": "1", "event_type": "note_added"}
    first = (await owner.get("/audit", params=arguments)).json()
    second = (await owner.get("/audit", params={**arguments, "cursor": first["next_cursor"]})).json()

    assert [page["entries"][0]["object"] for page in (first, second)] == ["note:n2", "note:n1"]
    assert second["next_cursor"] is None


@pytest.mark.in_process("changes the program where it runs")
async def test_a_page_that_looks_for_a_time_looks_at_so_many_records_and_says_where_to_go_on(
    company: Table, owner: httpx2.AsyncClient, two_sessions: list[Agent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_LOOKED_AT", 3)
    until = to_iso(company.clock())
    company.clock.ahead = HOUR
    for number in range(4):
        await two_sessions[0].adds_note(f"later {number}")
    arguments = {"event_type": "note_added", "until": until}

    found: list[str] = []
    cursor: dict[str, str] = {}
    empty = 0
    while True:
        page = (await owner.get("/audit", params={**arguments, **cursor})).json()
        found += [entry["object"] for entry in page["entries"]]
        empty += not page["entries"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}

    assert found == ["note:n2", "note:n1"] * 2
    assert empty >= 1


async def test_the_filters_are_those_of_the_own_tenant(company: Table, two_sessions: list[Agent]) -> None:
    rival = company.agent(token="rival-secret")

    for filters in ({"session_id": "sess_one"}, {"outcome": "NOT_FOUND"}):
        assert (await rival.calls("get_audit_log", **filters))["entries"] == []


async def test_a_time_that_is_none_is_refused(owner: httpx2.AsyncClient) -> None:
    assert (await owner.get("/audit?until=then")).status_code == 400


async def test_a_filter_finds_the_only_record_of_an_agent_wherever_it_stands(
    company: Table, owner: httpx2.AsyncClient
) -> None:
    """Filters look through blocks of 64 records."""
    await company.agent(token="acme-secret").calls("create_session", session_id="sess_one")
    for number in range(70):
        await company.agent(f"ada-{number}", "sess_one", "acme-secret").adds_note("one")
    log = (await owner.get("/audit?event_type=note_added&limit=200")).json()["entries"]
    at_the_edge = {entry["seq"]: entry["agent_id"] for entry in log if 62 <= entry["seq"] <= 66}

    found = {}
    for seq, agent in at_the_edge.items():
        entries = (await owner.get("/audit", params={"agent_id": agent})).json()["entries"]
        found[seq] = [entry["seq"] for entry in entries]

    assert found == {seq: [seq] for seq in range(66, 61, -1)}


async def test_records_are_found_whichever_of_two_servers_wrote_them(store: Any, tmp_path: Any) -> None:
    async with open_table(store, tmp_path) as here, open_table(store, tmp_path) as there:
        await here.session("sess_one")
        await here.session("sess_two")
        for number in range(2 * BLOCK):
            table = (here, here, there)[number % 3]
            await table.agent(f"agent{number % 5}", ("sess_one", "sess_two")[number % 2]).adds_note(str(number))

        async def count(**arguments: str) -> int:
            chosen = {"event_type": "note_added", "limit": 500, **arguments}
            log = await here.agent("reader").calls("get_audit_log", **chosen, max_chars=0)
            return len(log["entries"])

        assert await count() == 2 * BLOCK
        assert [await count(session_id=name) for name in ("sess_one", "sess_two")] == [BLOCK, BLOCK]
        assert [await count(agent_id=f"agent{number}") for number in range(5)] == [26, 26, 26, 25, 25]
