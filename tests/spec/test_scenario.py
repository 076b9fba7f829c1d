"""A whole piece of work: planned, claimed, researched, paused for a human, answered, written up."""

import asyncio
import json

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.table import Agent, Table


async def agent_token(table: Table, agent: str, session: str) -> str:
    wanted = Credential("acme", Role.AGENT, agent, agent=agent, session_id=session)
    return (await table.app.tokens.create(wanted, None)).secret


async def research(analyst: Agent, topic: str) -> None:
    """What each analyst does: take a task, pin what was found, write a section, tick the task off."""
    claim = await analyst.calls("claim_task")
    for n in range(3):
        await analyst.adds_note(f"{topic} finding {n}", tags=[topic])
    await analyst.calls("write_draft_section", section_id=topic, content=f"# {topic}\n\nThree findings.")
    await analyst.calls("update_task", task_id=claim["task"]["id"], status="completed", lease=claim["lease"])


async def test_a_team_plans_researches_asks_and_writes_and_another_session_sees_none_of_it(company: Table) -> None:
    boss = company.agent("orchestrator", None, "acme-secret")
    session = (await boss.calls("create_session", purpose="A coffee shop in Prague"))["session_id"]
    other = (await boss.calls("create_session", purpose="Something else"))["session_id"]
    lead = company.agent("orchestrator", session, "acme-secret")
    topics = ["market", "competitors"]
    team = {topic: company.agent(token=await agent_token(company, f"{topic}-analyst", session)) for topic in topics}
    writer = company.agent(token=await agent_token(company, "synthesizer", session))
    human = company.agent(token=(await company.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)).secret)

    # The orchestrator plans.
    await lead.calls(
        "add_tasks",
        tasks=[
            {"description": "Analyse the market", "assigned_to": "market-analyst"},
            {"description": "Analyse the competitors", "assigned_to": "competitors-analyst"},
            {"description": "Write the summary", "assigned_to": "synthesizer", "depends_on": ["#0", "#1"]},
        ],
    )
    assert (await writer.calls("claim_task"))["task"] is None

    # The analysts work at the same time.
    await asyncio.gather(*(research(agent, topic) for topic, agent in team.items()))
    assert (await lead.calls("read_plan"))["progress"] == 2 / 3

    # A blocking question pauses the work.
    asked = await team["market"].calls(
        "add_question", question="What is the budget?", priority="high", blocking=True, options=["50k", "100k"]
    )
    pause = await lead.calls("check_pause")
    assert (pause["pause"], pause["reasons"]) == (True, ["blocking_question"])
    waiting = asyncio.create_task(team["market"].calls("wait_for_answers", timeout_seconds=30))

    # A person answers over REST; no agent can.
    forged = await team["market"].tries("submit_answers", answers={asked["question"]["id"]: "1M"})
    assert forged["error"]["code"] == "FORBIDDEN"
    answer = await human.client.post(f"/sessions/{session}/answers", json={"answers": {"q1": "100k"}})
    assert answer.json()["answered"] == ["q1"]
    arrived = (await asyncio.wait_for(waiting, 10))["answers"][0]
    assert (arrived["answer"], arrived["by_human"], arrived["answered_by"]) == ("100k", True, "human:eva")
    assert (await lead.calls("check_pause"))["pause"] is False

    # The synthesizer goes on from the answer.
    claim = await writer.calls("claim_task")
    assert "100k" in (await writer.calls("read_section", section_name="user_answers"))["section"]["content"]
    assert len(await writer.reads_notes(tags=topics)) == 6
    sections = (await writer.calls("read_draft"))["sections"]
    assert {section["section_id"] for section in sections} == set(topics)
    await writer.calls("write_draft_section", section_id="summary", content="Do it for 100k.", position=0)
    await writer.calls("update_task", task_id=claim["task"]["id"], status="completed", lease=claim["lease"])

    # The orchestrator sees all of it in one answer, the other session none of it.
    workspace = (await boss.client.get(f"/sessions/{session}/workspace")).json()
    assert (len(workspace["notes"]), list(workspace["draft_sections"])[0]) == (6, "summary")
    assert [task["status"] for task in workspace["plan"]] == ["completed"] * 3
    assert workspace["questions"][0]["answer"] == "100k"
    kinds = [event["kind"] for event in (await lead.calls("read_events", limit=1000))["events"]]
    assert "scratchpad/checkpoint_resumed" in kinds
    elsewhere = company.agent("orchestrator", other, "acme-secret")
    seen = [
        await elsewhere.calls("read_notes"),
        await elsewhere.calls("read_draft"),
        await elsewhere.calls("read_plan"),
        await elsewhere.calls("get_pending_questions"),
        await elsewhere.calls("get_answered_questions"),
        await elsewhere.calls("get_messages"),
        await elsewhere.calls("search_context", query="coffee market finding budget"),
    ]
    assert not any(word in json.dumps(seen) for word in ("market", "100k", "Do it"))
