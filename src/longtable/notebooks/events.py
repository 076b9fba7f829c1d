"""The events of scratchpads."""

from typing import Any

from longtable.log.model import Event


def created(scratch_id: str, reason: str | None = None) -> Event:
    return Event("notebook/created", _known({"scratch_id": scratch_id, "reason": reason}))


def changed(scratch_id: str, cell_id: str | None = None, reason: str | None = None) -> Event:
    return Event("notebook/changed", _known({"scratch_id": scratch_id, "cell_id": cell_id, "reason": reason}))


def deleted(scratch_id: str, reason: str | None = None) -> Event:
    return Event("notebook/deleted", _known({"scratch_id": scratch_id, "reason": reason}))


def evicted(scratch_id: str, policy: str) -> Event:
    return Event("notebook/evicted", {"scratch_id": scratch_id, "reason": policy})


def _known(payload: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in payload.items() if value is not None}
