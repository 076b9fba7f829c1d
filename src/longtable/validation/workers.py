"""The processes that check cells: started with the first job, kept warm, ended when they are late, and replaced."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Awaitable, Callable, Sequence

from longtable.checkers import framing
from longtable.kernel.background import BackgroundTask, BackgroundTasks
from longtable.kernel.errors import ShuttingDown
from longtable.kernel.logs import logger
from longtable.validation.fair_queue import FairQueue, Job

IDLE_SECONDS = 600.0
"""After this long without a job a worker is ended; the next job starts another."""
MAX_RESPONSE_BYTES = 4 * 1_048_576

_INHERITED_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR")


_KILLED = (1,) if sys.platform == "win32" else (-signal.SIGKILL,)


class WorkerDied(Exception):
    """The process ended before it answered."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.was_killed = code in _KILLED
        self.why = signal.Signals(-code).name if code is not None and code < 0 else f"exit {code}"


class Worker:
    """One process, in a session of its own, so that its children end with it."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process, self._jobs, self._answers = process, process.stdin, process.stdout

    @classmethod
    async def start(cls) -> "Worker":
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-s", "-m", "longtable.checkers.worker"),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            cwd=os.sep,
            env=_environment(),
            start_new_session=True,
        )
        return cls(process)

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    async def request(self, parts: list[bytes]) -> tuple[bytes, bool]:
        """The response, and whether the process should be replaced now."""
        try:
            for part in parts:
                self._jobs.write(part)
            await self._jobs.drain()
            head_length, body_length = framing.PREFIX.unpack(await self._answers.readexactly(framing.PREFIX.size))
            if head_length + body_length > MAX_RESPONSE_BYTES:
                raise ConnectionError("The answer is too long.")
            head: dict[str, bool] = json.loads(await self._answers.readexactly(head_length))
            return await self._answers.readexactly(body_length), head["spent"]
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self.kill()
            raise WorkerDied(await self._process.wait()) from None

    def kill(self) -> None:
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                if sys.platform == "win32":
                    self._process.kill()
                else:
                    os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self) -> None:
        self.kill()
        await self._process.wait()
        self._jobs.close()


def _environment() -> dict[str, str]:
    """No secrets. Our own path, as the isolated mode of Python would not see a package in the folder of a user. And one
    thread for programs that would start one for each processor: the limit of memory holds for them, too."""
    path = os.pathsep.join(os.path.abspath(folder) for folder in sys.path if folder)
    inherited = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
    return {**inherited, "PYTHONPATH": path, "RAYON_NUM_THREADS": "1"}


class Workers:
    """Each slot is a task that keeps one process and runs one job after the other."""

    def __init__(self, count: int, background: BackgroundTasks | None = None) -> None:
        self._background = background or BackgroundTasks()
        self._count = count
        self._queue = FairQueue(count)
        self._slots: list[BackgroundTask] = []
        self._closed = False

    def submit(self, job: Job) -> None:
        if self._closed:
            raise ShuttingDown("The server is stopping.")
        if not self._slots:
            slots = [_WorkerSlot(self._queue, self._queue.next, is_warm=True) for _ in range(self._count)]
            slots.append(_WorkerSlot(self._queue, self._queue.next_in_reserve, is_warm=False))
            self._slots = [self._background.start("validation_worker", slot.run) for slot in slots]
        self._queue.add(job)

    def cancel(self, jobs: Sequence[Job]) -> None:
        """These results are not needed any more. Workers that run such a job are killed."""
        self._queue.drop(jobs)
        for job in jobs:
            if not job.answer.cancel() and not job.answer.cancelled():
                job.answer.exception()
            elif job.stop is not None:
                job.stop()

    async def close(self) -> None:
        self._closed = True
        for slot in self._slots:
            slot.cancel()
        for slot in self._slots:
            await slot.wait()
        for job in self._queue.drain():
            if not job.answer.done():
                job.answer.set_exception(ShuttingDown("The server is stopping."))


class _WorkerSlot:
    """`is_warm` has its process before there is a job; another one starts it with the first."""

    def __init__(self, queue: FairQueue, next_job: Callable[[], Awaitable[Job]], is_warm: bool) -> None:
        self._queue, self._next, self._is_warm = queue, next_job, is_warm
        self._worker: Worker | None = None

    async def run(self) -> None:
        try:
            while True:
                if self._is_warm:
                    with contextlib.suppress(OSError):
                        await self._require_worker()
                job = await self._next_job()
                try:
                    await self._answer(job)
                finally:
                    self._queue.done(job)
        finally:
            await self._end_worker()

    async def _next_job(self) -> Job:
        try:
            async with asyncio.timeout(IDLE_SECONDS):
                return await self._next()
        except TimeoutError:
            await self._end_worker()
            return await self._next()

    async def _answer(self, job: Job) -> None:
        try:
            answer = await self._request(job)
            if answer is not None and not job.answer.done():
                job.answer.set_result(answer)
        except asyncio.CancelledError:
            _fail(job, ShuttingDown("The server is stopping."))
            raise
        except Exception as error:  # noqa: BLE001 - the caller gets it; the slot goes on
            _fail(job, error)
        finally:
            job.stop = None

    async def _request(self, job: Job) -> bytes | None:
        """None when the caller was cancelled."""
        was_killed = False
        while not job.answer.done():
            worker = await self._require_worker()
            job.stop = worker.kill
            seconds = max(job.deadline - asyncio.get_running_loop().time(), 0.0)
            try:
                answer, is_spent = await worker.request(job.parts(seconds))
            except WorkerDied as died:
                await self._end_worker()
                # By another process, perhaps before it had the job: not the fault of the cell.
                if died.was_killed and not was_killed:
                    was_killed = True
                    continue
                raise
            if is_spent:
                await self._end_worker()
            return answer
        return None

    async def _require_worker(self) -> Worker:
        if self._worker is not None and not self._worker.is_alive:
            await self._end_worker()
        if self._worker is None:
            self._worker = await Worker.start()
        return self._worker

    async def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.end()


def _fail(job: Job, error: Exception) -> None:
    """A cancelled job was killed by ourselves; only other failures are logged."""
    if not job.answer.done():
        if isinstance(error, WorkerDied | OSError):
            logger.warning("validation_worker_died", why=getattr(error, "why", type(error).__name__))
        job.answer.set_exception(error)
