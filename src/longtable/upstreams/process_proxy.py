"""Uses the upstreams that a server on the same store runs already; where no server does, starts its own."""

import asyncio
import contextvars
import itertools
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longtable.governance.model import Hints, ToolDefinition, ToolIdentity
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError, NotFound, ToolQuarantined, UpstreamError, UpstreamTimeout
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.mcp_upstream import START_SECONDS
from longtable.upstreams.port import Health, Progress, Upstream, UpstreamCall, UpstreamResult
from longtable.upstreams.process_proxy_server import LONGEST_LINE, program_key

HOST_SECONDS = 10.0
"""How long a worker waits for the process that runs its programs, while that is started again."""
_GRACE_SECONDS = 5.0
_LOOK_SECONDS = 0.05
_FAILURES: dict[str, type[LongtableError]] = {
    failure.code: failure for failure in (UpstreamError, UpstreamTimeout, NotFound, ToolQuarantined)
}


class NoProxyServer(Exception):
    """No server runs here, or it does not have this upstream."""


class ProcessProxy:
    """One connection to the host for all upstreams of this process, opened when it is needed. `patience` is how many
    seconds it may take to come back."""

    def __init__(self, path: Path, *, patience: float = 0.0) -> None:
        self._path = path
        self._patience = patience
        self.states: dict[str, tuple[Health, str | None]] = {}
        self._numbers = itertools.count(1)
        self._asked: dict[int, tuple[asyncio.Future[dict[str, Any]], Progress | None]] = {}
        self._told: list[Callable[[], None]] = []
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    def when_changed(self, told: Callable[[], None]) -> None:
        self._told.append(told)

    async def ask(self, question: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """Raises NobodyLends, or what the upstream raised; answers `gone` when the host ended before it answered."""
        writer = await self._connected()
        number = next(self._numbers)
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = (answered, progress)
        try:
            _write(writer, {"id": number, **question})
            told = await answered
        except asyncio.CancelledError:
            with suppress(NoProxyServer):
                _write(writer, {"id": number, "ask": "cancel"})
            raise
        finally:
            del self._asked[number]
        self._note_state(question["mark"], told)
        return _heard(told)

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is None:
                reader, self._writer = await self._opened()
                # In a context of its own: what the first caller carries with it does not belong to the others.
                self._reading = owned_task(self._read(reader, self._writer), context=contextvars.Context())
            return self._writer

    async def _opened(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        ends = time.monotonic() + self._patience
        while True:
            try:
                return await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
            except (OSError, ValueError):
                if time.monotonic() >= ends:
                    raise NoProxyServer from None
            await asyncio.sleep(_LOOK_SECONDS)

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                await self._take(json.loads(line))
        except (OSError, ValueError):
            return
        finally:
            self._writer = None
            self.states.clear()
            writer.close()
            for answered, _ in self._asked.values():
                if not answered.done():
                    answered.set_result({"gone": True})
            self._tell()

    async def _take(self, message: dict[str, Any]) -> None:
        if message.get("changed"):
            for mark, state in message.get("states", {}).items():
                self._note_state(mark, state)
            self._tell()
            return
        answered, progress = self._asked.get(message["id"], (None, None))
        if answered is None or answered.done():
            return
        if "progress" not in message:
            answered.set_result(message)
        elif progress is not None:
            with suppress(Exception):  # Whoever no longer listens to one call must not end the others.
                await progress(*message["progress"])

    def _note_state(self, mark: str, told: dict[str, Any]) -> None:
        if "health" in told:
            self.states[mark] = (told["health"], told["problem"])

    def _tell(self) -> None:
        for told in self._told:
            told()


class ForbiddenProgram:
    """Stands for a program that this process must not start: it would be a second one."""

    health: Health = "idle"
    problem: str | None = None

    def __init__(self, name: str) -> None:
        self.name = name

    def when_changed(self, told: Callable[[], None]) -> None:
        """Nothing changes here."""

    async def definitions(self) -> Sequence[ToolDefinition]:
        raise self._missing()

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        raise self._missing()

    async def close(self) -> None:
        """There is nothing to close."""

    def _missing(self) -> UpstreamError:
        problem = f"The process that runs {self.name} does not answer."
        return UpstreamError(problem, hint="It is started again; try again in a moment.", upstream=self.name)


class ProxiedUpstream:
    """`own` is used only where no server shares it, and from then on as soon as it was started."""

    def __init__(
        self, own: Upstream, entry: StdioEntry, proxy: ProcessProxy, *, start_seconds: float = START_SECONDS
    ) -> None:
        self._own = own
        self._mark = program_key(entry)
        self._patience = start_seconds + entry.limits.timeout + _GRACE_SECONDS
        self._proxy = proxy
        self._listed: str | None = None
        self._definitions: Sequence[ToolDefinition] = ()

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def health(self) -> Health:
        return self._own.health if self._uses_own else self._state[0]

    @property
    def problem(self) -> str | None:
        return self._own.problem if self._uses_own else self._state[1]

    @property
    def _state(self) -> tuple[Health, str | None]:
        return self._proxy.states.get(self._mark, ("idle", None))

    @property
    def _uses_own(self) -> bool:
        return self._own.health != "idle"

    def when_changed(self, told: Callable[[], None]) -> None:
        self._own.when_changed(told)
        self._proxy.when_changed(told)

    async def definitions(self) -> Sequence[ToolDefinition]:
        """The same object as before when nothing has changed."""
        try:
            told = await self._ask({"ask": "definitions", "known": self._listed})
        except NoProxyServer:
            return await self._own.definitions()
        if "same" not in told:
            self._listed, self._definitions = told["tag"], tuple(_definition(raw) for raw in told["result"])
        return self._definitions

    async def call(self, call: UpstreamCall) -> UpstreamResult:
        question = {"ask": "call", "tool": call.tool, "inputs": dict(call.inputs), "digest": call.digest}
        try:
            told = await self._ask(question, call.progress)
        except NoProxyServer:
            return await self._own.call(call)
        return UpstreamResult(**told["result"])

    async def close(self) -> None:
        await self._own.close()
        await self._proxy.close()

    async def _ask(self, question: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        if self._uses_own:
            raise NoProxyServer
        try:
            # The server has its own limits, which come first. This one is for a server that hangs.
            async with asyncio.timeout(self._patience):
                told = await self._proxy.ask({**question, "mark": self._mark}, progress)
        except TimeoutError:
            problem = f"The server that runs {self.name} did not answer within {self._patience:g} s."
            raise UpstreamTimeout(problem, upstream=self.name, timeout=self._patience) from None
        if "gone" in told:
            raise UpstreamError(f"{self.name} broke off: the process that runs it has gone.", upstream=self.name)
        return told


def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    try:
        writer.write(json.dumps(message).encode() + b"\n")
    except (OSError, RuntimeError):  # The second is what uvloop raises for a socket that is closed already.
        raise NoProxyServer from None


def _heard(told: dict[str, Any]) -> dict[str, Any]:
    if "none" in told:
        raise NoProxyServer
    if "error" in told:
        error = told["error"]
        raise _FAILURES.get(error["code"], UpstreamError)(error["message"], **error["details"])
    return told


def _definition(raw: dict[str, Any]) -> ToolDefinition:
    return ToolDefinition(**{**raw, "identity": ToolIdentity(**raw["identity"]), "hints": Hints(**raw["hints"])})
