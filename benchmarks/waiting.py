"""What a thousand agents cost that wait in a call, or hold a stream open: memory, processor time while nothing happens,
how soon one message wakes all of them, and whether its writer is kept waiting for that."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import Effort, Goal, Measure, percentile
from benchmarks.requests import post, tool_call
from benchmarks.rounds import RoundListener, longtable_at

WAITING = 1_000
WARM = 50
AT_ONCE = 25
"""Connections that are opened at the same time."""
SETTLED_SECONDS = 0.5
SETTLED_PERCENT = 4
SETTLING_ROUNDS = 20
LATEST_SECONDS = 20.0
LONGEST_WAIT = 50
BYTES_GOAL, IDLE_GOAL = Goal(20), Goal(1)
CALL_GOAL, STREAM_GOAL = Goal(200), Goal(60)
ANSWERED = b'"isError":false'
_HANDSHAKE = "2025-11-25"
_STREAM = "text/event-stream"


@dataclass(slots=True)
class WaitingSessions:
    """A session in which all of them wait, and how far its log has got."""

    listener: RoundListener
    session_id: str
    event: int = 0
    message: int = 0

    def call(self, agent: int, tool: str, arguments: dict[str, Any]) -> str:
        plain = tool_call(self.listener.port, tool, arguments, self.session_id)
        return plain.replace("Accept:", f"X-Caller-Agent: agent-{agent}\r\nAccept:", 1)

    def get(self, path: str, headers: dict[str, str]) -> str:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.listener.port}", f"Accept: {_STREAM}"]
        return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""])


Request = Callable[[WaitingSessions, "Waiter"], str]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to wait. `before` are requests that are answered before the one that waits. A stream is open once `opened`
    was sent; `woken` is in what wakes a waiter."""

    name: str
    request: Request
    woken: bytes
    opened: bytes = b""
    before: tuple[Request, ...] = ()
    goal: Goal = CALL_GOAL


@dataclass(slots=True)
class SeenWaits:
    kilobytes: float = 0.0
    opening_ms: float = 0.0
    idle_percent: float = 0.0
    wakes: list[float] = field(default_factory=list)
    wake_cpu_ms: list[float] = field(default_factory=list)
    acknowledged: list[float] = field(default_factory=list)


class Waiter(asyncio.Protocol):
    """One connection of an agent."""

    def __init__(self, agent: int) -> None:
        self.agent = agent
        self.received = b""
        self.connection_id = ""
        self._expected = b""
        self._found: asyncio.Future[float] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        if self._found is not None and not self._found.done() and self._expected in self.received and self._is_whole():
            self._found.set_result(time.perf_counter())

    def _is_whole(self) -> bool:
        """Of a response that says how long it is. Streams and what else does not are looked at as they come."""
        size = self.header(b"content-length")
        return not size or len(self.received.partition(b"\r\n\r\n")[2]) >= int(size)

    def expect(self, piece: bytes) -> "asyncio.Future[float]":
        """The moment at which `piece` comes, from now on."""
        self.received, self._expected = b"", piece
        self._found = asyncio.get_running_loop().create_future()
        return self._found

    async def ask(self, request: str, piece: bytes) -> None:
        found = self.expect(piece)
        self.send(request)
        try:
            async with asyncio.timeout(LATEST_SECONDS):
                await found
        except TimeoutError:
            raise RuntimeError(f"no {piece!r} in {self.received[:2000]!r}") from None

    def send(self, request: str) -> None:
        self.transport.write(request.encode())

    def result(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.received.partition(b"\r\n\r\n")[2])["result"]["structuredContent"]
        return found

    def header(self, name: bytes) -> str:
        head = self.received.partition(b"\r\n\r\n")[0]
        return head.partition(b"\r\n" + name + b": ")[2].partition(b"\r\n")[0].decode()


def measure_waiting(folder: Path, effort: Effort) -> list[Measure]:
    count, measures = effort.part_of(WAITING), []
    for number, way in enumerate(WAYS):
        data_dir = folder / f"waiting-{number}" / "data"
        data_dir.parent.mkdir()
        with longtable_at(data_dir) as listener:
            measures += _measured(way, count, asyncio.run(_take(listener, way, count, effort)))
    return measures


def _measured(way: Way, count: int, seen: SeenWaits) -> list[Measure]:
    group = f"{count} waiting: {way.name}"
    return [
        Measure(group, "memory of each", seen.kilobytes, "kB", goal=BYTES_GOAL),
        Measure(group, "CPU to open one", seen.opening_ms, "ms"),
        Measure(group, "CPU while nothing happens", seen.idle_percent, "% of a core", goal=IDLE_GOAL),
        Measure(group, "woken after a message, p50", percentile(seen.wakes, 0.5), "ms"),
        Measure(group, "woken after a message, p95", percentile(seen.wakes, 0.95), "ms", goal=way.goal),
        Measure(group, "CPU to wake one", median(seen.wake_cpu_ms), "ms"),
        Measure(group, "the message acknowledged", median(seen.acknowledged), "ms"),
    ]


async def _take(listener: RoundListener, way: Way, count: int, effort: Effort) -> SeenWaits:
    seen, server, writer = SeenWaits(), listener.server, await connect(listener, -1)
    await writer.ask(tool_call(listener.port, "create_session", {"purpose": "waiting"}), ANSWERED)
    room = WaitingSessions(listener, writer.result()["session_id"])
    await _go_on(room, writer)
    writer.transport.abort()
    # What is loaded, cached or allocated once is there before the counting begins.
    warm = [await _open(room, way, count + number) for number in range(min(WARM, count))]
    await asyncio.sleep(_pause(effort))
    await _wake(room, way, warm)
    for waiter in warm:
        waiter.transport.abort()
    await asyncio.sleep(_pause(effort))
    memory, cpu = server.memory_mb(), server.cpu_seconds()
    waiters: list[Waiter] = []
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        waiters += await asyncio.gather(*(_open(room, way, number) for number in numbers))
    await _settle(listener, effort)
    seen.kilobytes = (server.memory_mb() - memory) * 1000 / count
    seen.opening_ms = (server.cpu_seconds() - cpu) * 1000 / count
    seen.idle_percent = await _idle(listener, effort.subscriber_seconds * 4)
    for _ in range(effort.rounds):
        cpu = server.cpu_seconds()
        acknowledged, wakes = await _wake(room, way, waiters)
        seen.wake_cpu_ms.append((server.cpu_seconds() - cpu) * 1000 / count)
        seen.acknowledged.append(acknowledged)
        seen.wakes += wakes
        await _wait_again(room, way, waiters, effort)
    for waiter in waiters:
        waiter.transport.abort()
    # The loop closes them in its next turn.
    await asyncio.sleep(0)
    return seen


async def _settle(listener: RoundListener, effort: Effort) -> None:
    """Until the server has hardly anything to do."""
    for _ in range(effort.part_of(SETTLING_ROUNDS)):
        if await _idle(listener, _pause(effort)) < SETTLED_PERCENT:
            return


def _pause(effort: Effort) -> float:
    return min(SETTLED_SECONDS, effort.subscriber_seconds)


async def _idle(listener: RoundListener, seconds: float) -> float:
    cpu, began = listener.server.cpu_seconds(), time.perf_counter()
    await asyncio.sleep(seconds)
    return (listener.server.cpu_seconds() - cpu) / (time.perf_counter() - began) * 100


async def connect(listener: RoundListener, agent: int) -> Waiter:
    _, waiter = await asyncio.get_running_loop().create_connection(lambda: Waiter(agent), "127.0.0.1", listener.port)
    return waiter


async def _open(room: WaitingSessions, way: Way, agent: int) -> Waiter:
    waiter = await connect(room.listener, agent)
    for request in way.before:
        await waiter.ask(request(room, waiter), b"\r\n\r\n")
        waiter.connection_id = waiter.header(b"mcp-session-id")
    if way.opened:
        await waiter.ask(way.request(room, waiter), way.opened)
    else:
        waiter.send(way.request(room, waiter))
    return waiter


async def _wait_again(room: WaitingSessions, way: Way, waiters: Sequence[Waiter], effort: Effort) -> None:
    if not way.opened:
        for waiter in waiters:
            waiter.send(way.request(room, waiter))
    await _settle(room.listener, effort)


async def _wake(room: WaitingSessions, way: Way, waiters: Sequence[Waiter]) -> tuple[float, list[float]]:
    """Milliseconds from the sending of a message to its acknowledgement, and to each waiter's wake."""
    writer = await connect(room.listener, -1)
    await _go_on(room, writer)
    woken = [waiter.expect(way.woken) for waiter in waiters]
    acknowledged, began = writer.expect(ANSWERED), time.perf_counter()
    writer.send(room.call(-1, "add_message", {"content": "Everybody wake up."}))
    done, missing = await asyncio.wait([acknowledged, *woken], timeout=LATEST_SECONDS)
    if missing:
        raise RuntimeError(f"{len(missing)} of {len(done) + len(missing)} were not woken")
    taken = (acknowledged.result() - began) * 1000, [(moment.result() - began) * 1000 for moment in woken]
    # From here on agents go on waiting, as those do that were shown it.
    room.message = writer.result()["message_id"]
    await _go_on(room, writer)
    writer.transport.abort()
    return taken


async def _go_on(room: WaitingSessions, writer: Waiter) -> None:
    await writer.ask(room.call(-2, "read_events", {"after": room.event, "limit": 1_000, "max_chars": 0}), ANSWERED)
    room.event = writer.result()["next_after"]


def _read_events(room: WaitingSessions, waiter: Waiter) -> str:
    return room.call(waiter.agent, "read_events", {"after": room.event, "wait_seconds": LONGEST_WAIT})


def _wait_for_messages(room: WaitingSessions, waiter: Waiter) -> str:
    arguments = {"after_id": room.message, "timeout_seconds": LONGEST_WAIT}
    return room.call(waiter.agent, "wait_for_messages", arguments)


def _rest_stream(room: WaitingSessions, waiter: Waiter) -> str:
    return room.get(f"/sessions/{room.session_id}/events", {"X-Caller-Agent": f"agent-{waiter.agent}"})


def initialize(room: WaitingSessions, waiter: Waiter) -> str:
    hello = {
        "protocolVersion": _HANDSHAKE,
        "capabilities": {},
        "clientInfo": {"name": f"agent-{waiter.agent}", "version": "1"},
    }
    return _handshaken(room, waiter, "initialize", hello)


def _subscribe(room: WaitingSessions, waiter: Waiter) -> str:
    return _handshaken(room, waiter, "resources/subscribe", {"uri": f"longtable://session/{room.session_id}/messages"})


def _handshaken(room: WaitingSessions, waiter: Waiter, method: str, params: dict[str, Any]) -> str:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    return post("/mcp", room.listener.port, body, {"Accept": f"application/json, {_STREAM}", **_connection(waiter)})


def _mcp_stream(room: WaitingSessions, waiter: Waiter) -> str:
    return room.get("/mcp", _connection(waiter))


def _connection(waiter: Waiter) -> dict[str, str]:
    if not waiter.connection_id:
        return {}
    return {"Mcp-Session-Id": waiter.connection_id, "MCP-Protocol-Version": _HANDSHAKE}


WAYS = (
    Way("read_events", _read_events, ANSWERED),
    Way("wait_for_messages", _wait_for_messages, ANSWERED),
    Way("REST stream", _rest_stream, b"event: message/added", b"retry:", goal=STREAM_GOAL),
    Way(
        "MCP stream",
        _mcp_stream,
        b"notifications/resources/updated",
        b"retry:",
        (initialize, _subscribe),
        STREAM_GOAL,
    ),
)
