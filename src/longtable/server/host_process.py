"""The process that runs upstream programs, as its supervisor sees it: started again when it dies, and notified
when the gateway file may have changed."""

import signal
import socket
import time
from collections.abc import Mapping
from pathlib import Path

from longtable.kernel.logs import logger
from longtable.server.child_process import ChildProcess
from longtable.server.restart_pause import RestartPause
from longtable.server.unix import open_unix

MODULE = "longtable.cli.upstream_host"
SOCKET = "upstreams.sock"
NOTHING_TO_RUN = 0
BAD_CONFIGURATION = 3
"""Its exit codes, besides those of a death."""
STOP = "stop"
RELOAD = "reload"
FORGET = "forget"
"""What it is asked for. When workers are replaced: first that the gateway file is read again, then, when the last
worker is gone that used the old one, that what no longer stands in it ends."""


class HostProcess:
    """Owns the socket where workers ask for programs, so that a question waits while the process is started again."""

    def __init__(self, folder: Path, flags: Mapping[str, str | list[str]]) -> None:
        self.path = folder / SOCKET
        self._listener = open_unix(self.path)
        self._flags = flags
        self._process: ChildProcess | None = None
        self._pause = RestartPause()
        self._next_start: float | None = None
        self.starts_again = True
        self._is_stopping = False
        self._is_settled = False
        self._is_usable = True
        self._is_needed = False
        """Whether a worker has asked for it, and not the gateway file alone."""

    @property
    def listener(self) -> socket.socket:
        return self._listener

    @property
    def waits_for_demand(self) -> bool:
        """Whether it is to be started when a worker connects: an upstream may have been added at run time."""
        is_idle = self._process is None and self._next_start is None
        return is_idle and self._is_usable and self.starts_again and not self._is_stopping

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def is_settled(self) -> bool:
        """Whether it answers, or there is nothing that it could answer."""
        return self._is_settled or (self._process is not None and self._process.ready)

    @property
    def is_starting(self) -> bool:
        """Whether it is about to be started again, or not ready yet."""
        return self._next_start is not None or (self._process is not None and not self._process.ready)

    def start_on_demand(self) -> None:
        self._is_needed = True
        self.start()

    def start(self) -> None:
        self._next_start = None
        self._is_usable = True
        descriptor = self._listener.fileno()
        message = {"flags": dict(self._flags), "socket": descriptor, "is_needed": self._is_needed}
        try:
            self._process = ChildProcess(MODULE, message, [descriptor])
        except OSError as error:
            logger.warning("upstream_host_not_started", reason=error.strerror or str(error))
            self._start_in(max(self._pause.after_death(0.0), 1.0))
            return
        logger.info("upstream_host_started", pid=self._process.pid)

    def look(self) -> None:
        """Reaps it, and starts it again when that is due."""
        if self._process is not None:
            self._process.listen()
            code = self._process.exit_code()
            if code is not None:
                self._ended(self._process, code)
        if self._next_start is not None and time.monotonic() >= self._next_start:
            self.start()

    def settle(self) -> None:
        """Says that no program is needed yet."""
        self._is_settled = True

    def reload(self) -> None:
        if self._process is None:
            self.start()
        else:
            self._process.send({"do": RELOAD})

    def forget(self) -> None:
        if self._process is not None:
            self._process.send({"do": FORGET})

    def stop(self) -> None:
        """By a message and not by a signal: some systems send one to every process of a service at once, and workers
        need the programs to the end."""
        if self._process is not None and not self._is_stopping:
            self._is_stopping = True
            self._process.send({"do": STOP})

    def close(self) -> None:
        if self._process is not None:
            self._process.signal(signal.SIGKILL)
        self._listener.close()

    def _ended(self, process: ChildProcess, code: int) -> None:
        self._process = None
        process.close()
        self._is_settled = True
        self._is_usable = code != BAD_CONFIGURATION
        if code in (NOTHING_TO_RUN, BAD_CONFIGURATION):
            # Or it was asked to stop. The workers report what is wrong with the configuration.
            return
        pause = self._pause.after_death(process.worked)
        logger.warning("upstream_host_died", pid=process.pid, code=code, pause=pause)
        self._start_in(pause)

    def _start_in(self, seconds: float) -> None:
        self._next_start = time.monotonic() + seconds if self.starts_again else None
