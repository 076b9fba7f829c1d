"""What every Python driver does: it calls in a loop, obeys lines on stdin, and tells what it sees as JSON lines."""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

PAUSE = 0.03
"""Between two calls: a client that has nothing else to do, and leaves the processor to the others."""

EVENTS = ("scratchpad/note_added", "message/added", "scratchpad/tasks_added")
LOST_CONNECTION = -32000
"""The code that the SDKs give to a request whose connection is gone."""


class DrivenClient(Protocol):
    async def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The structured result of a tool."""
        ...

    async def subscribe(self, uri: str, events: dict[str, Any]) -> None:
        """To a resource, and to events if this client can hear them."""
        ...


Connect = Callable[["Driver"], AbstractAsyncContextManager[DrivenClient]]


class Driver:
    """`config` comes from the test: url, name and session_id."""

    def __init__(self) -> None:
        self.config: dict[str, Any] = json.loads(sys.argv[1])
        self.seq = 0
        self._calls = 0
        self._made: dict[str, Any] | None = None
        self._entered = False
        self._running = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._ended = False

    def says(self, at: str, **facts: Any) -> None:
        print(json.dumps({"at": at, **facts}), flush=True)

    def hears_event(self, params: dict[str, Any]) -> None:
        self.seq = max(self.seq, params.get("seq", 0))
        self.says("event", seq=params.get("seq"), kind=params.get("kind"))

    def hears_update(self, uri: str) -> None:
        self.says("updated", uri=str(uri))

    async def run(self, connect: Connect) -> None:
        """A client whose transport broke is made anew: the one way on that the Python SDKs leave to a program."""
        obeying = asyncio.create_task(self._obey())
        while not self._ended:
            try:
                async with connect(self) as client:
                    await self._enter(client)
                    await self._work(client)
            except BaseExceptionGroup as group:
                self._report(flat(group))
            except Exception as error:  # noqa: BLE001  # whatever a client raises is what we are here to see
                self._report([error])
            await asyncio.sleep(10 * PAUSE)
        obeying.cancel()
        self.says("ended")

    async def _enter(self, client: DrivenClient) -> None:
        session_id = self.config["session_id"]
        if self._entered:
            await client.call("join_session", {"session_id": session_id})
        else:
            await client.call("create_session", {"session_id": session_id, "purpose": "restarts"})
        events = {"events": list(EVENTS), "after": max(self.seq - 20, 0)}
        plan = f"longtable://session/{session_id}/plan"
        await client.subscribe(plan, events)
        if self._entered:
            # Whoever subscribes anew reads anew, so that nothing in between is missed.
            self.hears_update(plan)
        else:
            self._entered = True
            self._running.set()
        self.says("ready")

    async def _work(self, client: DrivenClient) -> None:
        while not self._ended:
            if self._running.is_set() or self._made is not None:
                await self._call(client)
            await asyncio.sleep(PAUSE)

    async def _call(self, client: DrivenClient) -> None:
        if self._made is None:
            self._calls += 1
            self._made = _next_call(self.config["name"], self._calls)
            self._idle.clear()
        made = self._made
        result = await client.call(made["tool"], made["arguments"])
        self._made = None
        self._idle.set()
        session_id = result.get("session_id")
        self.says("called", tool=made["tool"], number=self._calls, ok=result.get("ok"), session_id=session_id)

    def _report(self, errors: list[BaseException]) -> None:
        if self._ended:
            return
        for error in errors:
            lost = is_transport(error)
            self.says("broken" if lost else "refused", error=f"{type(error).__name__}: {error}"[:400])

    async def _obey(self) -> None:
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            word = line.strip()
            if word == "pause":
                self._running.clear()
                await self._idle.wait()
                self.says("paused")
            elif word == "go":
                self._running.set()
        self._ended = True


def _next_call(name: str, number: int) -> dict[str, Any]:
    key = f"{name}-{number}"
    if number % 3 == 0:
        return {"tool": "read_notes", "arguments": {"limit": 1}}
    tool = "add_note" if number % 3 == 1 else "add_message"
    return {"tool": tool, "arguments": {"content": key, "idempotency_key": key}}


def flat(error: BaseException) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in flat(part)]
    return [error]


def is_transport(error: BaseException) -> bool:
    """Whether no answer came, as opposed to one that says no."""
    code = getattr(getattr(error, "error", None), "code", None)
    names = {kind.__name__ for kind in type(error).__mro__}
    if code == LOST_CONNECTION or names & {"TransportError", "OSError", "ClosedResourceError"}:
        return True
    return error.__cause__ is not None and is_transport(error.__cause__)
