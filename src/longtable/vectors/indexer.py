"""Embeds queued texts: in the background, in small batches, each tenant in turn, by one process of a store."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from longtable.fulltext.index import DocumentKey
from longtable.kernel.clock import Clock
from longtable.kernel.errors import LongtableError, SearchUnavailable
from longtable.kernel.logs import logger
from longtable.storage import leases
from longtable.storage.database import SYSTEM, Transaction
from longtable.vectors import queue
from longtable.vectors.ports import TextEmbedder
from longtable.vectors.queue import BatchRequest, QueuedDocument
from longtable.vectors.store import Embedded, VectorStore
from longtable.vectors.texts import IndexedTexts, read_documents

_EACH: Final = 16
_ALL: Final = 32
_CHARACTERS: Final = 32_000
"""In one batch: less than a second of work."""
_POLL_SECONDS: Final = 30.0
_LEASE_RETRY_SECONDS: Final = 0.5
_LEASE_IDLE_SECONDS: Final = 0.5
"""How long an idle process keeps the lease. Another one waits at most this long for it."""
_RETRY_SECONDS: Final = 5.0
_DEBOUNCE_SECONDS: Final = 0.02
_FIRST_RETRY: Final = 10.0
_LAST_RETRY: Final = 3600.0


class Indexer:
    """`wake` it after every commit; `run` until cancelled. What it does is safe on many processes at once."""

    def __init__(
        self,
        store: VectorStore,
        worker: TextEmbedder,
        texts: Mapping[str, IndexedTexts],
        clock: Clock,
        max_backlog: int = 100_000,
    ) -> None:
        self._store = store
        self._database = store.database
        self._worker = worker
        self._texts = texts
        self._clock = clock
        self._max_backlog = max_backlog
        self._lease = queue.lease_of(secrets.token_hex(8))
        self._has_lease = False
        self._worked_at = 0.0
        self._tenant = ""
        self._is_woken = asyncio.Event()
        self.wake = self._is_woken.set
        self._has_checked_version = False
        self._logged_delay: str | None = None
        self._postponed: dict[int, tuple[float, float]] = {}

    async def run(self) -> None:
        pause = 0.0
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._is_woken.wait()
            # Commits come in bursts: one step for all of them.
            await asyncio.sleep(_DEBOUNCE_SECONDS)
            self._is_woken.clear()
            pause = await self._run_step()

    async def close(self) -> None:
        """Releases the lease, so that another process need not wait for its end."""
        if self._has_lease:
            self._has_lease = False
            with contextlib.suppress(LongtableError):
                await self._database.write(SYSTEM, lambda tx: leases.release(tx, self._lease))

    async def drain(self, report: Callable[[int], None]) -> None:
        """Until the queue is empty; reports its length on the way. Raises SearchUnavailable."""
        while waiting := await self.waiting():
            report(waiting)
            if self._worker.problem or not await self._store.prepare():
                raise SearchUnavailable(self._worker.problem or self._store.problem or "The store keeps no vectors.")
            await asyncio.sleep(min(await self._step(), _LEASE_RETRY_SECONDS))

    async def waiting(self) -> int:
        """How many texts are queued; 0 while search by meaning is off."""
        if self._worker.state == "off":
            return 0
        return await self._database.read(SYSTEM, queue.count)

    async def requeue_outdated(self) -> None:
        """Queues everything again that another model has embedded."""
        version = self._worker.version
        if self._worker.state == "off" or version is None:
            return
        embedder = await self._store.embedder(version)
        while found := await self._database.read(SYSTEM, lambda tx: queue.outdated(tx, embedder)):
            await self._database.write(SYSTEM, partial(queue.requeue, documents=found))
            self.wake()
        self._has_checked_version = True

    async def _run_step(self) -> float:
        """Runs one step, and returns how many seconds to pause, unless woken."""
        try:
            pause = await self._step()
            self._logged_delay = None
            return pause
        except LongtableError as error:
            # Once, however often it is tried again. That the model is down was logged by who noticed it.
            if self._worker.problem is None and error.message != self._logged_delay:
                self._logged_delay = error.message
                await _log("embedding_delayed", code=error.code, reason=error.message)
        except Exception as error:  # noqa: BLE001 - one bad batch must not stop all others
            await asyncio.to_thread(logger.failed, "embedding_failed", error)
        return _RETRY_SECONDS

    async def _step(self) -> float:
        if self._worker.state == "off" or not await self._store.prepare():
            return _POLL_SECONDS
        if self._worker.state == "failed":
            self._worker.start()
            if self._worker.problem is not None:
                return _RETRY_SECONDS
        if not self._has_checked_version:
            await self._check_version()
        batch = await self._take()
        if not batch:
            return await self._idle()
        if not await self._acquire_lease():
            return _LEASE_RETRY_SECONDS
        for part in _parts(await self._read(batch)):
            await self._embed(part)
        self._tenant = batch[-1].tenant
        self._worked_at = time.monotonic()
        return 0.0

    async def _idle(self) -> float:
        kept = self._worked_at + _LEASE_IDLE_SECONDS - time.monotonic()
        if self._has_lease and kept > 0:
            return kept
        await self.close()
        return _POLL_SECONDS

    async def _check_version(self) -> None:
        """After a start: the model may be another one than the last time."""
        if self._worker.version is None and await self._database.read(SYSTEM, queue.any_embedded):
            # Only a loaded model knows its version.
            await self._worker.embed_documents(["version"])
        await self.requeue_outdated()
        backlog = await self.waiting()
        if backlog > self._max_backlog:
            await _log("embedding_backlog", waiting=backlog, limit=self._max_backlog)

    async def _take(self) -> list[QueuedDocument]:
        now = time.monotonic()
        postponed = {document_id for document_id, (until, _) in self._postponed.items() if until > now}
        request = BatchRequest(self._tenant, _EACH, _ALL)
        return await self._database.read(SYSTEM, lambda tx: queue.take(tx, request, postponed))

    async def _acquire_lease(self) -> bool:
        if not self._has_lease and self._worker.state == "idle":
            # Another process may have its model loaded already: that is faster, and saves memory.
            await asyncio.sleep(_LEASE_RETRY_SECONDS)
            if not await self._take():
                return False
        self._has_lease = await self._database.write(SYSTEM, lambda tx: leases.claim(tx, self._lease, self._clock()))
        return self._has_lease

    async def _read(self, batch: Sequence[QueuedDocument]) -> list[tuple[QueuedDocument, str]]:
        found: list[tuple[QueuedDocument, str]] = []
        for tenant in dict.fromkeys(waiting.tenant for waiting in batch):
            own = [waiting for waiting in batch if waiting.tenant == tenant]
            texts = await self._database.read(tenant, partial(self._read_texts, batch=own))
            found += zip(own, texts, strict=True)
        return found

    async def _read_texts(self, tx: Transaction, batch: Sequence[QueuedDocument]) -> list[str]:
        keys = [DocumentKey(waiting.kind, waiting.session_id, waiting.ref) for waiting in batch]
        found = await read_documents(tx, self._texts, keys)
        return [found[key].text if key in found else "" for key in keys]

    async def _embed(self, part: Sequence[tuple[QueuedDocument, str]]) -> None:
        try:
            vectors = await self._worker.embed_documents([text for _, text in part])
        except SearchUnavailable:
            if self._worker.problem is not None:
                raise
            # The model works, so it is one of these texts: each by itself, that one later.
            if len(part) == 1:
                self._postpone(part[0][0])
                return
            for one in part:
                await self._embed([one])
            return
        done = [
            Embedded(waiting.tenant, waiting.document_id, chunks)
            for (waiting, _), chunks in zip(part, vectors, strict=True)
        ]
        await self._write(done)

    async def _write(self, done: Sequence[Embedded]) -> None:
        version = self._worker.version
        assert version is not None
        embedder = await self._store.register(version)

        async def body(tx: Transaction) -> None:
            await self._store.save(tx, embedder, done)
            await leases.claim(tx, self._lease, self._clock())

        await self._database.write(SYSTEM, body)
        for text in done:
            self._postponed.pop(text.document_id, None)

    def _postpone(self, waiting: QueuedDocument) -> None:
        _, last = self._postponed.get(waiting.document_id, (0.0, 0.0))
        pause = min(max(_FIRST_RETRY, 4 * last), _LAST_RETRY)
        self._postponed[waiting.document_id] = (time.monotonic() + pause, pause)


def _parts(texts: Sequence[tuple[QueuedDocument, str]]) -> Iterator[list[tuple[QueuedDocument, str]]]:
    part: list[tuple[QueuedDocument, str]] = []
    characters = 0
    for waiting, text in texts:
        if part and characters + len(text) > _CHARACTERS:
            yield part
            part, characters = [], 0
        part.append((waiting, text))
        characters += len(text)
    if part:
        yield part


async def _log(event: str, **fields: str | int) -> None:
    # The first line that a process logs loads a library, for 200 ms: not on the event loop.
    await asyncio.to_thread(partial(logger.warning, event, **fields))
