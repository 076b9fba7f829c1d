"""Several services on one store behind HAProxy, with the configuration that the documentation gives."""

import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.balanced.cluster import haproxy
from tests.e2e.servers import ROOT, Options, Processes
from tests.restarts.service import RestartedService
from tests.table import Agent

PAGE = ROOT / "docs" / "howto" / "several-servers.md"


@dataclass
class Fleet:
    services: list[RestartedService]
    address: str
    turn: int = 0
    away_since: float | None = None
    """Never: the balancer listens all the time."""

    def agent(self, name: str, session: str) -> Agent:
        headers = {"X-Caller-Agent": name, "X-Session-ID": session}
        return Agent(httpx2.AsyncClient(base_url=self.address, headers=headers, timeout=60))

    async def loses_server(self, number: signal.Signals) -> None:
        """One after the other ends by the signal, and is started again in its place."""
        self.turn += 1
        await self.services[self.turn % len(self.services)].restarts(number)


@contextmanager
def fleet_of(count: int, processes: Processes, options: Options, folder: Path) -> Iterator[Fleet]:
    services = [RestartedService(processes, options) for _ in range(count)]
    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        config = folder / "haproxy.cfg"
        config.write_text(_documented([service.server.port for service in services], listener.fileno()))
        program = haproxy()
        assert program is not None, "HAProxy is not installed: run `make balancer`"
        balancer = subprocess.Popen([program, "-db", "-q", "-f", str(config)], pass_fds=[listener.fileno()])
        try:
            yield Fleet(services, f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            balancer.terminate()
            balancer.wait(30)


def _documented(ports: list[int], descriptor: int) -> str:
    """The example of the page, with our ports."""
    found = re.search(r"```haproxy\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    text = re.sub(r"    server .*\n", "", found[1]).replace("bind 127.0.0.1:8765", f"bind fd@{descriptor}")
    return text + "".join(f"    server s{number} 127.0.0.1:{port}\n" for number, port in enumerate(ports))
