"""What the routes need to know about a request that was let in."""

from typing import Protocol

from longtable.kernel.caller import Caller


class Admitted(Protocol):
    @property
    def caller(self) -> Caller: ...
