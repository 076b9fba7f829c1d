"""Events of sessions."""

from longtable.log.model import Event


def created() -> Event:
    return Event("session/created", {})


def closed() -> Event:
    return Event("session/closed", {})


def expired() -> Event:
    return Event("session/expired", {})


def extended(expires_at: str) -> Event:
    return Event("session/extended", {"expires_at": expires_at})
