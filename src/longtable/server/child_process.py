"""A process that a supervisor starts, and the channel between the two: lines of JSON one way, words the other. Its end
tells each side that the other one is gone, however that came about."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

READY = "ready"
"""What a child says when it does its work."""

_PIECE = 65_536


class ChildProcess:
    """Running from the start. `module` is run as a program and gets the number of its descriptor of the channel."""

    def __init__(self, module: str, first_message: Mapping[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Raises OSError when the system has no room for another process."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                command = [sys.executable, "-P", "-m", module, str(theirs.fileno())]
                handed = (theirs.fileno(), *descriptors)
                self._popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=handed)
        except OSError:
            ours.close()
            raise
        self.channel = ours
        self.started_at = time.monotonic()
        self.ready_at: float | None = None
        self._heard = b""
        self.send(first_message)
        ours.setblocking(False)

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def ready(self) -> bool:
        return self.ready_at is not None

    @property
    def age(self) -> float:
        return time.monotonic() - self.started_at

    @property
    def worked(self) -> float:
        """Seconds since it was ready."""
        return 0.0 if self.ready_at is None else time.monotonic() - self.ready_at

    def send(self, message: Mapping[str, Any]) -> None:
        """Sends a message. That the process has gone already is no error here: its end is noticed elsewhere."""
        with suppress(OSError):
            self.channel.sendall(json.dumps(message).encode() + b"\n")

    def listen(self) -> bool:
        """Reads what it says. False at the end of the channel."""
        try:
            piece = self.channel.recv(_PIECE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._heard += piece
        *words, self._heard = self._heard.split(b"\n")
        if READY.encode() in words:
            self.ready_at = time.monotonic()
        return bool(piece)

    def exit_code(self) -> int | None:
        """As a shell tells it; None while it runs."""
        code = self._popen.poll()
        return 128 - code if code is not None and code < 0 else code

    def signal(self, number: signal.Signals) -> None:
        self._popen.send_signal(number)

    def close(self) -> None:
        self.channel.close()


class SupervisorChannel:
    """The child's end. What a supervisor says first is what to do."""

    def __init__(self, descriptor: int) -> None:
        # Not for the processes that we start in turn: they would keep the channel open after our end.
        os.set_inheritable(descriptor, False)
        self.socket = socket.socket(fileno=descriptor)
        self._heard = b""

    def first_message(self) -> dict[str, Any]:
        """Raises EOFError when the supervisor is gone already."""
        while not (messages := self.listen()):
            pass
        return messages[0]

    def listen(self) -> list[dict[str, Any]]:
        """The whole messages that have arrived since; often none. Raises EOFError when the supervisor is gone."""
        try:
            piece = self.socket.recv(_PIECE)
        except OSError:
            piece = b""
        if not piece:
            raise EOFError
        *lines, self._heard = (self._heard + piece).split(b"\n")
        return [json.loads(line) for line in lines]

    def report_ready(self) -> None:
        with suppress(OSError):
            self.socket.sendall(READY.encode() + b"\n")


def leave_signals_to_supervisor(*more: signal.Signals) -> None:
    """A terminal sends its signals to the whole group. Ignored by a function, as programs that we start in turn would
    inherit the system's way to ignore a signal."""
    for number in (signal.SIGINT, signal.SIGHUP, *more):
        signal.signal(number, lambda *_: None)


def inherited_socket(descriptor: int) -> socket.socket:
    listener = socket.socket(fileno=descriptor)
    # Programs that we start in turn have no business with it, and would keep the port taken.
    listener.set_inheritable(False)
    return listener
