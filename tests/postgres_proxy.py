"""Stands between a server and PostgreSQL and breaks the connection where a test wants it broken."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qs, urlencode, urlsplit

BEGIN = b"BEGIN "
COMMIT = b"COMMIT\x00"
"""The end of a simple query, as the wire has it: what else is to be stored may stand before it."""

Cut = Literal["before the commit arrives", "after the commit is done"]


@dataclass
class Proxy:
    """`cut_next` breaks the next connection that commits, `is_down` refuses new ones. With `stalls_at_commit` nothing
    is passed on any more once one is about to commit."""

    upstream: str
    port: int = 0
    cut_next: Cut | None = None
    is_down: bool = False
    goes_down_with_cut: bool = False
    keeps_half_open: bool = False
    stalls_with_cut: bool = False
    stalls_at_commit: bool = False
    cuts: int = 0
    seconds: float = 0.0
    """How long a message takes in each direction."""
    round_trips: list[int] = field(default_factory=list)
    """Of each transaction, from its beginning to its commit."""
    commits: list[bytes] = field(default_factory=list)
    """Of each transaction the message with its commit."""
    has_stalled: asyncio.Event = field(default_factory=asyncio.Event)
    moving: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    _writers: list[asyncio.StreamWriter] = field(default_factory=list)

    @property
    def address(self) -> str:
        """The address of the store through here."""
        parts = urlsplit(self.upstream)
        login = parts.netloc.rpartition("@")[0]
        options = {name: values[0] for name, values in parse_qs(parts.query).items() if name not in ("host", "port")}
        return f"postgresql://{login}@127.0.0.1:{self.port}{parts.path}?{urlencode(options)}"

    def stall(self) -> None:
        """As a network that drops every packet: nothing is refused, and nothing arrives."""
        self.moving.clear()
        self.has_stalled.set()

    def resume(self) -> None:
        self.stalls_at_commit = False
        self.moving.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        if self.is_down:
            writer.transport.abort()
            return
        await self.moving.wait()
        behind, ahead = await self._connect()
        self._writers.append(ahead)
        broken = asyncio.Event()
        ways = [
            asyncio.create_task(self._pass_requests(reader, ahead, broken)),
            asyncio.create_task(self._pass_replies(behind, writer, broken)),
        ]
        self._tasks.update(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        writer.transport.abort()
        if not (broken.is_set() and self.keeps_half_open):
            ahead.transport.abort()
        for way in ways:
            way.cancel()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self.upstream)
        host = parse_qs(parts.query).get("host", [""])[0]
        if host:
            return await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{parts.port or 5432}")
        return await asyncio.open_connection(parts.hostname, parts.port or 5432)

    async def _pass_requests(
        self, reader: asyncio.StreamReader, ahead: asyncio.StreamWriter, broken: asyncio.Event
    ) -> None:
        trips = 0
        with suppress(OSError):
            async for data in self._delayed(reader):
                trips = 1 if BEGIN in data else trips + 1
                if data.endswith(COMMIT):
                    self.round_trips.append(trips)
                    self.commits.append(data)
                if self.stalls_at_commit and COMMIT in data:
                    self.stall()
                await self.moving.wait()
                if self.cut_next is not None and COMMIT in data:
                    cut, self.cut_next = self.cut_next, None
                    self.cuts += 1
                    self.is_down = self.goes_down_with_cut
                    broken.set()
                    if cut == "after the commit is done":
                        ahead.write(data)
                        if self.stalls_with_cut:
                            self.stall()
                        # Its reply ends here: whoever passes replies on has seen that this connection is broken.
                        await asyncio.Event().wait()
                    return
                ahead.write(data)
                await ahead.drain()

    async def _pass_replies(
        self, behind: asyncio.StreamReader, writer: asyncio.StreamWriter, broken: asyncio.Event
    ) -> None:
        with suppress(OSError):
            async for data in self._delayed(behind):
                await self.moving.wait()
                if broken.is_set():
                    return
                writer.write(data)
                await writer.drain()

    async def _delayed(self, reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        """What comes in, `seconds` later, in its order: what is under way does not wait for what was sent before."""
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

        async def receive() -> None:
            while data := await reader.read(65_536):
                arrived.put_nowait((loop.time() + self.seconds, data))
            arrived.put_nowait((0, b""))

        if not self.seconds:
            while data := await reader.read(65_536):
                yield data
            return
        receiving = asyncio.create_task(receive())
        self._tasks.add(receiving)
        try:
            while True:
                due, data = await arrived.get()
                if not data:
                    return
                await asyncio.sleep(max(0.0, due - loop.time()))
                yield data
        finally:
            receiving.cancel()

    async def close(self) -> None:
        self.resume()
        for writer in self._writers:
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def proxy_to(upstream: str) -> AsyncIterator[Proxy]:
    proxy = Proxy(upstream)
    proxy.resume()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
