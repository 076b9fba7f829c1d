"""The tables from afar: which there are, who sits at them, how far they have got, and where to go on listening."""

import json
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import DAY, HOUR
from longtable.storage.database import Transaction
from tests.table import Agent, Table, person

pytestmark = pytest.mark.slow

ACME = "acme-secret"


async def sessions(company: Table, *names: str, token: str = ACME) -> None:
    for name in names:
        await company.agent(token=token).calls("create_session", session_id=name, purpose=f"for {name}")


async def pages(client: httpx2.AsyncClient, limit: int) -> list[list[str]]:
    """The ids on each page of the overview."""
    found, cursor = [], ""
    while True:
        page = (await client.get(f"/overview?limit={limit}{cursor}")).json()
        found.append([table["session_id"] for table in page["sessions"]])
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


async def fill(ada: Agent, bob: Agent) -> None:
    await ada.adds_note("one")
    await bob.adds_note("two")
    await ada.calls("write_draft_section", section_id="intro", content="text")
    await ada.calls("add_tasks", tasks=[{"description": "a"}, {"description": "b"}, {"description": "c"}])
    await bob.calls("update_task", task_id="t1", status="completed")
    await bob.calls("update_task", task_id="t2", status="cancelled")
    await ada.calls("add_question", question="which?", blocking=True)
    await ada.calls("add_question", question="when?")
    await bob.calls("add_message", content="hello")


async def test_a_table_tells_who_is_at_it_and_how_far_it_has_got(company: Table) -> None:
    await sessions(company, "sess_one")
    ada, bob = (company.agent(name, "sess_one", ACME) for name in ("ada", "bob"))
    await fill(ada, bob)

    (table,) = (await (await person(company)).get("/overview")).json()["sessions"]

    assert [joined["agent"] for joined in table["agents"]] == ["bob", "ada", "acme"]
    assert table["agents"][0]["last_active_at"] == table["last_activity_at"]
    counted = ("agent_count", "notes", "sections", "messages", "open_questions", "blocking_questions")
    assert [table[name] for name in counted] == [3, 2, 1, 1, 2, 1]
    assert (table["purpose"], table["status"], table["created_by"]) == ("for sess_one", "active", "acme")


async def test_tasks_and_progress_are_those_that_the_plan_itself_tells(company: Table) -> None:
    await sessions(company, "sess_one")
    ada, bob = (company.agent(name, "sess_one", ACME) for name in ("ada", "bob"))
    await fill(ada, bob)
    await ada.calls("claim_task", lease_seconds=60)
    client = await person(company)

    for company.clock.ahead in (0, HOUR):
        plan = await ada.calls("read_plan")
        table = (await client.get("/sessions/sess_one/overview")).json()["session"]

        assert (table["tasks"], table["progress"]) == (plan["summary"], plan["progress"])


async def test_the_most_recently_active_table_comes_first(company: Table) -> None:
    await sessions(company, "sess_one", "sess_two", "sess_three")
    client = await person(company)

    await company.agent("ada", "sess_one", ACME).adds_note("x")

    assert await pages(client, 50) == [["sess_one", "sess_three", "sess_two"]]


async def test_pages_neither_repeat_nor_leave_out_a_table_whatever_happens_meanwhile(company: Table) -> None:
    names = [f"sess_{number}" for number in range(7)]
    await sessions(company, *names)
    client = await person(company)

    first = (await client.get("/overview?limit=3")).json()
    await company.agent("ada", "sess_0", ACME).adds_note("the last one becomes the first")
    second = (await client.get(f"/overview?limit=3&cursor={first['next_cursor']}")).json()
    third = (await client.get(f"/overview?limit=3&cursor={second['next_cursor']}")).json()

    shown = [table["session_id"] for page in (first, second, third) for table in page["sessions"]]
    assert shown == names[::-1]
    assert (first["count"], third["count"], third["next_cursor"]) == (3, 1, None)
    assert third["sessions"][0]["notes"] == 1


async def test_tables_are_chosen_by_their_status_at_this_moment(company: Table) -> None:
    conductor = company.agent(token=ACME)
    await sessions(company, "sess_open", "sess_closed")
    await conductor.calls("create_session", session_id="sess_short", ttl="1h")
    await conductor.calls("close_session", session_id="sess_closed")
    company.clock.ahead = 2 * HOUR
    client = await person(company)

    found = {
        status: [each["session_id"] for each in (await client.get(f"/overview?status={status}")).json()["sessions"]]
        for status in ("active", "closed", "expired")
    }

    assert found == {"active": ["sess_open"], "closed": ["sess_closed"], "expired": ["sess_short"]}


async def test_at_most_twenty_agents_are_named_and_all_are_counted(company: Table) -> None:
    await sessions(company, "sess_one")
    for number in range(25):
        await company.agent(f"agent-{number:02}", "sess_one", ACME).adds_note("x")

    table = (await (await person(company)).get("/sessions/sess_one/overview")).json()["session"]

    assert [joined["agent"] for joined in table["agents"]] == [f"agent-{number:02}" for number in range(24, 4, -1)]
    assert table["agent_count"] == 26


async def test_people_count_every_message_and_others_those_they_may_read(company: Table) -> None:
    await sessions(company, "sess_one")
    ada = company.agent("ada", "sess_one", ACME, **{"X-Agent-Type": "coder"})
    whisperer = company.agent("wil", "sess_one", ACME, **{"X-Agent-Type": "coder"})
    await ada.calls("add_message", content="to all")
    for visibility in ("private", "agent_only"):
        await whisperer.calls("add_message", content="hidden", visibility=visibility)
    everyone = await person(company)
    conductor = company.agent(token=ACME).client
    colleague = ada.client

    seen = {}
    for name, client in (("person", everyone), ("conductor", conductor), ("colleague", colleague)):
        for path in ("/overview", "/sessions/sess_one/overview"):
            body = (await client.get(path)).json()
            table = body["session"] if "session" in body else body["sessions"][0]
            seen[name, path] = (table["messages"], [joined["agent"] for joined in table["agents"]])

    for path in ("/overview", "/sessions/sess_one/overview"):
        assert seen["person", path] == (3, ["wil", "ada", "acme"])
        assert seen["conductor", path] == (1, ["ada", "acme"])
        assert seen["colleague", path] == (2, ["wil", "ada", "acme"])


async def test_a_hidden_message_is_no_activity_to_those_who_may_not_read_it(company: Table) -> None:
    await sessions(company, "sess_one", "sess_two")
    await company.agent("ada", "sess_one", ACME).calls("add_message", content="hidden", visibility="private")
    conductor = company.agent(token=ACME).client
    everyone = await person(company)

    heard = (await conductor.get("/sessions/sess_one/overview")).json()
    all_of_it = (await everyone.get("/sessions/sess_one/overview")).json()

    assert await pages(conductor, 50) == [["sess_two", "sess_one"]]
    assert await pages(everyone, 50) == [["sess_one", "sess_two"]]
    assert heard["session"]["last_activity_at"] < all_of_it["session"]["last_activity_at"]
    assert (heard["last_seq"], all_of_it["last_seq"]) == (1, 3)


async def test_a_stream_from_the_last_number_tells_what_happened_since(company: Table) -> None:
    await sessions(company, "sess_one")
    ada = company.agent("ada", "sess_one", ACME)
    await ada.adds_note("before")

    last_seq = (await (await person(company)).get("/sessions/sess_one/overview")).json()["last_seq"]
    await ada.adds_note("after")

    events = (await ada.calls("read_events", after=last_seq))["events"]
    assert [event["note_id"] for event in events] == ["n2"]


async def test_people_see_a_table_whose_time_is_over_and_others_are_told_that_it_is(company: Table) -> None:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one", ttl="1h")
    await company.agent("ada", "sess_one", ACME).adds_note("x")
    company.clock.ahead = 2 * HOUR

    for role in (Role.HUMAN, Role.OWNER):
        table = (await (await person(company, role=role)).get("/sessions/sess_one/overview")).json()["session"]
        assert (table["status"], table["notes"]) == ("expired", 1)
    assert (await company.agent(token=ACME).client.get("/sessions/sess_one/overview")).status_code == 410


async def test_the_program_itself_is_nobody_at_the_table(company: Table) -> None:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one", ttl="1h")
    company.clock.ahead = 2 * HOUR
    await company.app.jobs.run()

    table = (await (await person(company)).get("/sessions/sess_one/overview")).json()["session"]

    assert (table["status"], [joined["agent"] for joined in table["agents"]]) == ("expired", ["acme"])


async def test_nothing_of_another_tenant_is_shown_or_counted(company: Table) -> None:
    await sessions(company, "sess_same")
    await sessions(company, "sess_same", "sess_theirs", token="rival-secret")
    await company.agent("spy", "sess_same", "rival-secret").adds_note("x")
    client = await person(company)

    seen = json.dumps([(await client.get(path)).json() for path in ("/overview", "/sessions/sess_same/overview")])

    assert not any(word in seen for word in ("rival", "spy", "sess_theirs"))
    assert '"notes": 1' not in seen
    assert (await client.get("/sessions/sess_theirs/overview")).status_code == 404


@pytest.mark.parametrize("path", ["/overview", "/sessions/sess_one/overview"])
async def test_agents_and_readers_are_refused(company: Table, path: str) -> None:
    await sessions(company, "sess_one")
    credential = Credential("acme", Role.AGENT, "bot", agent="bot", session_id="sess_one")
    agent = company.agent(token=(await company.app.tokens.create(credential, None)).secret).client

    for client in (agent, await person(company, role=Role.READER)):
        refused = await client.get(path)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "cursor=x", "status=odd", "tenant=rival"])
async def test_a_bad_way_to_ask_is_refused(company: Table, query: str) -> None:
    answer = await (await person(company)).get(f"/overview?{query}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.in_process("changes the program where it runs")
async def test_a_page_takes_as_many_statements_for_fifty_tables_as_for_one(
    company: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sessions(company, *(f"sess_{number}" for number in range(50)))
    client = await person(company)
    counts: list[int] = []
    read = company.app.ledger.read

    async def counting(caller: Any, body: Any) -> Any:
        async def counted(tx: Transaction) -> Any:
            spy = Counting(tx)
            result = await body(spy)
            counts.append(spy.statements)
            return result

        return await read(caller, counted)

    monkeypatch.setattr(company.app.ledger, "read", counting)
    for limit in (1, 50):
        await client.get(f"/overview?limit={limit}")

    assert len(counts) == 2
    assert counts[0] == counts[1] <= 10


class Counting:
    """A transaction that counts what it is asked."""

    def __init__(self, real: Transaction) -> None:
        self._real = real
        self.statements = 0
        self.dialect = real.dialect

    async def all(self, sql: str, **parameters: Any) -> Any:
        self.statements += 1
        return await self._real.all(sql, **parameters)

    async def first(self, sql: str, **parameters: Any) -> Any:
        self.statements += 1
        return await self._real.first(sql, **parameters)


async def test_a_session_that_was_purged_is_no_table_any_more(company: Table) -> None:
    await company.agent(token=ACME).calls("create_session", session_id="sess_one", ttl="1h")
    client = await person(company)
    company.clock.ahead = 2 * HOUR
    await company.app.jobs.run()
    company.clock.ahead = 400 * DAY
    await company.app.jobs.run()

    assert (await client.get("/overview")).json()["sessions"] == []
    assert (await client.get("/sessions/sess_one/overview")).status_code == 404


async def test_tags_and_authors_of_notes_are_counted(company: Table) -> None:
    await sessions(company, "sess_one", "sess_two")
    ada, bob = (company.agent(name, "sess_one", ACME) for name in ("ada", "bob"))
    await ada.adds_note("one", tags=["plan", "risk"])
    await ada.adds_note("two", tags=["plan"])
    await bob.adds_note("three")
    await company.agent("ada", "sess_two", ACME).adds_note("elsewhere", tags=["plan"])

    counted = (await (await person(company)).get("/sessions/sess_one/notes/tags")).json()

    assert counted["tags"] == [{"tag": "plan", "count": 2}, {"tag": "risk", "count": 1}]
    assert counted["authors"] == [{"author": "ada", "count": 2}, {"author": "bob", "count": 1}]
    assert (counted["total"], counted["untagged"]) == (3, 1)
