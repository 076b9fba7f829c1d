"""Several servers on one store behind HAProxy, which picks one at random for each request. Started once, for all tests
that one process of pytest runs; what a test opens there is closed when it ends."""

import asyncio
import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SERVERS = int(os.environ.get("LONGTABLE_TEST_SERVERS", "2"))
SLOTS = 4
"""How many tables a test may have open at once."""

GLOBAL = """
global
    maxconn 4000
    tune.bufsize 65536
    tune.maxrewrite 1024
defaults
    mode http
    timeout connect 10s
    timeout client 120s
    timeout server 120s
    # Who hangs up is gone: the server shall know at once.
    option abortonclose
    # A server of the test before has gone from the same port: no connection to it may be used again.
    http-reuse never
    maxconn 2000
"""


def haproxy() -> str | None:
    return shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


class _Server:
    """One of the processes."""

    def __init__(self, number: int) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, "-m", "tests.balanced.host", str(number), str(SLOTS)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.ports: list[int] = []

    def listens(self) -> None:
        self.ports = json.loads(self._line())

    async def does(self, command: dict[str, Any]) -> None:
        assert self._popen.stdin is not None
        self._popen.stdin.write(json.dumps(command).encode() + b"\n")
        self._popen.stdin.flush()
        answer = json.loads(await asyncio.to_thread(self._line))
        if "error" in answer:
            raise RuntimeError(answer["error"])

    def end(self) -> None:
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._popen.stdin.close()
        self._popen.stdout.close()
        self._popen.wait(30)

    def _line(self) -> bytes:
        assert self._popen.stdout is not None
        return self._popen.stdout.readline()


class Cluster:
    def __init__(self) -> None:
        self.servers = [_Server(number) for number in range(SERVERS)]
        for server in self.servers:
            server.listens()
        self.free = list(range(SLOTS))
        self.folder = Path(tempfile.mkdtemp(prefix="longtable-balanced-"))
        self._sockets = [socket.create_server(("127.0.0.1", 0), backlog=512) for _ in range(SLOTS)]
        self._balancer = self._balance()

    def port(self, slot: int) -> int:
        return int(self._sockets[slot].getsockname()[1])

    async def do(self, what: str, slot: int, **more: Any) -> None:
        await asyncio.gather(*(server.does({"do": what, "slot": slot, **more}) for server in self.servers))

    def end(self) -> None:
        assert self._balancer.stdin is not None
        self._balancer.stdin.close()
        self._balancer.wait(30)
        for server in self.servers:
            server.end()
        for listener in self._sockets:
            listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _balance(self) -> "subprocess.Popen[bytes]":
        program = haproxy()
        assert program is not None, "HAProxy is not installed: run `make balancer`"
        config = self.folder / "haproxy.cfg"
        config.write_text(GLOBAL + "".join(self._section(slot) for slot in range(SLOTS)))
        # The shell ends it when our end of the pipe closes, however we end.
        script = '"$0" -db -q -f "$1" & child=$!; read -r _; kill "$child"; wait "$child"'
        return subprocess.Popen(
            ["sh", "-c", script, program, str(config)],
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno() for listener in self._sockets],
        )

    def _section(self, slot: int) -> str:
        lines = [
            f"frontend front{slot}",
            f"    bind fd@{self._sockets[slot].fileno()}",
            f"    default_backend back{slot}",
            f"backend back{slot}",
            "    balance random(1)",
            *(f"    server s{n} 127.0.0.1:{server.ports[slot]}" for n, server in enumerate(self.servers)),
        ]
        return "\n".join(lines) + "\n"


@cache
def cluster() -> Cluster:
    started = Cluster()
    atexit.register(started.end)
    return started
