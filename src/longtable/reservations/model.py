"""What a reservation is, and what stands in the way of another one."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from longtable.kernel.clock import to_iso
from longtable.kernel.result import LimitedResult, Result, Value, omitted_if_none
from longtable.reservations.paths import PathPattern, overlap, pattern

Mode = Literal["exclusive", "shared"]

MAX_PATHS = 50
MAX_RESERVATIONS = 500
MAX_REASON = 120
MAX_SECONDS = 86_400


class Reservation(NamedTuple):
    """One pattern that an agent holds, until its time has run out by the clock."""

    path: str
    holder: str
    mode: Mode
    reason: str | None
    created_at: int
    expires_at: int

    @property
    def pattern(self) -> PathPattern:
        return pattern(self.path)

    @property
    def place(self) -> tuple[str, str]:
        """Where it stands in the list of a session."""
        return self.path, self.holder

    def view(self, agent: str) -> "ReservationView":
        """As `agent` is shown it."""
        return ReservationView(
            path=self.path,
            agent=self.holder,
            mode=self.mode,
            expires_at=to_iso(self.expires_at),
            reason=self.reason,
            mine=True if self.holder == agent else None,
        )


class PathConflict(NamedTuple):
    """A pattern that was asked for, and the reservation that stands in its way."""

    requested: PathPattern
    held: Reservation


def conflicts(
    requested: Iterable[PathPattern], mode: Mode, agent: str, held: Iterable[Reservation]
) -> list[PathConflict]:
    """Two agents share what both hold in mode `shared`; nobody is in their own way."""
    others = [each for each in held if each.holder != agent and "exclusive" in (mode, each.mode)]
    return [PathConflict(path, each) for path in requested for each in others if overlap(path, each.pattern)]


class ReservationView(Value):
    """`mine` is left out for those of other agents."""

    path: str
    agent: str
    mode: Mode
    expires_at: str
    reason: str | None = omitted_if_none()
    mine: bool | None = omitted_if_none()


class PathsReserved(Result):
    """`holding` is how many patterns the caller holds now."""

    expires_at: str
    holding: int


class PathsReleased(LimitedResult):
    released: list[str]


class ReservationList(LimitedResult):
    reservations: list[ReservationView]
    next_cursor: str | None = omitted_if_none()
