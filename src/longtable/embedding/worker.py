"""Vectors for the server, computed in another process: loaded at the first need, queries before everything else."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any, Literal

from longtable.embedding.chunks import MAX_CHARACTERS, EmbeddedChunk, TokenChunk, batches
from longtable.embedding.files import model_files
from longtable.embedding.frames import Frame
from longtable.embedding.process import ModelProcess, ProcessEnded
from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.clock import SECOND
from longtable.kernel.errors import LongtableError, SearchUnavailable, ShuttingDown
from longtable.kernel.logs import logger
from longtable.settings.options import Settings

State = Literal["off", "idle", "loading", "ready", "failed"]

VECTOR_BYTES = 4 * 384
_QUERY, _PASSAGE = 0, 1
_TRIES = 2
_RETRY_SECONDS = 60.0
_RELOAD_SECONDS = 3.0
"""How long a query waits for a model that has worked before and ended when it was idle."""
_CACHED = 512
_OFF = "Search by meaning is switched off. Set enable_semantic_search to true."


@dataclass(order=True, slots=True)
class _EmbedRequest:
    urgency: int
    number: int
    message: dict[str, Any] = field(compare=False)
    answer: "asyncio.Future[Frame]" = field(compare=False)
    tries: int = field(default=0, compare=False)


class EmbeddingWorker:
    """A vector is 384 little-endian 32-bit floats of length 1, as bytes. All methods are for one event loop."""

    def __init__(self, settings: Settings, background: BackgroundTasks | None = None) -> None:
        self._background = background or BackgroundTasks()
        self._folder = settings.embedding_model
        self._idle_seconds = settings.embedding_idle / SECOND
        self._state: State = "idle" if settings.enable_semantic_search else "off"
        self.problem: str | None = None if settings.enable_semantic_search else _OFF
        """Why there are no vectors, with the remedy, when the state is `off` or `failed`."""
        self._files = model_files(self._folder)
        self._version = self._files.known_version()
        self._failed_at = 0.0
        self._logged_problem: str | None = None
        self._has_worked = False
        self._process: ModelProcess | None = None
        self._running: BackgroundTask | None = None
        self._waiting: asyncio.PriorityQueue[_EmbedRequest] = asyncio.PriorityQueue()
        self._current: _EmbedRequest | None = None
        self._numbers = count()
        self._queries: OrderedDict[tuple[str | None, str], bytes] = OrderedDict()

    @property
    def state(self) -> State:
        return self._state

    @property
    def version(self) -> str | None:
        """Name and digest of the model. For a model in a folder it is known once it is loaded."""
        return self._version

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def memory_bytes(self) -> int:
        """What the process of the model occupies; 0 without one, or where the system does not tell."""
        return self._process.memory_bytes if self._process else 0

    def start(self) -> None:
        """Begin to load, if that has not been done. After a failure it is tried again, but not within a minute."""
        if self._state == "failed" and time.monotonic() - self._failed_at >= _RETRY_SECONDS:
            self._state = "idle"
        if self._state != "idle":
            return
        missing = self._files.missing()
        if missing is not None:
            self._fail(missing)
            return
        self._state, self.problem = "loading", None
        self._running = self._background.start("embedding", self._run)

    async def embed_query(self, text: str) -> bytes | None:
        """None while the model is not ready, which starts to load it; one that has worked before is waited for.
        Raises SearchUnavailable if it fails."""
        key = (self._version, text)
        if key in self._queries:
            self._queries.move_to_end(key)
            return self._queries[key]
        self.start()
        if self._state != "ready" and not (self._state == "loading" and self._has_worked):
            return None
        try:
            async with asyncio.timeout(None if self._state == "ready" else _RELOAD_SECONDS):
                _, vector = await self._request(_QUERY, {"query": text[:MAX_CHARACTERS]})
        except TimeoutError:
            return None
        self._queries[self._version, text] = vector
        if len(self._queries) > _CACHED:
            self._queries.popitem(last=False)
        return vector

    async def embed_documents(self, texts: Sequence[str]) -> list[list[EmbeddedChunk]]:
        """The chunks of each text; none for a text without words. Waits until the model is loaded. Raises
        SearchUnavailable, with the remedy."""
        cut = [await self._cut(text) for text in texts]
        chunks = [chunk for of_text in cut for chunk in of_text]
        vectors: dict[int, bytes] = {}
        for batch in batches([len(chunk.ids) for chunk in chunks]):
            _, body = await self._request(_PASSAGE, {"ids": [chunks[index].ids for index in batch]})
            for row, index in enumerate(batch):
                vectors[index] = body[row * VECTOR_BYTES : (row + 1) * VECTOR_BYTES]
        indexes = count()
        return [[EmbeddedChunk(chunk.start, chunk.end, vectors[next(indexes)]) for chunk in of_text] for of_text in cut]

    async def close(self) -> None:
        """Ends the process. Waiting callers get ShuttingDown."""
        self._state, self.problem = "off", "The server is stopping."
        if self._running is not None:
            await self._running.stop()
        self._fail_all(ShuttingDown("The server is stopping."))

    async def _cut(self, text: str) -> list[TokenChunk]:
        answer, _ = await self._request(_PASSAGE, {"cut": text[:MAX_CHARACTERS]})
        return [TokenChunk(*chunk) for chunk in answer["chunks"]]

    async def _request(self, urgency: int, message: dict[str, Any]) -> Frame:
        self.start()
        if self.problem is not None:
            raise SearchUnavailable(self.problem)
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait(_EmbedRequest(urgency, next(self._numbers), message, answer))
        return await answer

    async def _run(self) -> None:
        """This task is not awaited: errors go to the callers that wait for a response."""
        self._current = None
        try:
            while True:
                if self._process is None:
                    await self._load()
                self._current = await self._next_request()
                if self._current is not None:
                    await self._serve(self._current)
                elif await self._has_ended_idle():
                    return
        except SearchUnavailable as error:
            self._fail(error.message)
        except Exception:
            # Started again soon; without this, current callers would wait for ever.
            self._state = "loading"
            self._fail_all(SearchUnavailable("Search by meaning has failed; the log says why."))
            raise
        finally:
            await self._stop_process()

    async def _next_request(self) -> _EmbedRequest | None:
        """None when there was none for `embedding_idle`."""
        try:
            async with asyncio.timeout(self._idle_seconds):
                return await self._waiting.get()
        except TimeoutError:
            return None

    async def _has_ended_idle(self) -> bool:
        """Ends the process, which gives its memory back, unless a request came meanwhile."""
        self._state = "loading"
        await self._stop_process()
        if not self._waiting.empty():
            return False
        self._state = "idle"
        return True

    async def _load(self) -> None:
        try:
            self._process = await ModelProcess.open(self._folder)
        except ProcessEnded as error:
            raise SearchUnavailable(f"{error} It was loading the model.", hint="Is there enough memory?") from error
        self._version = self._process.version
        self._state, self._has_worked = "ready", True
        if self._logged_problem is not None:
            self._logged_problem = None
            _log(partial(logger.info, "embedding_available"))

    async def _serve(self, request: _EmbedRequest) -> None:
        assert self._process is not None
        if request.answer.done():
            return
        try:
            answer = await self._process.request(request.message)
        except ProcessEnded as error:
            _log(partial(logger.warning, "embedding_process_ended", reason=str(error)))
            self._state = "loading"
            await self._stop_process()
            self._retry(request)
        else:
            if not request.answer.done():
                request.answer.set_result(answer)

    def _retry(self, request: _EmbedRequest) -> None:
        request.tries += 1
        if request.tries < _TRIES:
            self._waiting.put_nowait(request)
        elif not request.answer.done():
            # It may be this text that ends the process; others go on without it.
            request.answer.set_exception(SearchUnavailable("The model broke down on this text, twice."))

    async def _stop_process(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.stop()

    def _fail(self, problem: str) -> None:
        self._state, self.problem, self._failed_at = "failed", problem, time.monotonic()
        if problem != self._logged_problem:
            # Once, however often it is tried again.
            self._logged_problem = problem
            _log(partial(logger.warning, "embedding_unavailable", reason=problem))
        self._fail_all(SearchUnavailable(problem))

    def _fail_all(self, error: LongtableError) -> None:
        failed = [self._current] if self._current else []
        while not self._waiting.empty():
            failed.append(self._waiting.get_nowait())
        for request in failed:
            if not request.answer.done():
                request.answer.set_exception(error)


def _log(write: Callable[[], None]) -> None:
    # The first line that a process logs loads a library, for 200 ms: not on the event loop.
    asyncio.get_running_loop().run_in_executor(None, write)
