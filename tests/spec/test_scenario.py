"""A whole piece of work: planned, claimed, researched, paused for a human, answered, written up."""

import asyncio
import json
from dataclasses import dataclass

import pytest

from longtable.identity.model import Credential
from longtable.kernel.caller import Role
from tests.table import Agent, Table

TOPICS = ["market", "competitors"]


@dataclass
class ScenarioTeam:
    """An orchestrator, two analysts, a synthesizer and a person, in one session of two."""

    table: Table
    session: str
    other: str
    lead: Agent
    analysts: dict[str, Agent]
    writer: Agent
    human: Agent

    async def work(self) -> None:
        """The plan is made and the analysts do their part of it."""
        await self.lead.calls(
            "add_tasks",
            tasks=[
                {"description": "Analyse the market", "assigned_to": "market-analyst"},
                {"description": "Analyse the competitors", "assigned_to": "competitors-analyst"},
                {"description": "Write the summary", "assigned_to": "synthesizer", "depends_on": ["#0", "#1"]},
            ],
        )
        assert (await self.writer.calls("claim_task"))["task"] is None
        await asyncio.gather(*(research(agent, topic) for topic, agent in self.analysts.items()))

    async def ask_and_answer(self) -> None:
        """A blocking question pauses the work until a person answers over REST."""
        await self.analysts["market"].calls(
            "add_question", question="What is the budget?", priority="high", blocking=True, options=["50k", "100k"]
        )
        assert (await self.lead.calls("check_pause"))["reasons"] == ["blocking_question"]
        answer = await self.human.client.post(f"/sessions/{self.session}/answers", json={"answers": {"q1": "100k"}})
        assert answer.json()["answered"] == ["q1"]

    async def write_up(self) -> None:
        claim = await self.writer.calls("claim_task")
        await self.writer.calls("write_draft_section", section_id="summary", content="Do it for 100k.", position=0)
        await self.writer.calls("update_task", task_id=claim["task"]["id"], status="completed", lease=claim["lease"])


async def research(analyst: Agent, topic: str) -> None:
    """Take a task, pin what was found, write a section, tick the task off."""
    claim = await analyst.calls("claim_task")
    for n in range(3):
        await analyst.adds_note(f"{topic} finding {n}", tags=[topic])
    await analyst.calls("write_draft_section", section_id=topic, content=f"# {topic}\n\nThree findings.")
    await analyst.calls("update_task", task_id=claim["task"]["id"], status="completed", lease=claim["lease"])


@pytest.fixture
async def team(company: Table) -> ScenarioTeam:
    boss = company.agent("orchestrator", None, "acme-secret")
    session = (await boss.calls("create_session", purpose="A coffee shop in Prague"))["session_id"]
    other = (await boss.calls("create_session", purpose="Something else"))["session_id"]

    async def joined(agent: str) -> Agent:
        credential = Credential("acme", Role.AGENT, agent, agent=agent, session_id=session)
        return company.agent(token=(await company.app.tokens.create(credential, None)).secret)

    eva = (await company.app.tokens.create(Credential("acme", Role.HUMAN, "eva"), None)).secret
    return ScenarioTeam(
        company,
        session,
        other,
        company.agent("orchestrator", session, "acme-secret"),
        {topic: await joined(f"{topic}-analyst") for topic in TOPICS},
        await joined("synthesizer"),
        company.agent(token=eva),
    )


async def test_the_summary_waits_for_the_analyses(team: ScenarioTeam) -> None:
    await team.work()

    assert (await team.lead.calls("read_plan"))["progress"] == 2 / 3
    assert (await team.writer.calls("claim_task"))["task"]["description"] == "Write the summary"


async def test_an_answer_by_a_person_reaches_the_waiting_agent_and_ends_the_pause(team: ScenarioTeam) -> None:
    analyst = team.analysts["market"]
    await team.work()
    await analyst.calls("add_question", question="Where?", blocking=True, priority="high")
    assert (await team.lead.calls("check_pause"))["pause"] is True
    waiting = asyncio.create_task(analyst.calls("wait_for_answers", timeout_seconds=30))

    forged = await analyst.tries("submit_answers", answers={"q1": "here"})
    await team.human.client.post(f"/sessions/{team.session}/answers", json={"answers": {"q1": "Prague"}})

    arrived = (await asyncio.wait_for(waiting, 40))["answers"][0]
    assert forged["error"]["code"] == "FORBIDDEN"
    assert (arrived["answer"], arrived["by_human"], arrived["answered_by"]) == ("Prague", True, "human:eva")
    assert (await team.lead.calls("check_pause"))["pause"] is False
    kinds = [event["kind"] for event in (await team.lead.calls("read_events", limit=1000, max_chars=0))["events"]]
    assert "scratchpad/checkpoint_resumed" in kinds


async def test_the_synthesizer_writes_from_notes_sections_and_answers(team: ScenarioTeam) -> None:
    await team.work()
    await team.ask_and_answer()

    answers = (await team.writer.calls("read_section", section_name="user_answers"))["section"]["content"]
    notes = await team.writer.reads_notes(tags=TOPICS)
    sections = (await team.writer.calls("read_draft"))["sections"]
    await team.write_up()

    assert "100k" in answers
    assert len(notes) == 6
    assert {section["section_id"] for section in sections} == set(TOPICS)
    workspace = (await team.lead.client.get(f"/sessions/{team.session}/workspace")).json()
    assert (len(workspace["notes"]), next(iter(workspace["draft_sections"]))) == (6, "summary")
    assert [task["status"] for task in workspace["plan"]] == ["completed"] * 3
    assert workspace["questions"][0]["answer"] == "100k"


async def test_a_second_session_sees_none_of_it(team: ScenarioTeam) -> None:
    await team.work()
    await team.ask_and_answer()
    await team.write_up()
    elsewhere = team.table.agent("orchestrator", team.other, "acme-secret")

    seen = [
        await elsewhere.calls("read_notes"),
        await elsewhere.calls("read_draft"),
        await elsewhere.calls("read_plan"),
        await elsewhere.calls("get_pending_questions"),
        await elsewhere.calls("get_answered_questions"),
        await elsewhere.calls("get_messages"),
        await elsewhere.calls("read_events"),
        await elsewhere.calls("search_context", query="coffee market finding budget"),
    ]

    assert not any(word in json.dumps(seen) for word in ("market", "100k", "Do it"))
