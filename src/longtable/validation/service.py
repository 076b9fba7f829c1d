"""Checks cells for a request: all of them within its time, or none."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

from longtable.checkers import framing, work
from longtable.kernel.background import BackgroundTasks
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import ValidationTimeout
from longtable.settings.options import Settings
from longtable.validation.cache import Cache
from longtable.validation.fair_queue import Job
from longtable.validation.model import ValidationResult, result_of
from longtable.validation.workers import WorkerDied, Workers

CACHE_BYTES = 16 * 1_048_576

PendingCheck = Job | dict[str, Any]
"""The job of a worker, or the result where no worker is needed."""


@dataclass(frozen=True, slots=True)
class CellToCheck:
    index: int
    cell_id: str
    language: str
    content: str
    schema: Any = None
    filename: str | None = None
    """Its extension selects the dialect of the language."""


@dataclass(frozen=True, slots=True)
class SharedSchema:
    """One of the scratchpad's registry."""

    id: str
    name: str
    schema: Any


@dataclass(frozen=True, slots=True)
class ValidationLimits:
    """`seconds` covers a whole request; larger cells than `max_bytes` are never parsed (0: any are)."""

    seconds: float = 10.0
    workers: int = 2
    max_bytes: int = 1_048_576
    cache_bytes: int = CACHE_BYTES

    @classmethod
    def of(cls, settings: Settings) -> "ValidationLimits":
        return cls(
            seconds=settings.validation_request_timeout / SECOND,
            workers=settings.validation_workers,
            max_bytes=settings.max_cell_bytes,
        )


class Validation:
    def __init__(self, limits: ValidationLimits, background: BackgroundTasks | None = None) -> None:
        self._limits = limits
        self._cache = Cache(limits.cache_bytes)
        self._workers = Workers(limits.workers, background)

    async def check(
        self, cells: Sequence[CellToCheck], shared: Sequence[SharedSchema] = (), party: str | None = None
    ) -> list[ValidationResult]:
        """`party` shares the workers fairly: requests of one party take turns; without one a request is its own party.
        Raises ValidationTimeout when not all cells are checked in time: there are no partial results."""
        async with self._request(party) as request:
            known = await _encoded(shared) if any(cell.schema is not None for cell in cells) else b"[]"
            checks = [await self._submit(request, cell, known) for cell in cells]
            return [
                result_of(cell.index, cell.cell_id, cell.language, await request.wait_for(check, work.failed))
                for cell, check in zip(cells, checks, strict=True)
            ]

    async def problem_of_schema(self, schema: Any) -> str | None:
        """Why a value is no JSON Schema, in words; None when it is one. Raises ValidationTimeout."""
        async with self._request(None) as request:
            try:
                check = request.submit(b'"kind":"schema","schema":%s' % framing.to_json(schema), "")
            except RecursionError:
                return "It is nested too deeply"
            answer = await request.wait_for(check, work.failed_schema)
        problem: str | None = answer["problem"]
        return problem

    async def close(self) -> None:
        await self._workers.close()

    @asynccontextmanager
    async def _request(self, party: str | None) -> AsyncIterator["_CheckRequest"]:
        seconds = self._limits.seconds
        request = _CheckRequest(self._workers, self._cache, asyncio.get_running_loop().time() + seconds, party)
        try:
            async with asyncio.timeout_at(request.deadline):
                yield request
        except TimeoutError:
            raise ValidationTimeout(
                f"Validation took longer than {seconds:g} s.",
                hint="Nothing is said about any cell. Check fewer at once, or shorter ones.",
                seconds=seconds,
            ) from None
        finally:
            request.end()

    async def _submit(self, request: "_CheckRequest", cell: CellToCheck, known: bytes) -> PendingCheck:
        # One cell is quick, a thousand are not: let the event loop run in between.
        await asyncio.sleep(0)
        if cell.language == "txt":
            return work.run({"kind": "cell", "language": "txt", "content": "", "schema": cell.schema})
        if 0 < self._limits.max_bytes < _size(cell.content):
            return work.unchecked(f"A cell of more than {self._limits.max_bytes} bytes is not checked.")
        head = b'"kind":"cell","language":%s' % framing.to_json(cell.language)
        if cell.filename is not None:
            head += b',"filename":%s' % framing.to_json(cell.filename)
        if cell.schema is not None:
            try:
                head += b',"schema":%s,"shared":%s' % (framing.to_json(cell.schema), known)
            except RecursionError:
                return work.failed("the schema is nested too deeply")
        return request.submit(head, cell.content)


class _CheckRequest:
    """The jobs of one request. Equal ones run once."""

    def __init__(self, workers: Workers, cache: Cache, deadline: float, party: str | None) -> None:
        self.deadline = deadline
        self._workers, self._cache = workers, cache
        self._party = party if party is not None else self
        self._jobs: dict[bytes, Job] = {}

    def submit(self, head: bytes, content: str) -> PendingCheck:
        key = _digest(head, content)
        known = self._cache.get(key)
        if known is not None:
            answer: dict[str, Any] = json.loads(known)
            return answer
        if key not in self._jobs:
            job = Job(self._party, key, partial(_frame, head, content), self.deadline)
            self._workers.submit(job)
            self._jobs[key] = job
        return self._jobs[key]

    async def wait_for(self, check: PendingCheck, failed: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
        if isinstance(check, dict):
            await asyncio.sleep(0)
            return check
        try:
            written = await check.answer
        except WorkerDied as died:
            return failed(died.why)
        except OSError as error:
            return failed(type(error).__name__)
        answer: dict[str, Any] = json.loads(written)
        if not work.has_failed(answer):
            self._cache.put(check.key, written)
        return answer

    def end(self) -> None:
        self._workers.cancel(list(self._jobs.values()))


def _frame(head: bytes, content: str, seconds: float) -> list[bytes]:
    return framing.encode(b'{"seconds":%.3f,%s}' % (seconds, head), framing.to_bytes(content))


def _digest(head: bytes, content: str) -> bytes:
    digest = blake2b(len(head).to_bytes(8), digest_size=32)
    digest.update(head)
    digest.update(framing.to_bytes(content))
    return digest.digest()


def _size(content: str) -> int:
    return len(content) if content.isascii() else len(framing.to_bytes(content))


async def _encoded(shared: Sequence[SharedSchema]) -> bytes:
    written = []
    for one in shared:
        await asyncio.sleep(0)
        # A schema that is nested too deeply to be encoded counts as missing.
        with contextlib.suppress(RecursionError):
            written.append(framing.to_json({"id": one.id, "name": one.name, "schema": one.schema}))
    return b"[%s]" % b",".join(written)
