"""Events of reservations."""

from collections.abc import Sequence

from longtable.kernel.clock import to_iso
from longtable.log.model import Event
from longtable.reservations.model import Mode


def reserved(paths: Sequence[str], mode: Mode, expires_at: int) -> Event:
    return Event("reservation/reserved", {"paths": list(paths), "mode": mode, "expires_at": to_iso(expires_at)})


def released(paths: Sequence[str], holder: str, forced: bool) -> Event:
    return Event("reservation/released", {"paths": list(paths), "held_by": holder, "forced": forced})
