"""Two more sessions, so that the list is not lonely: one that is over, and one that has hardly begun."""

from longtable.client import Orchestrator, Workspace
from longtable.demo.cast import CRITIC, PLANNER, WRITER

NAME_PURPOSE = "Find a name for the new meeting room"
LUNCH_PURPOSE = "Order lunch for Thursday"

_NAME_DRAFT = "The room is called **Harbour**: short, easy to spell, and nobody has been shouted at in one.\n"


async def add_other_sessions(host: Orchestrator) -> None:
    await _name_of_room(host)
    await _lunch(host)


async def _name_of_room(host: Orchestrator) -> None:
    session = (await host.create_session(NAME_PURPOSE, metadata={"demo": True})).session_id
    async with host.workspace(session, WRITER, "editorial") as writer, host.workspace(session, CRITIC) as critic:
        await writer.add_tasks(
            [
                {"description": "Collect ten names"},
                {"description": "Cross out those that are taken", "depends_on": ["#0"]},
                {"description": "Choose one", "depends_on": ["#1"], "priority": "high"},
            ]
        )
        await writer.add_note("Harbour, Attic, Lighthouse, Greenhouse, Aquarium", tags=["names"])
        await critic.add_note("*Aquarium* is what everybody calls the old room already.", tags=["names", "doubt"])
        asked = await writer.add_message("My favourite is **Harbour**. Objections?")
        await critic.add_message("None, for once.", parent_message_id=asked.message_id)
        await writer.write_draft_section("decision", "The room is called **Lighthouse**.\n", expected_version=0)
        await writer.write_draft_section("decision", _NAME_DRAFT, expected_version=1)
        await _complete(writer, 3)
    await host.close(session)


async def _lunch(host: Orchestrator) -> None:
    session = (await host.create_session(LUNCH_PURPOSE, metadata={"demo": True}, ttl="2d")).session_id
    async with host.workspace(session, PLANNER, "lead") as planner:
        await planner.add_tasks(
            [
                {"description": "Ask who is there on Thursday"},
                {"description": "Ask what nobody may eat", "depends_on": ["#0"]},
                {"description": "Order", "depends_on": ["#1"]},
            ]
        )
        await planner.add_note("19 people are there on Thursday, two of them guests.", tags=["people"])
        await _complete(planner, 1)
        await planner.add_message("Nineteen so far. I ask about allergies tomorrow.")


async def _complete(agent: Workspace, count: int) -> None:
    for _ in range(count):
        claimed = await agent.claim_task()
        assert claimed.task is not None
        await agent.update_task(claimed.task.id, status="completed", lease=claimed.lease)
