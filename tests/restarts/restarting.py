"""Stops and starts a service under clients that call, and compares what they saw with what the store holds."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from tests.e2e.servers import until
from tests.restarts.clients import LIMIT, ClientKind, RunningClient, running
from tests.table import Agent

PATIENCE = 2.0
"""Seconds for which nobody may listen before time stands still for the clients: they open a lost stream again after the
`retry:` that it told, 4 seconds, and only twice. How long a busy machine takes to start a server is not at issue."""

KINDS_OF_EVENT = ["scratchpad/note_added", "message/added", "scratchpad/tasks_added"]


class RestartTarget(Protocol):
    """Where clients connect to."""

    @property
    def address(self) -> str: ...

    @property
    def away_since(self) -> float | None: ...

    def agent(self, name: str, session: str) -> Agent: ...


@dataclass(frozen=True)
class Round:
    """What happens to the place. `loses_calls` tells that a call under way may go without an answer: the process that
    had it was killed, or nobody listened. Clients then pause meanwhile, with their stream open, as some of them give up
    their connection when a call is lost; or they go on calling, and come back as they can."""

    name: str
    act: Callable[[Any], Awaitable[None]]
    loses_calls: bool = True
    pauses: bool = True

    def while_calling(self) -> "Round":
        return replace(self, pauses=False, name=f"{self.name} while calling")


def workers_renewed() -> Round:
    return Round("SIGHUP", lambda service: service.renews_workers(), loses_calls=False)


def worker_lost(number: signal.Signals) -> Round:
    """SIGTERM lets it finish what it has."""
    name = f"{number.name} to a worker"
    return Round(name, lambda service: service.loses_worker(number), loses_calls=number is not signal.SIGTERM)


def restarted(number: signal.Signals) -> Round:
    return Round(number.name, lambda service: service.restarts(number))


def server_lost(number: signal.Signals) -> Round:
    """One of several."""
    name = f"{number.name} to a server"
    return Round(name, lambda fleet: fleet.loses_server(number), loses_calls=number is not signal.SIGTERM)


@dataclass
class DeliveryCheck:
    """Writes into the sessions of all clients, and sees to it that each hears of it."""

    place: RestartTarget
    clients: list[RunningClient]
    tasks: int = 0
    may_break: bool = False

    def witness(self, client: RunningClient) -> Agent:
        return self.place.agent("witness", client.session_id)

    async def goes_through(self, one: Round) -> None:
        if one.loses_calls and one.pauses:
            await asyncio.gather(*(client.pauses() for client in self.clients))
        before = {client.kind.name: client.count("updated") for client in self.clients}
        calls = {client.kind.name: client.count("called") for client in self.clients}
        holding = asyncio.ensure_future(self._holds_back_who_would_give_up())
        try:
            await one.act(self.place)
        finally:
            holding.cancel()
            await asyncio.gather(holding, return_exceptions=True)
        await self._writes()
        await asyncio.gather(*(client.goes_on() for client in self.clients))
        for client in self.clients:
            name = client.kind.name
            await client.until(lambda: client.count("updated") > before[name], f"word of a change after {one.name}")  # noqa: B023
            await client.until(lambda: client.count("called") > calls[name] + 3, f"calls after {one.name}")  # noqa: B023

    async def _holds_back_who_would_give_up(self) -> None:
        while True:
            since = self.place.away_since
            if since is None or time.monotonic() - since < PATIENCE:
                await asyncio.sleep(0.02)
                continue
            for client in self.clients:
                client.stands_still()
            try:
                await until(lambda: self.place.away_since is None, LIMIT)
            finally:
                for client in self.clients:
                    client.moves_again()

    async def _writes(self) -> None:
        """At once, while the clients wait to come back: what they hear of it they must be told afterwards."""
        self.tasks += 1
        for client in self.clients:
            agent = self.witness(client)
            await agent.calls("add_tasks", tasks=[{"description": f"task {self.tasks}"}])
            await agent.client.aclose()

    async def compares(self) -> None:
        await asyncio.gather(*(client.pauses() for client in self.clients))
        for client in self.clients:
            agent = self.witness(client)
            try:
                await self._compare(client, agent)
            finally:
                await agent.client.aclose()

    async def _compare(self, client: RunningClient, agent: Agent) -> None:
        assert client.all("refused") == [], client.kind.name
        assert self.may_break or client.all("broken") == [], (client.kind.name, client.all("broken"))
        called = client.all("called")
        assert {fact.get("session_id") for fact in called} <= {client.session_id, None}
        written = await _events(agent)
        texts = Counter(event["content_preview"] for event in written if "content_preview" in event)
        made = Counter(f"{client.kind.name}-{fact['number']}" for fact in called if fact["tool"] != "read_notes")
        assert texts == made
        if client.kind.hears_events:
            numbers = {event["seq"] for event in written}
            await client.until(lambda: client.heard >= numbers, "word of every event")


async def _events(agent: Agent) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after = 0
    while True:
        page = await agent.calls("read_events", after=after, kinds=KINDS_OF_EVENT, limit=500, max_chars=0)
        found += page["events"]
        if not page["events"]:
            return found
        after = page["events"][-1]["seq"]


async def check_that_clients_notice_nothing(
    place: RestartTarget, folder: Path, kinds: Sequence[ClientKind], rounds: Sequence[Round]
) -> None:
    folder.mkdir()  # noqa: ASYNC240
    async with AsyncExitStack() as stack:
        clients = []
        for kind in kinds:
            clients.append(await stack.enter_async_context(running(kind, place.address + "/mcp", folder)))
        for client in clients:
            await client.until(lambda: client.count("called") > 2, "the first calls")  # noqa: B023
        watch = DeliveryCheck(place, clients, may_break=any(one.loses_calls and not one.pauses for one in rounds))
        for one in rounds:
            await watch.goes_through(one)
        await watch.compares()
        for client in clients:
            await client.ends()
