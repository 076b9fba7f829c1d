"""What waits for a person, in all sessions together: the most urgent first."""

import json
from typing import Any

import httpx2
import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from longtable.kernel.clock import HOUR
from tests.table import Table, person

pytestmark = pytest.mark.slow

ACME = "acme-secret"


async def session(company: Table, name: str, token: str = ACME, **more: Any) -> None:
    await company.agent(token=token).calls("create_session", session_id=name, purpose=f"for {name}", **more)


async def asks(company: Table, session: str, question: str, token: str = ACME, **more: Any) -> None:
    await company.agent("ada", session, token).calls("add_question", question=question, **more)


async def listed(client: httpx2.AsyncClient, query: str = "") -> list[str]:
    return [each["question"] for each in (await client.get(f"/questions{query}")).json()["questions"]]


async def test_what_blocks_comes_first_then_what_matters_more_then_what_is_newer(company: Table) -> None:
    for name in ("sess_one", "sess_two"):
        await session(company, name)
    await asks(company, "sess_one", "low, blocks", priority="low", blocking=True)
    await asks(company, "sess_one", "older", priority="high")
    await asks(company, "sess_two", "newer", priority="high")
    await asks(company, "sess_two", "medium")
    await asks(company, "sess_one", "high, blocks", priority="high", blocking=True)
    await asks(company, "sess_one", "low", priority="low")

    found = await listed(await person(company))

    assert found == ["high, blocks", "low, blocks", "newer", "older", "medium", "low"]


async def test_a_question_comes_with_its_session_and_what_that_is_for(company: Table) -> None:
    await session(company, "sess_one")
    await asks(company, "sess_one", "red or blue?", options=["red", "blue"], context="for the door")
    client = await person(company)

    (found,) = (await client.get("/questions")).json()["questions"]
    (own,) = (await client.get("/sessions/sess_one/questions")).json()["questions"]

    assert found == {**own, "session_id": "sess_one", "purpose": "for sess_one"}


async def test_pages_neither_repeat_nor_leave_out_a_question(company: Table) -> None:
    for name in ("sess_one", "sess_two", "sess_three"):
        await session(company, name)
        for number in range(4):
            await asks(company, name, f"{name} {number}", blocking=number == 3, priority="high" if number else "low")
    client = await person(company)
    whole = await listed(client)

    found, cursor = [], ""
    while True:
        page = (await client.get(f"/questions?limit=5{cursor}")).json()
        found += [each["question"] for each in page["questions"]]
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"

    assert found == whole
    assert len(set(found)) == 12
    assert page["count"] == 2


async def test_what_can_no_longer_be_answered_does_not_wait(company: Table) -> None:
    for name, more in (("sess_one", {}), ("sess_closed", {}), ("sess_short", {"ttl": "1h"})):
        await session(company, name, **more)
        await asks(company, name, name)
    await asks(company, "sess_one", "short-lived", expires_in="1h")
    await asks(company, "sess_one", "withdrawn")
    await company.agent("ada", "sess_one", ACME).calls("withdraw_question", question_id="q3")
    await company.agent(token=ACME).calls("close_session", session_id="sess_closed")
    company.clock.ahead = 2 * HOUR
    client = await person(company)

    assert await listed(client) == ["sess_one"]
    assert await listed(client, "?status=expired") == ["short-lived"]
    assert await listed(client, "?status=withdrawn") == ["withdrawn"]


async def test_an_answered_question_moves_to_the_answered(company: Table) -> None:
    await session(company, "sess_one")
    await asks(company, "sess_one", "which?")
    client = await person(company)

    await client.post("/sessions/sess_one/answers", json={"answers": {"q1": "this"}})

    assert await listed(client) == []
    (answered,) = (await client.get("/questions?status=answered")).json()["questions"]
    assert (answered["answer"], answered["by_human"]) == ("this", True)


async def test_nothing_of_another_tenant_is_listed(company: Table) -> None:
    for token in (ACME, "rival-secret"):
        await session(company, "sess_same", token)
        await asks(company, "sess_same", f"asked with {token}", token)

    ours = (await (await person(company)).get("/questions")).json()

    assert ours["count"] == 1
    assert "rival" not in json.dumps(ours)


async def test_agents_and_readers_are_refused(company: Table) -> None:
    await session(company, "sess_one")
    credential = Credential("acme", Role.AGENT, "bot", agent="bot", session_id="sess_one")
    agent = company.agent(token=(await company.app.tokens.create(credential, None)).secret).client

    for client in (agent, await person(company, role=Role.READER)):
        refused = await client.get("/questions")
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "cursor=x", "status=open", "tenant=rival"])
async def test_a_bad_way_to_ask_is_refused(company: Table, query: str) -> None:
    answer = await (await person(company)).get(f"/questions?{query}")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_ARGUMENT")
