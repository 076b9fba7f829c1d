"""Real clients as processes of their own, and what they tell of."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # the package has no types

from tests.conformance.node import node

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools" / "clients"
PACKAGES = TOOLS / "node"
DRIVERS = Path(__file__).parent / "drivers"
LIMIT = 120.0
"""A busy machine takes its time, and a client waits some seconds before it opens a lost stream again."""


def _python(environment: Path, driver: str) -> Callable[[], list[str]]:
    return lambda: [str(environment), str(DRIVERS / driver)]


def _node(driver: str) -> Callable[[], list[str]]:
    return lambda: [node(), str(DRIVERS / driver)]


@dataclass(frozen=True)
class ClientKind:
    """A client that people use. `hears_events` is false for one that drops notifications it does not know."""

    name: str
    command: Callable[[], list[str]]
    hears_events: bool = True
    is_behind_a_proxy: bool = False


KINDS = {
    kind.name: kind
    for kind in (
        ClientKind("python-1", _python(TOOLS / "python-1" / "bin" / "python", "python_1.py"), hears_events=False),
        ClientKind("python-2", _python(Path(sys.executable), "python_2.py")),
        ClientKind("fastmcp", _python(TOOLS / "fastmcp" / "bin" / "python", "fastmcp_4.py")),
        ClientKind("typescript-1", _node("typescript_1.mjs")),
        ClientKind("typescript-2", _node("typescript_2.mjs")),
        ClientKind("mcp-remote", _node("typescript_1.mjs"), is_behind_a_proxy=True),
    )
}


@dataclass
class RunningClient:
    """`facts` is everything that it said, in order."""

    kind: ClientKind
    process: asyncio.subprocess.Process
    log: Path
    facts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def session_id(self) -> str:
        return f"of-{self.kind.name}"

    def all(self, at: str) -> list[dict[str, Any]]:
        return [fact for fact in self.facts if fact["at"] == at]

    def count(self, at: str) -> int:
        return len(self.all(at))

    @property
    def heard(self) -> set[int]:
        """The numbers of the events that it was told of."""
        return {fact["seq"] for fact in self.all("event")}

    async def until(self, holds: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(LIMIT):
                while not holds():
                    assert not self.all("refused"), f"{self.kind.name} was refused:\n{self.story()}"
                    assert self.process.returncode is None, f"{self.kind.name} is gone:\n{self.story()}"
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"{self.kind.name}: {what} did not happen:\n{self.story()}") from None

    async def tells(self, word: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(word.encode() + b"\n")
        await self.process.stdin.drain()

    async def pauses(self) -> None:
        before = self.count("paused")
        await self.tells("pause")
        await self.until(lambda: self.count("paused") > before, "a pause")

    async def goes_on(self) -> None:
        """Returns after the next call that succeeds."""
        before = self.count("called")
        await self.tells("go")
        await self.until(lambda: self.count("called") > before, "another call")

    def stands_still(self) -> None:
        for process in self._processes():
            process.suspend()

    def moves_again(self) -> None:
        for process in self._processes():
            process.resume()

    def _processes(self) -> list[psutil.Process]:
        """Its own, and those that it has started."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]

    async def ends(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(LIMIT):
            await self.process.wait()

    def story(self) -> str:
        """The end of what it told, for a person who wonders why."""
        lines = [json.dumps(fact) for fact in self.facts[-30:]]
        return "\n".join([*lines, *self.log.read_text(errors="replace").splitlines()[-15:]])

    async def listen(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            if line.startswith(b"{"):
                self.facts.append(json.loads(line))


@asynccontextmanager
async def running(kind: ClientKind, url: str, folder: Path) -> AsyncIterator[RunningClient]:
    """Connected, in a session of its own, subscribed and calling."""
    log = folder / f"{kind.name}.log"
    config: dict[str, Any] = {"url": url, "name": kind.name, "session_id": f"of-{kind.name}"}
    if kind.is_behind_a_proxy:
        proxy = PACKAGES / "node_modules" / "mcp-remote" / "dist" / "proxy.js"
        config["through"] = [str(proxy), url, "--transport", "http-only"]
    with log.open("w") as errors:
        process = await asyncio.create_subprocess_exec(
            # While they try to come back, the service that starts again goes first.
            *("nice", "-n", "5", *kind.command()),
            json.dumps(config),
            cwd=folder,
            env={**os.environ, "CLIENT_PACKAGES": str(PACKAGES), "HOME": str(folder), "PYTHONPATH": ""},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
    client = RunningClient(kind, process, log)
    listening = asyncio.ensure_future(client.listen())
    try:
        yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await listening
