"""How the response to the current call reaches its caller. The edge sets it for each request."""

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Protocol

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
    `is_in_cancel_scope` unless it is known that nothing can cancel the call.
    `arrived_at` is when the request came, by `time.perf_counter`; None where that was not measured."""

    __slots__ = (
        "_callbacks",
        "arrived_at",
        "connection",
        "interrupt",
        "is_abandoned",
        "is_in_cancel_scope",
        "is_sent",
        "transport",
        "uninterrupted",
    )

    def __init__(self, connection: str = "", transport: Transport | None = None) -> None:
        self.connection = connection
        self.transport = transport
        self.arrived_at: float | None = time.perf_counter()
        self.is_sent = False
        self.is_abandoned = False
        self.is_in_cancel_scope = True
        self.interrupt: Callable[[], None] | None = None
        self.uninterrupted = 0
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
            self.interrupt = interrupt
            self.interrupt_if_allowed()

    def interrupt_if_allowed(self) -> None:
        if self.interrupt is not None and self.uninterrupted == 0:
            self.interrupt()


def direct_delivery(connection: str = "") -> Delivery:
    """For clients whose transport reports nothing about delivery: a response counts as sent."""
    delivery = Delivery(connection)
    delivery.arrived_at = None
    delivery.is_sent = True
    return delivery


_DIRECT: Final = direct_delivery()
DELIVERY: ContextVar[Delivery] = ContextVar("delivery", default=_DIRECT)


class Uninterrupted:
    """The block runs to its end, even if its client disconnects or cancels the call meanwhile. A class, as it is
    entered for every write, and a generator would take longer."""

    __slots__ = ("_delivery", "_shield")

    def __enter__(self) -> None:
        delivery = self._delivery = DELIVERY.get()
        self._shield = anyio.CancelScope(shield=True) if delivery.is_in_cancel_scope else None
        if self._shield is not None:
            self._shield.__enter__()
        delivery.uninterrupted += 1

    def __exit__(self, *problem: Any) -> None:
        delivery = self._delivery
        delivery.uninterrupted -= 1
        if delivery.interrupt is not None:
            delivery.interrupt_if_allowed()
        if self._shield is not None:
            self._shield.__exit__(*problem)
