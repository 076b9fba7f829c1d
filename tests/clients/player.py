"""Plays the scenarios that every client must pass with the Python client, with or without `async`."""

import asyncio
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from typing import Any

import httpx2
import pytest

from longtable_client import Link, Orchestrator, TableEvent, Workspace, sync
from longtable_client.errors import ConnectionLost, LongtableError
from tests.clients.harness import Harness
from tests.e2e.servers import ROOT

SCENARIOS: list[dict[str, Any]] = json.loads(
    (ROOT / "clients" / "conformance" / "scenarios.json").read_text(encoding="utf-8")
)["scenarios"]
LIMIT = 60.0
BOSS = "boss"
LINK = Link(attempts=60, first_wait=0.05, longest_wait=1.0)


@dataclass
class Listening:
    """What a listener has heard, and how much of that was looked at."""

    events: list[TableEvent] = field(default_factory=list)
    looked_at: int = 0
    grown: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    def hear(self, event: TableEvent) -> None:
        self.events.append(event)
        self.grown.set()

    async def next(self) -> TableEvent:
        while len(self.events) == self.looked_at:
            self.grown.clear()
            await self.grown.wait()
        self.looked_at += 1
        return self.events[self.looked_at - 1]


class Players(ABC):
    """The callers of a scenario, by name; each is opened when it is first needed."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.session = ""

    @abstractmethod
    async def call(self, who: str, method: str, arguments: Mapping[str, Any]) -> Any: ...

    @abstractmethod
    async def listen(self, who: str, hear: Callable[[TableEvent], None], **options: Any) -> None: ...

    @abstractmethod
    async def inbox(self, who: str) -> Any: ...


class AsyncPlayers(Players):
    def __init__(self, address: str, stack: AsyncExitStack) -> None:
        super().__init__(address)
        self._stack = stack
        self._open: dict[str, Any] = {}

    async def call(self, who: str, method: str, arguments: Mapping[str, Any]) -> Any:
        return await getattr(await self._caller(who), method)(**arguments)

    async def listen(self, who: str, hear: Callable[[TableEvent], None], **options: Any) -> None:
        async for event in (await self._caller(who)).events(**options):
            hear(event)

    async def inbox(self, who: str) -> Any:
        return (await self._caller(who)).inbox

    async def _caller(self, who: str) -> Any:
        if who not in self._open:
            opening: Any = Orchestrator.open(self.address, link=LINK)
            if who != BOSS:
                opening = Workspace.open(self.address, None, self.session, who, link=LINK)
            self._open[who] = await self._stack.enter_async_context(opening)
        return self._open[who]


class SyncPlayers(Players):
    """Each call in a thread, as a program with threads makes it."""

    def __init__(self, address: str, stack: ExitStack) -> None:
        super().__init__(address)
        self._stack = stack
        self._open: dict[str, Any] = {}

    async def call(self, who: str, method: str, arguments: Mapping[str, Any]) -> Any:
        return await asyncio.to_thread(getattr(self._caller(who), method), **arguments)

    async def listen(self, who: str, hear: Callable[[TableEvent], None], **options: Any) -> None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        def follow() -> None:
            for event in self._caller(who).events(**options):
                loop.call_soon_threadsafe(hear, event)
            loop.call_soon_threadsafe(ended.set)

        threading.Thread(target=follow, daemon=True).start()
        await ended.wait()

    async def inbox(self, who: str) -> Any:
        return self._caller(who).inbox

    def _caller(self, who: str) -> Any:
        if who not in self._open:
            opening: Any = sync.Orchestrator.open(self.address, link=LINK)
            if who != BOSS:
                opening = sync.Workspace.open(self.address, None, self.session, who, link=LINK)
            self._open[who] = self._stack.enter_context(opening)
        return self._open[who]


class Play:
    """One scenario: a method for each kind of step, which has the name of the key that tells the kind."""

    def __init__(self, players: Players, harness: Harness) -> None:
        self._players = players
        self._control = httpx2.AsyncClient(base_url=harness.control, timeout=LIMIT)
        self._saved: dict[str, Any] = {}
        self._calls: dict[str, asyncio.Task[Any]] = {}
        self._listeners: dict[str, Listening] = {}

    async def run(self, scenario: Mapping[str, Any]) -> None:
        async with self._control:
            created = await self._players.call(BOSS, "create_session", {"purpose": scenario["name"]})
            session = self._saved["session"] = self._players.session = created.session_id
            try:
                for step in scenario["steps"]:
                    kind = next(kind for kind in STEPS if kind in step)
                    async with asyncio.timeout(LIMIT):
                        await getattr(self, kind)(step)
            finally:
                # Ends what listens, too.
                await self._players.call(BOSS, "close_session", {"session_id": session})
                for listening in self._listeners.values():
                    assert listening.task is not None
                    await asyncio.wait_for(listening.task, LIMIT)
            for listening in self._listeners.values():
                unexpected = [event.kind for event in listening.events[listening.looked_at :]]
                assert unexpected in ([], ["session/closed"])

    async def start(self, step: Mapping[str, Any]) -> None:
        self._calls[step["start"]] = asyncio.create_task(self._called(step))

    async def finish(self, step: Mapping[str, Any]) -> None:
        await self._settle(step, self._calls.pop(step["finish"]))

    async def call(self, step: Mapping[str, Any]) -> None:
        await self._settle(step, self._called(step))

    async def inbox(self, step: Mapping[str, Any]) -> None:
        await self._settle(step, self._players.inbox(step["inbox"]))

    async def listen(self, step: Mapping[str, Any]) -> None:
        listening = self._listeners[step["listen"]] = Listening()
        options = {"after": step["after"], "kinds": step.get("kinds")}
        listening.task = asyncio.create_task(self._players.listen(step["as"], listening.hear, **options))

    async def hear(self, step: Mapping[str, Any]) -> None:
        for expected in step["events"]:
            event = (await self._listeners[step["hear"]].next()).flat()
            assert {name: event.get(name) for name in expected} == self._filled(expected)

    async def end(self, step: Mapping[str, Any]) -> None:
        task = self._listeners[step["end"]].task
        assert task is not None
        await task

    async def lose_answers(self, step: Mapping[str, Any]) -> None:
        await self._asks(f"/lose_answers?count={step['lose_answers']}")

    async def cut_streams(self, step: Mapping[str, Any]) -> None:
        await self._asks("/cut_streams")

    async def server(self, step: Mapping[str, Any]) -> None:
        await self._asks(f"/{step['server']}")

    async def _asks(self, fault: str) -> None:
        assert (await self._control.post(fault)).status_code == httpx2.codes.NO_CONTENT

    async def _called(self, step: Mapping[str, Any]) -> Any:
        return await self._players.call(step["as"], step["call"], self._filled(step["arguments"]))

    async def _settle(self, step: Mapping[str, Any], outcome: Awaitable[Any]) -> None:
        """Waits for it, and compares it with what is expected."""
        if "fails" in step:
            await self._refused(step["fails"], outcome)
            return
        result = await outcome
        for path, expected in step.get("expect", {}).items():
            assert _at(result, path) == self._filled(expected), f"{path} of {result}"
        for name, path in step.get("save", {}).items():
            self._saved[name] = _at(result, path)

    async def _refused(self, fails: Mapping[str, Any], outcome: Awaitable[Any]) -> None:
        with pytest.raises((LongtableError, ConnectionLost)) as raised:
            await outcome
        problem, requested = raised.value, fails.get("details", {})
        code, details = getattr(problem, "code", "CONNECTION_LOST"), getattr(problem, "details", {})
        assert code == fails["code"], problem
        assert {name: details.get(name) for name in requested} == self._filled(requested)

    def _filled(self, value: Any) -> Any:
        """With what was saved in the place of its name."""
        if isinstance(value, str) and value.startswith("$"):
            return self._saved[value[1:]]
        if isinstance(value, dict):
            return {name: self._filled(item) for name, item in value.items()}
        return [self._filled(item) for item in value] if isinstance(value, list) else value


STEPS = ("start", "finish", "call", "inbox", "listen", "hear", "end", "lose_answers", "cut_streams", "server")
"""In this order: a call that is started has the key `call`, too."""


def _at(value: Any, path: str) -> Any:
    for part in path.split("."):
        if value is None:
            return None
        if isinstance(value, list):
            value = len(value) if part == "length" else value[int(part)]
        else:
            value = value.get(part) if isinstance(value, dict) else getattr(value, part)
    return value
