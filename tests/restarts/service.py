"""A service that is stopped and started again on the same port, as a whole or one worker of it."""

import asyncio
import contextlib
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil  # type: ignore[import-untyped]  # the package has no types

from tests.e2e.servers import Options, Processes, Server, until
from tests.table import Agent

LIMIT = 120.0
TCP_SOCKETS, LISTENING = Path("/proc/net/tcp"), "0A"


@dataclass
class RestartedService:
    processes: Processes
    options: Options
    server: Server = field(init=False)
    away_since: float | None = None
    """Since when nobody listens."""

    def __post_init__(self) -> None:
        self.server = self.processes.serve(self.options)

    @property
    def address(self) -> str:
        return self.server.address

    def agent(self, name: str, session: str) -> Agent:
        return self.server.agent(name, session)

    def workers(self) -> list[psutil.Process]:
        """Those that serve."""
        found = []
        for pid in self.server.workers:
            with contextlib.suppress(psutil.Error):
                found.append(psutil.Process(pid))
        return found

    async def loses_worker(self, number: signal.Signals) -> None:
        """One worker ends by the signal; returns when another one serves in its place."""
        gone, *_ = before = self.workers()
        gone.send_signal(number)
        await until(lambda: not gone.is_running() or gone.status() == psutil.STATUS_ZOMBIE, LIMIT)
        await until(lambda: len(set(self.workers()) - {gone}) >= len(before), LIMIT)
        await self.answers()

    async def renews_workers(self) -> None:
        """As after an upgrade: all workers are replaced, one by one."""
        before = set(self.workers())
        self.server.signal(signal.SIGHUP)
        await until(lambda: not before & set(self.workers()), LIMIT * len(before))
        await self.answers()

    async def restarts(self, number: signal.Signals) -> None:
        """The whole service ends by the signal, and is started again on its port. As soon as that is listened to,
        clients wait in line for the first worker, and are refused no more."""
        port = self.server.port
        workers = self.workers()
        self.server.signal(number)
        ending = asyncio.ensure_future(self.server.ends(LIMIT))
        await until(lambda: ending.done() or not is_listened_to(port), LIMIT)
        self.away_since = time.monotonic()
        await ending
        await until(lambda: not any(worker.is_running() for worker in workers), LIMIT)
        options = {**self.options, "http_port": str(port)}
        starting = asyncio.ensure_future(asyncio.to_thread(self.processes.serve, options))
        await until(lambda: starting.done() or is_listened_to(port), LIMIT)
        self.away_since = None
        self.server = await starting

    async def answers(self) -> None:
        async with asyncio.timeout(LIMIT), httpx2.AsyncClient(base_url=self.address, timeout=LIMIT) as client:
            while True:
                with contextlib.suppress(httpx2.TransportError):
                    if (await client.get("/health")).status_code == 200:
                        return
                await asyncio.sleep(0.02)


def is_listened_to(port: int) -> bool:
    """By what the system says: who connects to a free port of this machine may become its own other end."""
    if not TCP_SOCKETS.exists():
        return False
    rows = [line.split() for line in TCP_SOCKETS.read_text(encoding="ascii").splitlines()[1:]]
    return any(row[3] == LISTENING and row[1].endswith(f":{port:04X}") for row in rows)
