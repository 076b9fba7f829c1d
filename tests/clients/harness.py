"""A server that clients are tried on, behind a proxy that loses answers and cuts streams, with a control for runners in
any language: `POST /restart`, `/crash`, `/lose_answers?count=2` and `/cut_streams` answer 204 when it is done."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.e2e.faulty_proxy import BROKEN, reset, whole_message, write
from tests.e2e.servers import Processes, Server, processes_in

_PIECE = 65_536
_STREAM = b"HTTP/1.1 200"
_END = b"0\r\n\r\n"
"""Of a response in chunks. After it, and after a response that is no stream, a client would send its next request."""

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class ConnectionProxy:
    """Passes connections on to `backend`, which may be another one after a restart."""

    backend: int
    answers_to_lose: int = 0
    streams: set[asyncio.StreamWriter] = field(default_factory=set)

    async def serve(self, client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        try:
            server, to_server = await asyncio.open_connection("127.0.0.1", self.backend, limit=2**24)
        except OSError:
            reset(to_client)
            return
        try:
            while True:
                request = await whole_message(client)
                await write(to_server, request)
                if request.startswith(b"GET ") and b"/events" in request.partition(b"\r\n")[0]:
                    await self._pass_stream(server, to_client)
                    return
                response = await whole_message(server)
                if request.startswith(b"POST ") and self.answers_to_lose:
                    self.answers_to_lose -= 1
                    reset(to_client)
                    return
                await write(to_client, response)
        except BROKEN:
            return
        finally:
            reset(to_server)

    async def _pass_stream(self, server: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        self.streams.add(to_client)
        try:
            while piece := await server.read(_PIECE):
                await write(to_client, piece)
                if piece.endswith(_END) or (piece.startswith(b"HTTP/1.1 ") and not piece.startswith(_STREAM)):
                    return
        finally:
            self.streams.discard(to_client)

    def cut_streams(self) -> None:
        for writer in self.streams:
            reset(writer)


class Harness:
    """`address` is where clients connect to, `control` where their runners ask for faults."""

    address: str
    control: str

    def __init__(self, processes: Processes, options: dict[str, str]) -> None:
        self._processes = processes
        self._options = options
        self._server: Server = processes.serve(options)
        self._proxy = ConnectionProxy(self._server.port)
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._closing = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._serve()], daemon=True)
        self._thread.start()
        assert self._listening.wait(30)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(30)
        self._loop.close()

    async def _serve(self) -> None:
        listeners = [await self._listen(answer) for answer in (self._proxy.serve, self._answer)]
        self.address, self.control = (f"http://127.0.0.1:{one.sockets[0].getsockname()[1]}" for one in listeners)
        self._listening.set()
        await self._closing.wait()
        for one in listeners:
            one.close()
        for writer in self._open:
            reset(writer)
        answering = asyncio.all_tasks() - {asyncio.current_task()}
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, *(writer.wait_closed() for writer in self._open), return_exceptions=True)

    async def _listen(self, answer: Answer) -> asyncio.Server:
        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._open.add(writer)
            try:
                # Of a task that is cancelled, Python 3.11 would log the traceback.
                with suppress(asyncio.CancelledError):
                    await answer(reader, writer)
            finally:
                writer.close()
                self._open.discard(writer)

        return await asyncio.start_server(connected, "127.0.0.1", 0, limit=2**24)

    async def _answer(self, runner: asyncio.StreamReader, to_runner: asyncio.StreamWriter) -> None:
        with suppress(*BROKEN):
            while True:
                request = await whole_message(runner)
                await self._do(request.split(b" ")[1].decode())
                await write(to_runner, b"HTTP/1.1 204 No Content\r\n\r\n")

    async def _do(self, target: str) -> None:
        asked = urlsplit(target)
        match asked.path:
            case "/restart" | "/crash":
                await asyncio.to_thread(self._start_again, asked.path == "/crash")
            case "/lose_answers":
                self._proxy.answers_to_lose = int(parse_qs(asked.query)["count"][0])
            case "/cut_streams":
                self._proxy.cut_streams()
            case other:
                raise AssertionError(f"the control knows no {other}")

    def _start_again(self, crash: bool) -> None:
        if crash:
            self._server.kill()
        else:
            self._server.stop()
        self._server = self._processes.serve(self._options)
        self._proxy.backend = self._server.port


@contextmanager
def harness_in(folder: Path) -> Iterator[Harness]:
    with processes_in(folder / "work") as processes:
        harness = Harness(processes, {"data_dir": str(folder / "data")})
        try:
            yield harness
        finally:
            harness.close()
