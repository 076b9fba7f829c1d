"""Owns the listening sockets and never serves. Its workers inherit the sockets; it starts them, replaces those that
die, replaces all of them one by one on SIGHUP, and ends them. The sockets stay open meanwhile: nobody is refused.

It has no event loop and loads next to nothing: what never serves should take no time, no memory and no risk."""

import os
import selectors
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from longtable.kernel.clock import SECOND
from longtable.kernel.logs import logger
from longtable.server.child_process import ChildProcess
from longtable.server.host_process import HostProcess
from longtable.server.private_folder import PrivateFolder
from longtable.server.restart_pause import RestartPause
from longtable.server.running_servers import noted
from longtable.server.sockets import address_of, close_sockets
from longtable.settings.options import Settings

WORKER = "longtable.cli.worker"
READY_SECONDS = 120.0
"""A worker that is not ready by then is given up."""
STOP_SECONDS = 12.0
"""Beyond `shutdown_timeout`: what a worker needs besides to end everything."""
_TICK = 0.2

Flags = Mapping[str, str | list[str]]


@dataclass(frozen=True, slots=True)
class ServePlan:
    """What to serve: `flags` are those of the command line, which every worker reads again with the rest of the
    configuration. `announces` says whether to print the address for a person at a terminal."""

    settings: Settings
    flags: Flags
    announces: bool = False
    as_json: bool = False


@dataclass(slots=True)
class _ServingWorker:
    """`number` is the least that no other living worker has; `generation` grows with each SIGHUP."""

    number: int
    generation: int
    process: ChildProcess
    retired: bool = False
    greeted: bool = False


class Supervisor:
    def __init__(self, plan: ServePlan, sockets: Sequence[socket.socket]) -> None:
        self._plan = plan
        self._sockets = list(sockets)
        self._address = address_of(sockets[0])
        self._workers: list[_ServingWorker] = []
        self._generation = 0
        self._started = False
        self._pause = RestartPause()
        self._next_start = 0.0
        self._stop_signals = 0
        self._stopping_since: float | None = None
        self._terminal = sys.stdin.fileno() if sys.stdin is not None and sys.stdin.isatty() else None
        self._selector = selectors.DefaultSelector()
        self._since = time.monotonic()
        self._folder = PrivateFolder()
        self._host: HostProcess | None = None
        self._host_generation = 0
        self._listens_for_demand = False
        self._is_replacing = False

    def run(self) -> int:
        """Returns the exit code when everything has ended."""
        try:
            with self._handling_signals(), noted(self._plan.settings.data_dir, self._address):
                self._prepare()
                self._start_worker()
                while (code := self._step()) is None:
                    pass
            return code
        finally:
            self._end_at_once()
            close_sockets(self._sockets, self._plan.settings)
            self._folder.remove()

    def _prepare(self) -> None:
        self._host = HostProcess(self._folder.path, self._plan.flags)
        if self._plan.settings.gateway_config is not None:
            self._host.start()
        else:
            self._host.settle()

    def _step(self) -> int | None:
        for key, _ in self._selector.select(_TICK if self._is_busy() else None):
            key.data()
        if self._stop_signals > 1:
            return 1
        code = self._reap()
        if code is not None:
            return code
        if self._host is not None:
            self._host.look()
            self._listen_for_demand(self._host)
        if self._stop_signals:
            return self._stop()
        self._note_ready()
        self._replace()
        self._fill()
        self._keep_host_current()
        return None

    def _is_busy(self) -> bool:
        """Whether there is something to do that no signal and no word of a worker tells of."""
        living = [worker for worker in self._workers if not worker.retired and worker.process.ready]
        if self._stop_signals or not self._started or (self._host is not None and self._host.is_starting):
            return True
        return len(living) != self._target_count or len(living) != len(self._workers)

    # What the signals ask for.

    @contextmanager
    def _handling_signals(self) -> Iterator[None]:
        awake, waker = socket.socketpair()
        awake.setblocking(False)
        waker.setblocking(False)
        self._selector.register(awake, selectors.EVENT_READ, lambda: _drain(awake))
        before = signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_stop)
        signal.signal(signal.SIGHUP, self._on_hangup)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            self._selector.unregister(awake)
            awake.close()
            waker.close()

    def _on_stop(self, *_: object) -> None:
        self._stop_signals += 1

    def _on_hangup(self, *_: object) -> None:
        """Replaces all workers; but where the terminal is gone that we were started from, it asks to stop."""
        if self._terminal is not None and not os.isatty(self._terminal):
            _leave_terminal()
            self._stop_signals = max(self._stop_signals, 1)
        else:
            self._generation += 1

    # Starting and replacing.

    @property
    def _target_count(self) -> int:
        return self._plan.settings.workers

    @property
    def _serving(self) -> list[_ServingWorker]:
        return [worker for worker in self._workers if not worker.retired]

    def _fill(self) -> None:
        """The first worker starts alone: it makes the store, and finds what is wrong with the configuration."""
        while self._started and len(self._serving) < self._target_count and time.monotonic() >= self._next_start:
            self._start_worker()

    def _start_worker(self) -> None:
        number = min(set(range(len(self._workers) + 1)) - {worker.number for worker in self._workers})
        descriptors = [listener.fileno() for listener in self._sockets]
        assignment = {
            "number": number,
            "flags": dict(self._plan.flags),
            "sockets": descriptors,
            "announces": self._plan.announces and not self._started,
            "as_json": self._plan.as_json,
            "folder": str(self._folder.path),
            "since": self._since,
            "upstreams": None if self._host is None else str(self._host.path),
        }
        try:
            process = ChildProcess(WORKER, assignment, descriptors)
        except OSError as error:
            logger.warning("worker_not_started", reason=error.strerror or str(error))
            self._next_start = time.monotonic() + max(self._pause.after_death(0.0), 1.0)
            return
        worker = _ServingWorker(number, self._generation, process)
        self._workers.append(worker)
        self._selector.register(process.channel, selectors.EVENT_READ, lambda: self._listen(worker))
        logger.info("worker_started", worker=number, pid=process.pid)

    def _listen(self, worker: _ServingWorker) -> None:
        if not worker.process.listen():
            self._selector.unregister(worker.process.channel)

    def _note_ready(self) -> None:
        is_hosted = self._host is None or self._host.is_settled
        if not self._started and is_hosted and any(worker.process.ready for worker in self._workers):
            self._started = True
            logger.info("started", address=self._address)
        for worker in self._serving:
            _follow_start(worker)

    def _replace(self) -> None:
        """One at a time: the new one is ready before the old one is stopped, and that one is gone before the
        next new one is started."""
        old = [worker for worker in self._serving if worker.generation < self._generation]
        if not old or any(worker.retired for worker in self._workers):
            return
        if any(not worker.process.ready for worker in self._serving):
            return
        if len(self._serving) > self._target_count:
            old[0].retired = True
            old[0].process.signal(signal.SIGTERM)
        elif time.monotonic() >= self._next_start:
            self._start_worker()

    def _listen_for_demand(self, host: HostProcess) -> None:
        """A worker that connects while there is no process waits for one."""
        if host.waits_for_demand == self._listens_for_demand:
            return
        self._listens_for_demand = host.waits_for_demand
        if self._listens_for_demand:
            self._selector.register(host.listener, selectors.EVENT_READ, host.start_on_demand)
        else:
            self._selector.unregister(host.listener)

    def _keep_host_current(self) -> None:
        """It reads the gateway file before the first new worker does, and keeps what old ones use until they are
        gone."""
        if self._host is None or not self._started:
            return
        if self._host_generation < self._generation:
            self._host_generation = self._generation
            if self._host.is_running or self._plan.settings.gateway_config is not None:
                self._host.reload()
            self._is_replacing = True
        is_current = all(worker.generation == self._generation for worker in self._workers)
        if self._is_replacing and is_current:
            self._is_replacing = False
            self._host.forget()

    # Ends, expected or not.

    def _reap(self) -> int | None:
        """The exit code of the whole, when the first worker could not start."""
        for worker in list(self._workers):
            code = worker.process.exit_code()
            if code is None:
                continue
            self._forget(worker)
            if worker.retired or self._stop_signals:
                logger.info("worker_ended", worker=worker.number, pid=worker.process.pid, code=code)
            elif not self._started:
                return code or 1
            else:
                self._died(worker, code)
        return None

    def _forget(self, worker: _ServingWorker) -> None:
        self._workers.remove(worker)
        with suppress(KeyError, ValueError):
            self._selector.unregister(worker.process.channel)
        worker.process.close()
        self._folder.forget_gauges(worker.number)

    def _died(self, worker: _ServingWorker, code: int) -> None:
        pause = self._pause.after_death(worker.process.worked)
        self._next_start = time.monotonic() + pause
        logger.warning("worker_died", worker=worker.number, pid=worker.process.pid, code=code, pause=pause)
        if not worker.process.ready and len(self._serving) >= self._target_count:
            # It was to replace another, and cannot even start: those that serve are better than none.
            logger.warning("workers_not_replaced", reason="the new worker could not start")
            self._is_replacing = False
            for other in self._workers:
                other.generation = self._generation

    def _stop(self) -> int | None:
        settings = self._plan.settings
        if self._stopping_since is None:
            self._stopping_since = time.monotonic()
            self._begin_stop()
        if not self._workers and self._host is not None:
            self._host.stop()
        if not self._workers and (self._host is None or not self._host.is_running):
            logger.info("stopped")
            return 0
        if time.monotonic() - self._stopping_since > settings.shutdown_timeout / SECOND + STOP_SECONDS:
            logger.warning("workers_killed", workers=len(self._workers))
            return 1
        return None

    def _begin_stop(self) -> None:
        for listener in self._sockets:
            listener.close()
        if self._host is not None:
            self._host.starts_again = False
        self._each(lambda process: process.signal(signal.SIGTERM))

    def _end_at_once(self) -> None:
        self._each(lambda process: process.signal(signal.SIGKILL))
        if self._host is not None:
            self._host.close()

    def _each(self, act: Callable[[ChildProcess], None]) -> None:
        for worker in self._workers:
            act(worker.process)


def _follow_start(worker: _ServingWorker) -> None:
    """Says once that it is ready; one that does not become ready is killed, and replaced like any that died."""
    process = worker.process
    if process.ready and not worker.greeted:
        worker.greeted = True
        logger.info("worker_ready", worker=worker.number, pid=process.pid)
    if not process.ready and process.age > READY_SECONDS:
        logger.warning("worker_never_ready", worker=worker.number, pid=process.pid)
        process.signal(signal.SIGKILL)


def _leave_terminal() -> None:
    """Nothing reads there any more, and a writer gets an error."""
    nothing = os.open(os.devnull, os.O_RDWR)
    gone = os.fstat(0).st_rdev
    for descriptor in (0, 1, 2):
        # A log that goes to a file goes on.
        if os.fstat(descriptor).st_rdev == gone:
            os.dup2(nothing, descriptor)
    os.close(nothing)


def _drain(awake: socket.socket) -> None:
    with suppress(BlockingIOError):
        awake.recv(4096)
