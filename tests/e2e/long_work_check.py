"""Runs the long work, and compares what was recorded with what the store holds in the end."""

import asyncio
import json
import random
import time
from contextlib import AsyncExitStack
from typing import Final

import httpx2

from longtable.client import Link, Workspace
from tests.e2e.crashes import Rows, rows_of
from tests.e2e.cut_off import ClientProgram, CutOffAgent, Handshake, Modern
from tests.e2e.faulty_proxy import FaultyProxy
from tests.e2e.long_work import ADMIN, OPTIONS, SESSION, RecordedWork, ServerFaults, WorkingAgent, WorkingPerson
from tests.e2e.servers import Options, Processes, Server
from tests.histories.delivery import DeliveredItem, DeliveryHistory, Stored
from tests.stores import Store
from tests.table import Agent

SHARE: Final = 0.1
"""Of all requests whose connection is cut."""


async def recorded(
    processes: Processes, store: Store, options: Options, seconds: float, pause: float
) -> tuple[DeliveryHistory, ServerFaults]:
    """Works for so long, with a fault after each `pause`. Then the faults end, and everybody catches up."""
    chance = random.Random(2)
    given = {**options, **OPTIONS}
    servers = [await asyncio.to_thread(processes.serve, given) for _ in range(2)]
    shared = RecordedWork(DeliveryHistory(), chance)
    faults = ServerFaults(processes, given, servers, chance, pause)
    async with AsyncExitStack() as stack:
        await _begin(servers[0])
        ports = [server.port for server in servers]
        proxy = await stack.enter_async_context(FaultyProxy(ports, chance, SHARE).running())
        agents = [WorkingAgent(each, shared) for each in await _agents(stack, proxy.address, chance)]
        people = [await _person(stack, faults, proxy.address, shared, name) for name in ("kim", "lou")]
        until = time.monotonic() + seconds
        working = [*(agent.works(until) for agent in agents), *(person.works(until) for person in people)]
        await asyncio.gather(faults.happen(until), *working)
        proxy.share = 0.0
        await people[0].answers()
        await asyncio.gather(*(agent.catches_up() for agent in agents))
        async with rows_of(store) as rows:
            ((last,),) = await rows("SELECT max(seq) FROM events")
            await asyncio.gather(*(person.catches_up(last) for person in people))
            await _end(shared.history, rows, agents, people)
    faults.happened += ["cut"] * proxy.cuts.total()
    return shared.history, faults


async def _begin(server: Server) -> None:
    boss = server.agent("boss", Authorization=f"Bearer {ADMIN}")
    await boss.calls("create_session", session_id=SESSION)
    await boss.calls("scratch_create", scratch_id="shared")
    await boss.client.aclose()


async def _agents(stack: AsyncExitStack, address: str, chance: random.Random) -> list[CutOffAgent]:
    """Eight, by each way in which agents call; half of them follow the events."""

    async def client(name: str) -> httpx2.AsyncClient:
        headers = {"X-Caller-Agent": name, "X-Session-ID": SESSION, "Authorization": f"Bearer {ADMIN}"}
        return await stack.enter_async_context(httpx2.AsyncClient(base_url=address, headers=headers, timeout=60))

    found: list[CutOffAgent] = []
    for ears, follows in (("", False), ("-events", True)):
        name = f"program{ears}"
        program = Workspace.open(address, ADMIN, SESSION, name, link=Link(attempts=1))
        found += [
            Modern(f"modern{ears}", SESSION, chance, follows, agent=Agent(await client(f"modern{ears}"))),
            Modern(f"second{ears}", SESSION, chance, follows, agent=Agent(await client(f"second{ears}"))),
            Handshake(f"handshake{ears}", SESSION, chance, follows, client=await client(f"handshake{ears}")),
            ClientProgram(name, SESSION, chance, follows, table=await stack.enter_async_context(program)),
        ]
    return found


async def _person(
    stack: AsyncExitStack, place: ServerFaults, address: str, shared: RecordedWork, name: str
) -> WorkingPerson:
    words = ("token", "create", "--tenant", "acme", "--role", "human", "--name", name, "--json")
    made = await asyncio.to_thread(place.processes.run, *words, options=place.options)
    assert made.returncode == 0, made.stderr
    token = json.loads(made.stdout)["secret"]
    headers = {"Authorization": f"Bearer {token}"}
    client = await stack.enter_async_context(httpx2.AsyncClient(base_url=address, headers=headers, timeout=60))
    return WorkingPerson(name, token, client, place.servers, shared)


async def _end(history: DeliveryHistory, rows: Rows, agents: list[WorkingAgent], people: list[WorkingPerson]) -> None:
    """What the store holds, and so what everybody should have heard."""
    questions = await rows("SELECT number, question, asked_by, answer FROM questions")
    messages = await rows("SELECT number, content, sender FROM messages")
    sections = await rows("SELECT section_id FROM section_versions")
    events = await rows("SELECT seq FROM events")
    history.stored += [
        *(Stored("add_note", content) for (content,) in await rows("SELECT content FROM notes")),
        *(Stored("add_message", content) for _, content, _ in messages),
        *(Stored("add_question", question) for _, question, _, _ in questions),
        *(Stored("add_tasks", description) for (description,) in await rows("SELECT description FROM tasks")),
        *(Stored("write_draft_section", section_id.replace("_", " ")) for (section_id,) in sections),
        *(Stored("scratch_append_cell", preview) for (preview,) in await rows("SELECT preview FROM cells")),
        *(Stored("submit_answers", answer) for _, _, _, answer in questions if answer is not None),
    ]
    for agent in agents:
        if agent.worker.follows_events:
            history.due += [DeliveredItem(agent.name, "event", str(seq)) for (seq,) in events]
            continue
        history.due += [
            DeliveredItem(agent.name, "message", str(n)) for n, _, sender in messages if sender != agent.name
        ]
        history.due += [
            DeliveredItem(agent.name, "answer", f"q{number} {answer}")
            for number, _, asked_by, answer in questions
            if asked_by == agent.name and answer is not None
        ]
    for person in people:
        history.due += [DeliveredItem(person.name, "event", str(seq)) for (seq,) in events]


def figures(history: DeliveryHistory, faults: ServerFaults) -> dict[str, int]:
    return {
        "writes": len({write.key for write in history.writes}),
        "attempts_without_result": sum(write.result is None for write in history.writes),
        "stored": len(history.stored),
        "due": len(history.due),
        "heard": len(history.heard),
        "streams": len(history.streams),
        **{name: faults.happened.count(name) for name in ("cut", "SIGTERM", "SIGKILL", "SIGHUP")},
    }
