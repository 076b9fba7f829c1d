"""How the response to the current call reaches its caller. The edge sets it for each request."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, Protocol

import anyio


class Transport(Protocol):
    """What a response is sent over, such as a socket."""

    @property
    def is_open(self) -> bool: ...

    @property
    def requests(self) -> int:
        """How many have begun on it: a client that sends the next one has read the response before."""

    def has_arrived(self) -> bool | None:
        """Whether the other side has received everything; None while that is unknown."""


class Delivery:
    """One request and the delivery of its response. `connection` names the connection of the protocol, if any.
    `arrived_at` is when the request came, by `time.perf_counter`; None where that was not measured."""

    __slots__ = (
        "_callbacks",
        "_interrupt",
        "_uninterrupted",
        "arrived_at",
        "connection",
        "is_abandoned",
        "is_sent",
        "transport",
    )

    def __init__(self, connection: str = "", transport: Transport | None = None) -> None:
        self.connection = connection
        self.transport = transport
        self.arrived_at: float | None = time.perf_counter()
        self.is_sent = False
        self.is_abandoned = False
        self._interrupt: Callable[[], None] | None = None
        self._uninterrupted = 0
        self._callbacks: list[Callable[[], None]] | None = None

    def when_sent(self, callback: Callable[[], None]) -> None:
        """Calls `callback` once the transport has the whole answer; never if the client disconnects first."""
        if self.is_sent:
            callback()
        elif self._callbacks is None:
            self._callbacks = [callback]
        else:
            self._callbacks.append(callback)

    def sent(self) -> None:
        if self.is_abandoned or (self.transport is not None and not self.transport.is_open):
            return
        self.is_sent = True
        for callback in self._callbacks or ():
            callback()

    def abandon(self, interrupt: Callable[[], None]) -> None:
        """The client disconnected before its response was sent: `interrupt` ends the work as soon as allowed."""
        if not self.is_sent:
            self.is_abandoned = True
            self._interrupt = interrupt
            self._interrupt_if_allowed()

    @contextmanager
    def uninterrupted(self) -> Iterator[None]:
        self._uninterrupted += 1
        try:
            yield
        finally:
            self._uninterrupted -= 1
            self._interrupt_if_allowed()

    def _interrupt_if_allowed(self) -> None:
        if self._interrupt is not None and self._uninterrupted == 0:
            self._interrupt()


def direct_delivery(connection: str = "") -> Delivery:
    """For clients whose transport reports nothing about delivery: a response counts as sent."""
    delivery = Delivery(connection)
    delivery.arrived_at = None
    delivery.is_sent = True
    return delivery


_DIRECT: Final = direct_delivery()
DELIVERY: ContextVar[Delivery] = ContextVar("delivery", default=_DIRECT)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """The block runs to its end, even if its client disconnects or cancels the call meanwhile."""
    with anyio.CancelScope(shield=True), DELIVERY.get().uninterrupted():
        yield
