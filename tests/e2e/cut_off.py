"""Agents at work behind a proxy that cuts their connections: they see everything, and write everything once."""

import asyncio
import itertools
import json
import random
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx2

from longtable.client import Link, Workspace
from tests.e2e.faulty_proxy import STAGES, FaultyProxy
from tests.e2e.servers import Server
from tests.table import Agent, Refused

HANDSHAKE = "2025-11-25"
SHARE = 0.4
"""Of all requests that are cut."""
WAIT = 1.0


@dataclass
class CutOffAgent:
    """One agent: what it has seen, and what it was told that it has written. It waits for messages and answers, or for
    events."""

    name: str
    session: str
    chance: random.Random
    follows_events: bool = False
    messages: set[str] = field(default_factory=set)
    answers: set[str] = field(default_factory=set)
    events: set[int] = field(default_factory=set)
    written: list[tuple[str, str]] = field(default_factory=list)
    reached: int = 0
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The result of one attempt. Raises httpx2.TransportError or ConnectionError when the connection breaks."""
        raise NotImplementedError

    async def insists(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Repeats a call, unchanged, until it is answered."""
        for _ in range(200):
            try:
                return await self.call(tool, arguments)
            except (httpx2.TransportError, ConnectionError):
                await asyncio.sleep(0)
        raise AssertionError(f"{tool} was cut off 200 times")

    async def does_something(self) -> None:
        reading = (self.follows, self.follows) if self.follows_events else (self.hears, self.hears, self.looks)
        await self.chance.choice((*reading, self.writes))()

    async def hears(self, seconds: float = WAIT) -> bool:
        page = await self.insists("wait_for_messages", timeout_seconds=seconds)
        self.messages |= {message["content"] for message in page["messages"]}
        return bool(page["messages"])

    async def looks(self, seconds: float = WAIT) -> bool:
        result = await self.insists("wait_for_answers", timeout_seconds=seconds)
        self.answers |= {question["id"] for question in result["answers"]}
        return bool(result["answers"])

    async def follows(self, seconds: float = WAIT) -> bool:
        page = await self.insists("read_events", after=self.reached, wait_seconds=seconds)
        self.events |= {event["seq"] for event in page["events"]}
        self.reached = page["next_after"]
        return bool(page["events"])

    async def writes(self) -> None:
        mark = f"{self.name} {next(self.numbers)}"
        tool, arguments = self.chance.choice(WRITES)(mark)
        await self.insists(tool, **arguments, idempotency_key=secrets.token_hex(8))
        self.written.append((tool, mark))

    async def catches_up(self) -> None:
        # Who reads all events has seen what they tell of, so nobody does both.
        for reads in (self.follows,) if self.follows_events else (self.hears, self.looks):
            while await reads(0):
                continue


WRITES: Sequence[Callable[[str], tuple[str, dict[str, Any]]]] = (
    lambda mark: ("add_note", {"content": mark}),
    lambda mark: ("add_message", {"content": mark}),
    lambda mark: ("add_question", {"question": mark}),
    lambda mark: ("add_tasks", {"tasks": [{"description": mark}]}),
    lambda mark: ("write_draft_section", {"section_id": mark.replace(" ", "_"), "content": mark}),
    lambda mark: ("scratch_append_cell", {"scratch_id": "shared", "cell": {"language": "md", "content": mark}}),
)


@dataclass
class Modern(CutOffAgent):
    """Speaks the current revision, which has no connections."""

    agent: Agent | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert self.agent is not None
        return await self.agent.calls(tool, **arguments)


@dataclass
class Handshake(CutOffAgent):
    """Speaks a revision whose connection outlives its sockets."""

    client: httpx2.AsyncClient | None = None
    connection: str = ""

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if not self.connection:
            asked = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "cut", "version": "1"}}
            self.connection = (await self._post("initialize", asked)).headers["mcp-session-id"]
        answer = _decoded(await self._post("tools/call", {"name": tool, "arguments": arguments}))
        body: dict[str, Any] = answer["result"]["structuredContent"]
        if not body.get("ok", body.get("success")):
            problem = body["error"] if isinstance(body["error"], dict) else body
            raise Refused(problem["code"], problem["error"], problem["details"])
        return body

    async def _post(self, method: str, params: dict[str, Any]) -> httpx2.Response:
        assert self.client is not None
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        if self.connection:
            headers |= {"Mcp-Session-Id": self.connection, "MCP-Protocol-Version": HANDSHAKE}
        message = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params}
        response = await self.client.post("/mcp", content=json.dumps(message), headers=headers)
        if response.status_code == 503:
            raise ConnectionError(response.text)
        assert response.status_code == 200, response.text
        return response


@dataclass
class ClientProgram(CutOffAgent):
    """Uses the client for Python."""

    table: Workspace | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        result = await getattr(self.table, tool)(**arguments)
        body: dict[str, Any] = result.as_dict()
        return body


@dataclass
class Rest(CutOffAgent):
    """Writes over REST, and reads the messages there by their numbers: it is for programs, which do not wait."""

    client: httpx2.AsyncClient | None = None
    read_up_to: int = 0

    async def does_something(self) -> None:
        await self.chance.choice((self.hears, self.writes))()

    async def hears(self, seconds: float = WAIT) -> bool:
        page = await self.insists("messages", after_id=self.read_up_to)
        self.messages |= {message["content"] for message in page["messages"]}
        self.read_up_to = page["next_after_id"] or self.read_up_to
        return bool(page["messages"])

    async def writes(self) -> None:
        mark = f"{self.name} {next(self.numbers)}"
        tool, path, field_name = self.chance.choice(
            (("add_message", "messages", "content"), ("add_question", "questions", "question"))
        )
        await self.insists(path, **{field_name: mark}, idempotency_key=secrets.token_hex(8))
        self.written.append((tool, mark))

    async def catches_up(self) -> None:
        while await self.hears():
            continue

    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        assert self.client is not None
        path, key = f"/sessions/{self.session}/{tool}", arguments.get("idempotency_key")
        given = {name: value for name, value in arguments.items() if name != "idempotency_key"}
        if key is None:
            response = await self.client.get(path, params=given)
        else:
            response = await self.client.post(path, json=given, headers={"Idempotency-Key": key})
        assert response.status_code in (200, 201), response.text
        body: dict[str, Any] = response.json()
        return body


def _decoded(response: httpx2.Response) -> dict[str, Any]:
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        text = next(line.removeprefix("data: ") for line in reversed(text.splitlines()) if line.startswith("data: {"))
    message: dict[str, Any] = json.loads(text)
    return message


async def check_cuts(servers: Sequence[Server], cuts: int, seed: int) -> None:
    """Until so many connections were cut. Then the cutting ends, everybody catches up, and nothing is missing."""
    chance = random.Random(seed)
    async with AsyncExitStack() as stack:
        boss = servers[0].agent("boss")
        stack.push_async_callback(boss.client.aclose)
        session = str((await boss.calls("create_session"))["session_id"])
        boss.client.headers["X-Session-ID"] = session
        await boss.calls("scratch_create", scratch_id="shared")
        ports = [server.port for server in servers]
        proxy = await stack.enter_async_context(FaultyProxy(ports, chance, SHARE).running())
        workers = await _hired(stack, proxy.address, session, chance)
        for number in itertools.count(1):
            if proxy.cuts.total() >= cuts:
                break
            await asyncio.gather(_feed(boss, number), *(worker.does_something() for worker in workers))
        proxy.share = 0.0
        await _answer(boss)
        for worker in workers:
            await worker.catches_up()
        await _check_seen(boss, workers)
        await _check_written(boss, workers)
    assert set(proxy.cuts) == set(STAGES)


async def _hired(stack: AsyncExitStack, address: str, session: str, chance: random.Random) -> list[CutOffAgent]:
    async def client(name: str) -> httpx2.AsyncClient:
        headers = {"X-Caller-Agent": name, "X-Session-ID": session}
        return await stack.enter_async_context(httpx2.AsyncClient(base_url=address, headers=headers, timeout=60))

    workers: list[CutOffAgent] = [Rest("rest", session, chance, client=await client("rest"))]
    for ears, follows in (("", False), ("-events", True)):
        program = Workspace.open(address, session=session, agent=f"program{ears}", link=Link(attempts=1))
        modern, handshake = await client(f"modern{ears}"), await client(f"handshake{ears}")
        workers += [
            Modern(f"modern{ears}", session, chance, follows, agent=Agent(modern)),
            Handshake(f"handshake{ears}", session, chance, follows, client=handshake),
            ClientProgram(f"program{ears}", session, chance, follows, table=await stack.enter_async_context(program)),
        ]
    return workers


async def _feed(boss: Agent, number: int) -> None:
    await boss.calls("add_message", content=f"boss {number}")
    await _answer(boss)


async def _answer(boss: Agent) -> None:
    pending = (await boss.calls("get_pending_questions"))["questions"]
    if pending:
        await boss.calls("submit_answers", answers={question["id"]: "yes" for question in pending})


async def _check_seen(boss: Agent, workers: Sequence[CutOffAgent]) -> None:
    messages = await _pages(boss, "get_messages", "messages", "after_id", "next_after_id", limit=1000)
    questions = (await boss.client.get(f"/sessions/{workers[0].session}/questions")).json()["questions"]
    events = await _pages(boss, "read_events", "events", "after", "next_after", limit=1000)
    for worker in workers:
        if worker.follows_events:
            logged = {event["seq"] for event in events if event["seq"] <= worker.reached}
            assert logged - worker.events == set(), worker.name
            continue
        said = {message["content"] for message in messages if message["sender"] != worker.name}
        assert said - worker.messages == set(), worker.name
        answered = {question["id"] for question in questions if question["asked_by"] == worker.name}
        assert isinstance(worker, Rest) or answered - worker.answers == set(), worker.name


async def _check_written(boss: Agent, workers: Sequence[CutOffAgent]) -> None:
    session = workers[0].session
    notes = await _pages(boss, "read_notes", "notes", "cursor", "next_cursor", limit=500)
    messages = await _pages(boss, "get_messages", "messages", "after_id", "next_after_id", limit=1000)
    questions = (await boss.client.get(f"/sessions/{session}/questions")).json()["questions"]
    tasks = (await boss.calls("read_plan", max_chars=0))["tasks"]
    sections = (await boss.calls("list_sections"))["sections"]
    cells = (await boss.calls("scratch_read", scratch_id="shared", max_chars=0))["scratchpad"]["cells"]
    stored = [
        *(("add_note", note["content"]) for note in notes),
        *(("add_message", one["content"]) for one in messages if one["sender"] != "boss"),
        *(("add_question", question["question"]) for question in questions),
        *(("add_tasks", task["description"]) for task in tasks),
        *(("write_draft_section", _mark(one["section_id"])) for one in sections for _ in range(one["version"])),
        *(("scratch_append_cell", cell["content"]) for cell in cells),
    ]
    assert Counter(stored) == Counter(mark for worker in workers for mark in worker.written)


def _mark(section_id: str) -> str:
    return section_id.replace("_", " ")


async def _pages(boss: Agent, tool: str, items: str, cursor: str, ahead: str, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    place: dict[str, Any] = {cursor: 0} if cursor != "cursor" else {}
    while True:
        page = await boss.calls(tool, limit=limit, **place)
        found += page[items]
        if not page[items] or not page.get(ahead):
            return found
        place = {cursor: page[ahead]}
