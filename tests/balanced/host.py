"""A process that opens applications when it is told to, each on a socket of its own: a server behind the balancer.

It reads one command a line from stdin and answers with one line; when stdin ends, so does it."""

import asyncio
import json
import mmap
import socket
import struct
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn

from longtable.app import App, open_app
from longtable.server.http import HttpApp
from longtable.server.protocol import bounded_protocol
from longtable.settings.load import load
from tests.table import Timepiece

NUMBER = struct.Struct("q")
PAGE = 4096
_LOOK_SECONDS = 0.005


class Board:
    """Numbers in a file that all processes of a table share: how far ahead its clock is, and for each server how many
    listen there and how many wait there."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self.memory = memoryview(mmap.mmap(file.fileno(), PAGE))

    @classmethod
    def new(cls, path: Path) -> "Board":
        path.write_bytes(bytes(PAGE))
        return cls(path)

    def put(self, server: int, subscribers: int, waiting: int) -> None:
        place = NUMBER.size * (1 + 2 * server)
        NUMBER.pack_into(self.memory, place, subscribers)
        NUMBER.pack_into(self.memory, place + NUMBER.size, waiting)

    def sums(self, servers: int) -> tuple[int, int]:
        numbers = struct.unpack_from(f"{2 * servers}q", self.memory, NUMBER.size)
        return sum(numbers[::2]), sum(numbers[1::2])


class ReplicaHost:
    def __init__(self, number: int, listeners: list[socket.socket]) -> None:
        self._number = number
        self._listeners = listeners
        self._open: dict[int, tuple[App, asyncio.Event, asyncio.Task[None]]] = {}

    async def obey(self, command: dict[str, Any]) -> dict[str, Any]:
        do: Callable[[dict[str, Any]], Coroutine[Any, Any, None]] = getattr(self, command["do"])
        try:
            await do(command)
        except Exception as error:  # noqa: BLE001  # the test is told, whatever it is
            return {"error": f"{type(error).__name__}: {error}"}
        return {}

    async def open(self, command: dict[str, Any]) -> None:
        started: asyncio.Future[App] = asyncio.get_running_loop().create_future()
        closing = asyncio.Event()
        task = asyncio.create_task(self._serve(command, started, closing))
        either: list[asyncio.Future[Any]] = [task, started]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not started.done():
            await task
        self._open[command["slot"]] = (started.result(), closing, task)

    async def flush(self, command: dict[str, Any]) -> None:
        await self._open[command["slot"]][0].ledger.flush()

    async def close(self, command: dict[str, Any]) -> None:
        _, closing, task = self._open.pop(command["slot"])
        closing.set()
        await task

    async def _serve(self, command: dict[str, Any], started: "asyncio.Future[App]", closing: asyncio.Event) -> None:
        board = Board(Path(command["board"]))
        listener = self._listeners[command["slot"]].dup()
        async with (
            open_app(load(command["flags"], {}).settings, "test", Timepiece(board.memory)) as app,
            _listening(HttpApp(app), listener),
        ):
            started.set_result(app)
            while not closing.is_set():
                board.put(self._number, app.feed.subscribers, int(app.wakeups.anyone_waiting))
                await asyncio.sleep(_LOOK_SECONDS)


@asynccontextmanager
async def _listening(http: HttpApp, listener: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(
        http,
        http=bounded_protocol(http.intake),
        ws="none",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    async with http.running():
        await server.startup([listener])
        try:
            yield
        finally:
            await http.drain(0.1)
            server.force_exit = True
            await server.shutdown([listener])


async def _main(number: int, slots: int) -> None:
    listeners = [socket.create_server(("127.0.0.1", 0), backlog=512) for _ in range(slots)]
    for listener in listeners:
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    print(json.dumps([listener.getsockname()[1] for listener in listeners]), flush=True)
    host, loop = ReplicaHost(number, listeners), asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps(await host.obey(json.loads(line))), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
