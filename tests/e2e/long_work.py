"""Eight agents and two people at work on one store with two servers, while connections are cut, servers restarted and
killed. All that they write and hear is recorded, to be checked."""

import asyncio
import itertools
import json
import random
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import httpx2

from longtable_client import LongtableError
from tests.e2e.cut_off import WRITES, CutOffAgent
from tests.e2e.event_wire import StreamRefused, event_wire
from tests.e2e.servers import Options, Processes, Server
from tests.histories.delivery import DeliveryHistory, Write
from tests.table import Refused

SESSION: Final = "long_work"
ADMIN: Final = "acme-secret"
PASSING: Final = {"SHUTTING_DOWN", "STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "OVERLOADED"}
BROKEN: Final = (httpx2.TransportError, OSError, EOFError, ValueError, asyncio.IncompleteReadError, StreamRefused)
_PAUSE: Final = 0.02
_ROOM: Final = {f"max_{name}": "100000000" for name in ("notes", "sections", "tasks", "questions", "messages")}
OPTIONS: Final = {"auth_tokens": f"acme:{ADMIN}", "call_rate": "0", **_ROOM, "max_cells_per_pad": "0"}


@dataclass
class RecordedWork:
    """What all of them share."""

    history: DeliveryHistory
    chance: random.Random
    keys: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    async def write(self, tool: str, mark: str, call: Callable[[str], Awaitable[dict[str, Any]]]) -> None:
        """Under a key of its own, until it is acknowledged; sometimes once more, to see the first result again."""
        key = f"key-{next(self.keys)}"
        for _ in range(2 if self.chance.random() < 0.1 else 1):
            self.history.writes.append(Write(key, tool, mark, None))
            result = await insists(lambda: call(key))
            lasting = {name: value for name, value in result.items() if name != "inbox"}
            self.history.writes.append(Write(key, tool, mark, json.dumps(lasting, sort_keys=True)))


async def insists(work: Callable[[], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    while True:
        with suppress(*BROKEN):
            try:
                return await work()
            except (Refused, LongtableError) as error:
                if error.code not in PASSING:
                    raise
        await asyncio.sleep(_PAUSE)


@dataclass
class WorkingAgent:
    """Writes, and waits for messages and answers, or follows the events."""

    worker: CutOffAgent
    shared: RecordedWork
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    @property
    def name(self) -> str:
        return self.worker.name

    async def works(self, until: float) -> None:
        while time.monotonic() < until:
            reading = (self.follows,) if self.worker.follows_events else (self.hears, self.looks)
            await self.shared.chance.choice((self.writes, *reading))()

    async def writes(self) -> None:
        mark = f"{self.name} {next(self.numbers)}"
        tool, arguments = self.shared.chance.choice(WRITES)(mark)
        await self.shared.write(tool, mark, lambda key: self.worker.call(tool, {**arguments, "idempotency_key": key}))

    async def hears(self, seconds: float = 0.5) -> bool:
        page = await self._reads("wait_for_messages", timeout_seconds=seconds)
        for message in page["messages"]:
            self.shared.history.hears(self.name, "message", message["id"])
        return bool(page["messages"])

    async def looks(self, seconds: float = 0.5) -> bool:
        page = await self._reads("wait_for_answers", timeout_seconds=seconds)
        for question in page["answers"]:
            self.shared.history.hears(self.name, "answer", f"{question['id']} {question['answer']}")
        return bool(page["answers"])

    async def follows(self, seconds: float = 0.5) -> bool:
        page = await self._reads("read_events", after=self.worker.reached, wait_seconds=seconds)
        for event in page["events"]:
            self.shared.history.hears(self.name, "event", event["seq"])
        self.shared.history.streams.append((self.name, [event["seq"] for event in page["events"]]))
        self.worker.reached = page["next_after"]
        return bool(page["events"])

    async def catches_up(self) -> None:
        for reads in (self.follows,) if self.worker.follows_events else (self.hears, self.looks):
            while await reads(0):
                continue

    async def _reads(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await insists(lambda: self.worker.call(tool, arguments))


@dataclass
class WorkingPerson:
    """At a browser: answers what is asked, says things, and hears the events over a stream that is opened again."""

    name: str
    token: str
    client: httpx2.AsyncClient
    servers: list[Server]
    shared: RecordedWork
    cursor: int = 0

    async def works(self, until: float) -> None:
        listening = asyncio.create_task(self.listens())
        numbers = itertools.count(1)
        try:
            while time.monotonic() < until:
                await self.answers()
                if self.shared.chance.random() < 0.3:
                    await self.says(f"{self.name} {next(numbers)}")
                await asyncio.sleep(0.1)
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def says(self, mark: str) -> None:
        await self.shared.write("add_message", mark, lambda key: self._post("messages", {"content": mark}, key))

    async def answers(self) -> None:
        """Two people may answer the same question; only one of them is right about it."""
        pending = await insists(self._pending)
        for question in pending["questions"]:
            mark = f"{question['id']} by {self.name}"
            with suppress(Refused):
                await self.shared.write("submit_answers", mark, partial(self._answer, question["id"], mark))

    async def listens(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        while True:
            told: list[int] = []
            self.shared.history.streams.append((self.name, told))
            with suppress(*BROKEN):
                server = self.shared.chance.choice(self.servers)
                path = f"/sessions/{SESSION}/events"
                resumed = {**headers, "Last-Event-ID": str(self.cursor)}
                async with event_wire(server.address, path, resumed) as wire:
                    for _ in range(self.shared.chance.randrange(5, 200)):
                        heard = await wire.hears()
                        if heard is None or heard[0] in ("end", "lagged"):
                            break
                        self.hears(heard[1], told)
                    wire.breaks_off()
            await asyncio.sleep(_PAUSE)

    def hears(self, event: dict[str, Any], told: list[int]) -> None:
        told.append(event["seq"])
        self.shared.history.hears(self.name, "event", event["seq"])
        self.cursor = max(self.cursor, event["seq"])

    async def catches_up(self, last: int) -> None:
        listening = asyncio.create_task(self.listens())
        async with asyncio.timeout(60):
            while self.cursor < last:  # noqa: ASYNC110 - the condition is a number
                await asyncio.sleep(_PAUSE)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)

    async def _pending(self) -> dict[str, Any]:
        return _body(await self.client.get(f"/sessions/{SESSION}/questions", params={"status": "pending", "limit": 20}))

    async def _answer(self, question_id: str, mark: str, key: str) -> dict[str, Any]:
        result = await self._post("answers", {"answers": {question_id: mark}}, key)
        if question_id not in result["answered"]:
            raise Refused("CONFLICT", "somebody else has answered it", result)
        return result

    async def _post(self, what: str, given: dict[str, Any], key: str) -> dict[str, Any]:
        path = f"/sessions/{SESSION}/{what}"
        return _body(await self.client.post(path, json=given, headers={"Idempotency-Key": key}))


def _body(response: httpx2.Response) -> dict[str, Any]:
    body: dict[str, Any] = response.json()
    if response.status_code >= 400:
        error = body["error"] if isinstance(body["error"], dict) else body
        raise Refused(error["code"], error["error"], error.get("details", {}))
    return body


@dataclass
class ServerFaults:
    """One server after the other is asked to stop, or killed, and started again on its port; or loses its worker."""

    processes: Processes
    options: Options
    servers: list[Server]
    chance: random.Random
    pause: float
    happened: list[str] = field(default_factory=list)

    async def happen(self, until: float) -> None:
        for number in itertools.count():
            await asyncio.sleep(self.pause)
            if time.monotonic() > until - self.pause:
                return
            at = number % len(self.servers)
            await (self._restart, self._kill, self._renew)[number % 3](at)

    async def _restart(self, at: int) -> None:
        self.servers[at].signal(signal.SIGTERM)
        await self._again(at, "SIGTERM")

    async def _kill(self, at: int) -> None:
        self.servers[at].kill_all()
        await self._again(at, "SIGKILL")

    async def _renew(self, at: int) -> None:
        self.happened.append("SIGHUP")
        self.servers[at].signal(signal.SIGHUP)

    async def _again(self, at: int, name: str) -> None:
        self.happened.append(name)
        await self.servers[at].ends()
        self.servers[at].close_pipes()
        port = str(self.servers[at].port)
        self.servers[at] = await asyncio.to_thread(self.processes.serve, {**self.options, "http_port": port})
