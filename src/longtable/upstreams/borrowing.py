"""Uses the upstreams that a server on the same store runs already; where nobody lends them, starts its own."""

import asyncio
import contextvars
import itertools
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from longtable.governance.model import Definition, Hints, Identity
from longtable.kernel.background import owned_task
from longtable.kernel.errors import LongtableError, NotFound, ToolQuarantined, UpstreamError, UpstreamTimeout
from longtable.upstreams.entries import StdioEntry
from longtable.upstreams.lending import LONGEST_LINE, mark_of
from longtable.upstreams.mcp_upstream import START_SECONDS
from longtable.upstreams.port import Answer, Health, Progress, Upstream, UpstreamCall

_GRACE_SECONDS = 5.0
_FAILURES: dict[str, type[LongtableError]] = {
    failure.code: failure for failure in (UpstreamError, UpstreamTimeout, NotFound, ToolQuarantined)
}


class NobodyLends(Exception):
    """No server runs here, or it does not have this upstream."""


class Borrower:
    """One line to the server for all upstreams of this process, opened when it is needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._numbers = itertools.count(1)
        self._asked: dict[int, tuple[asyncio.Future[dict[str, Any]], Progress | None]] = {}
        self._told: list[Callable[[], None]] = []
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    def when_changed(self, told: Callable[[], None]) -> None:
        self._told.append(told)

    async def ask(self, question: dict[str, Any], progress: Progress | None = None) -> dict[str, Any]:
        """Raises NobodyLends, what the upstream raised, or UpstreamError when the server is gone before it answers."""
        writer = await self._connected()
        number = next(self._numbers)
        answered: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[number] = (answered, progress)
        try:
            _write(writer, {"id": number, **question})
            return _heard(await answered)
        except asyncio.CancelledError:
            with suppress(NobodyLends):
                _write(writer, {"id": number, "ask": "cancel"})
            raise
        finally:
            del self._asked[number]

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait({self._reading})

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is None:
                try:
                    reader, self._writer = await asyncio.open_unix_connection(self._path, limit=LONGEST_LINE)
                except (OSError, ValueError):
                    raise NobodyLends from None
                # In a context of its own: what the first caller carries with it does not belong to the others.
                self._reading = owned_task(self._read(reader, self._writer), context=contextvars.Context())
            return self._writer

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                await self._take(json.loads(line))
        except (OSError, ValueError):
            return
        finally:
            self._writer = None
            writer.close()
            for answered, _ in self._asked.values():
                if not answered.done():
                    answered.set_result({"gone": True})
            self._tell()

    async def _take(self, message: dict[str, Any]) -> None:
        if message.get("changed"):
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

    def _tell(self) -> None:
        for told in self._told:
            told()


class BorrowedUpstream:
    """`own` is started only where nobody lends; from then on it is used."""

    def __init__(
        self, own: Upstream, entry: StdioEntry, borrower: Borrower, *, start_seconds: float = START_SECONDS
    ) -> None:
        self._own = own
        self._mark = mark_of(entry)
        self._patience = start_seconds + entry.caps.timeout + _GRACE_SECONDS
        self._borrower = borrower
        self._health: Health = "idle"
        self._problem: str | None = None
        self._listed: list[Any] | None = None
        self._definitions: Sequence[Definition] = ()

    @property
    def name(self) -> str:
        return self._own.name

    @property
    def health(self) -> Health:
        return self._own.health if self._uses_own else self._health

    @property
    def problem(self) -> str | None:
        return self._own.problem if self._uses_own else self._problem

    @property
    def _uses_own(self) -> bool:
        return self._own.health != "idle"

    def when_changed(self, told: Callable[[], None]) -> None:
        self._own.when_changed(told)
        self._borrower.when_changed(told)

    async def definitions(self) -> Sequence[Definition]:
        """The same object as before when nothing has changed."""
        try:
            listed = await self._ask({"ask": "definitions"})
        except NobodyLends:
            return await self._own.definitions()
        if listed != self._listed:
            self._listed, self._definitions = listed, tuple(_definition(raw) for raw in listed)
        return self._definitions

    async def call(self, call: UpstreamCall) -> Answer:
        question = {"ask": "call", "tool": call.tool, "inputs": dict(call.inputs), "digest": call.digest}
        try:
            answer = await self._ask(question, call.progress)
        except NobodyLends:
            return await self._own.call(call)
        return Answer(**answer)

    async def close(self) -> None:
        await self._own.close()
        await self._borrower.close()

    async def _ask(self, question: dict[str, Any], progress: Progress | None = None) -> Any:
        if self._uses_own:
            raise NobodyLends
        try:
            # The server has its own limits, which come first. This one is for a server that hangs.
            async with asyncio.timeout(self._patience):
                told = await self._borrower.ask({**question, "mark": self._mark}, progress)
        except TimeoutError:
            problem = f"The server that runs {self.name} did not answer within {self._patience:g} s."
            raise UpstreamTimeout(problem, upstream=self.name, timeout=self._patience) from None
        if "gone" in told:
            self._health = "idle"
            raise UpstreamError(f"{self.name} broke off: the server that runs it has gone.", upstream=self.name)
        self._health, self._problem = told["health"], told["problem"]
        return told["result"]


def _write(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    try:
        writer.write(json.dumps(message).encode() + b"\n")
    except (OSError, RuntimeError):  # The second is what uvloop raises for a socket that is closed already.
        raise NobodyLends from None


def _heard(told: dict[str, Any]) -> dict[str, Any]:
    if "none" in told:
        raise NobodyLends
    if "error" in told:
        error = told["error"]
        raise _FAILURES.get(error["code"], UpstreamError)(error["message"], **error["details"])
    return told


def _definition(raw: dict[str, Any]) -> Definition:
    return Definition(**{**raw, "identity": Identity(**raw["identity"]), "hints": Hints(**raw["hints"])})
