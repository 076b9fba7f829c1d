"""How the answer to the call at hand reaches its caller. The edge sets it for each request."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio


class Delivery:
    """`is_sent` once the whole answer has been handed to the transport; `is_abandoned` when its client went away
    before. `interrupt` then ends the work, as soon as it may be interrupted."""

    __slots__ = ("_interrupt", "_uninterrupted", "is_abandoned", "is_sent")

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self.is_sent = False
        self.is_abandoned = False
        self._interrupt = interrupt
        self._uninterrupted = 0

    def abandon(self) -> None:
        if not self.is_sent:
            self.is_abandoned = True
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
        if self.is_abandoned and self._uninterrupted == 0:
            self._interrupt()


DELIVERY: ContextVar[Delivery | None] = ContextVar("delivery", default=None)
"""None where the transport cannot tell, such as over stdio."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """What happens inside is finished, though its client goes away or takes the call back meanwhile."""
    delivery = DELIVERY.get()
    with anyio.CancelScope(shield=True):
        if delivery is None:
            yield
            return
        with delivery.uninterrupted():
            yield
